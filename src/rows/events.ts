import { fromMembers, isObject, toMembers } from '../formats/members.ts'
import type { Value } from '../formats/number.ts'
import { SmileColumns } from '../formats/smile-rows.ts'
import { toUniqueNames } from '../formats/unique-names.ts'
import { createNameSharing, valueColumn } from './columns.ts'
import type { Registrar } from './registrar/registrar.ts'
import type { Row } from './row.ts'

/**
 * Makes rows of what Smile and JSON files hold. An event, `{"eventName", "payload"}`, gives its payload's keys as
 * columns, those that the registrar knows first and in its order; any other object gives its own keys; any other value
 * is one column, `value`.
 */
export type EventRows = {
  /** An object, read as columns, or another value. */
  fromColumns(element: Value | SmileColumns): Row
  fromValue(value: Value): Row
  /** An event's payload, whose name is stored elsewhere. */
  fromPayload(eventName: string, payload: Value | SmileColumns): Row
}

export type EventRowsOptions = {
  readonly registrar: Registrar
  /** What an event has instead of null. @default null */
  readonly nullValue?: Value
  /** The value of a column that an event lacks and the registrar knows. @default null */
  readonly absentValue?: Value
}

export const createEventRows = ({ registrar, nullValue = null, absentValue = null }: EventRowsOptions): EventRows => {
  const share = createNameSharing()
  const order = createOrder(registrar, absentValue)

  const toEventRow = (eventName: string, names: readonly string[], values: Value[]): Row => {
    if (nullValue !== null) for (let i = 0; i < values.length; i++) if (values[i] === null) values[i] = nullValue
    return order(eventName, names, values)
  }

  return {
    fromColumns(element) {
      if (!(element instanceof SmileColumns)) return toPlainRow(element)
      const { names, values } = element
      if (names.length === 2) {
        const nameAt = names[0] === 'eventName' ? 0 : 1
        const eventName = values[nameAt]
        const payload = values[1 - nameAt]
        if (names[nameAt] === 'eventName' && typeof eventName === 'string' && payload instanceof SmileColumns) {
          return toEventRow(eventName, toUniqueNamesOnce(payload.names), payload.values.map(toPlain))
        }
      }
      return { names: toUniqueNamesOnce(names), values: values.map(toPlain) }
    },

    fromPayload(eventName, payload) {
      if (!(payload instanceof SmileColumns)) return toPlainRow(payload)
      return toEventRow(eventName, toUniqueNamesOnce(payload.names), payload.values.map(toPlain))
    },

    fromValue(value) {
      if (!isObject(value)) return toPlainRow(value)
      const { eventName, payload } = value
      const { names, values } = toMembers(value)
      if (names.length === 2 && typeof eventName === 'string' && payload !== undefined && isObject(payload)) {
        const members = toMembers(payload)
        return toEventRow(eventName, share(members.names), members.values)
      }
      return { names: share(names), values }
    },
  }
}

const toPlainRow = (value: Value | SmileColumns): Row => ({ names: valueColumn, values: [toPlain(value)] })

/** Columns inside of a value are an object again. */
const toPlain = (value: Value | SmileColumns): Value => {
  if (!(value instanceof SmileColumns)) return value
  return fromMembers(value.names.map((name, i) => [name, toPlain(value.values[i] ?? null)]))
}

const distinct = new WeakMap<readonly string[], readonly string[]>()

/** As `toUniqueNames`, but only once for names that many rows share. */
const toUniqueNamesOnce = (names: readonly string[]): readonly string[] => {
  let found = distinct.get(names)
  if (!found) {
    found = toUniqueNames(names)
    distinct.set(names, found)
  }
  return found
}

type Plan = { readonly names: readonly string[]; readonly sources: readonly number[] }

/** Puts the columns of an event type into the registrar's order; what it does not know follows, nothing is dropped. */
const createOrder = (registrar: Registrar, absentValue: Value) => {
  let plans = new WeakMap<readonly string[], Map<string, Plan>>()
  let planCount = 0
  return (eventName: string, names: readonly string[], values: Value[]): Row => {
    const schema = registrar.fields(eventName)
    if (schema === undefined) return { names, values }
    const known = plans.get(names) ?? new Map<string, Plan>()
    let plan = known.get(eventName)
    if (!plan) {
      if (planCount++ >= maxPlans) {
        plans = new WeakMap()
        planCount = 0
      }
      plan = toPlan(
        names,
        schema.map(({ name }) => name),
      )
      plans.set(names, known.set(eventName, plan))
    }
    return { names: plan.names, values: plan.sources.map(source => values[source] ?? absentValue) }
  }
}

const maxPlans = 10_000

const toPlan = (names: readonly string[], wanted: readonly string[]): Plan => {
  const all = [...new Set([...wanted, ...names])]
  return { names: all, sources: all.map(name => names.indexOf(name)) }
}
