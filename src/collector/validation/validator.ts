import type { Current } from '../../current.ts'
import type { ContractMode, EventContract, PayloadSource } from '../../event-contracts/contract.ts'
import type { Batch, EventHead } from '../../spool/batch.ts'
import type { Mismatch, MismatchAction } from '../parsed.ts'
import { type InspectEvent, maxDetailed } from '../parsers/inspection.ts'
import { describeFieldFault, type ExpectedField, type FieldSchema, toFieldSchema, toNameWord } from './field-schema.ts'
import { isPayload, readEnvelopes, readPayloads, toNamedFields, toPayload, toRecordPayload } from './payloads.ts'

/** The fields of an event type, the same list until they change; undefined when no schema is known. Never waits. */
export type SchemaLookup = (typeName: string) => readonly ExpectedField[] | undefined

/** What {@link Validator} looks at; positions that `events` does not list are skipped. */
export type Candidates = Pick<Batch, 'format' | 'events' | 'body'> & {
  /** The events in the body, where a parser has them still, as it made them. @default the body is read */
  readonly values?: readonly unknown[] | undefined
  /** Whether `JSON.parse` alone has made these values. @default perhaps not */
  readonly areNative?: boolean | undefined
  /** One of `values` of JSON with its numbers as they were sent. @default the body is read */
  readonly readExact?: ((index: number) => unknown) | undefined
}

/** The events that do not fit their schemas, in order; a type without a schema always fits. */
export type Validator = (candidates: Candidates) => readonly Mismatch[]

/** What events are compared with, and what becomes of those that do not fit. */
export type ValidatorOptions = {
  /** Fields by event type, for types without a contract. */
  readonly lookup: SchemaLookup
  /** @default nothing is */
  readonly contracts?: Current<ReadonlyMap<string, EventContract>> | undefined
  /** For types whose contract does not say it. @default warn */
  readonly mode?: Current<ContractMode> | undefined
}

/** Why an event does not fit, in words, and what becomes of it. */
type Fault = { readonly words: string; readonly action: MismatchAction }

/**
 * Compares events with their schemas, in the bytes that are about to be stored: so it is one step for all routes, and no
 * parser knows of it. A body is read only when an event in it has a schema, and was not kept by its parser.
 */
export const createValidator = (options: ValidatorOptions): Validator => {
  const judges = new Judges(options)
  return candidates => {
    const { events, format, values, areNative = false } = candidates
    if (!events.some(({ name }) => judges.knows(name))) return noMismatches
    const mismatches: Mismatch[] = []
    const look = ({ index, name }: EventHead, payload: unknown, from?: PayloadSource): void => {
      const fault = judges.find(name, payload, from)
      if (fault === undefined) return
      const detail = mismatches.length < maxDetailed ? fault.words : ''
      mismatches.push({ index, name, detail, action: fault.action })
    }
    if (values === undefined) {
      let next = 0
      let position = 0
      for (const payload of readPayloads(candidates)) {
        const event = events[next]
        if (event === undefined) break
        if (event.index !== position++) continue
        next++
        look(event, payload)
      }
      return mismatches
    }
    const readExact = candidates.readExact ?? createReadExact(candidates)
    for (const event of events) {
      const { index } = event
      const value = values[index]
      if (value instanceof Uint8Array) look(event, toRecordPayload(value))
      else if (format !== 'json') look(event, toPayload(value))
      else look(event, toPayload(value), { isNative: areNative, exact: () => toPayload(readExact(index)) })
    }
    return mismatches
  }
}

const noMismatches: readonly Mismatch[] = []

/** Reads the body when the first number matters that may have been rounded. */
const createReadExact = ({ body }: Candidates): ((index: number) => unknown) => {
  let exact: readonly unknown[] | undefined
  return index => {
    exact ??= [...readEnvelopes('json', body)]
    return exact[index]
  }
}

/** A validator for one event at a time: a value of JSON or Smile, or the bytes of a Thrift record. */
export const toInspect =
  (validate: Validator) =>
  (format: Batch['format']): InspectEvent =>
  (head, value, exact) => {
    const events = [{ ...head, index: 0 }]
    const [mismatch] = validate({ format, events, body: noBytes, values: [value], readExact: exact })
    return mismatch && { ...mismatch, index: head.index }
  }

const noBytes = new Uint8Array()

const none: ReadonlyMap<string, EventContract> = new Map()

/** The schemas of all types, as they are now. */
class Judges {
  readonly #lookup: SchemaLookup
  readonly #contracts: Current<ReadonlyMap<string, EventContract>>
  readonly #mode: Current<ContractMode>
  readonly #schemas = new WeakMap<readonly ExpectedField[], FieldSchema>()

  constructor({ lookup, contracts = () => none, mode = () => 'warn' }: ValidatorOptions) {
    this.#lookup = lookup
    this.#contracts = contracts
    this.#mode = mode
  }

  /** Whether events of a type are compared with anything. */
  knows(name: string): boolean {
    const contract = this.#contracts().get(name)
    if (contract !== undefined) return (contract.mode ?? this.#mode()) !== 'off' && !contract.isTooSlow
    return this.#mode() !== 'off' && this.#lookup(name) !== undefined
  }

  find(name: string, payload: unknown, from?: PayloadSource): Fault | undefined {
    if (!isPayload(payload)) return undefined
    const contract = this.#contracts().get(name)
    const action = contract?.mode ?? this.#mode()
    if (action === 'off') return undefined
    if (contract === undefined) {
      const schema = this.#schemaOf(name)
      const words = schema && describeFieldFault(schema, payload)
      return words === undefined ? undefined : { words: `${toNameWord(name)}.${words}`, action }
    }
    const words =
      payload instanceof Uint8Array
        ? contract.judge(toNamedFields(payload, contract.fields))
        : contract.judge(payload, from)
    return words === undefined ? undefined : { words: `${toNameWord(name)} ${words}`, action }
  }

  #schemaOf(name: string): FieldSchema | undefined {
    const fields = this.#lookup(name)
    if (!fields) return undefined
    const schema = this.#schemas.get(fields) ?? toFieldSchema(fields)
    this.#schemas.set(fields, schema)
    return schema
  }
}
