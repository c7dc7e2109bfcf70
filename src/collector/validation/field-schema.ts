import { isIP } from 'node:net'
import { toName } from '../../formats/members.ts'
import { isNumber } from '../../formats/number.ts'
import { ThriftReader } from '../../formats/thrift/reader.ts'
import { thriftType, toTypeName } from '../../formats/thrift/types.ts'
import { isRecord } from '../../is-record.ts'
import { quoteClient } from '../parsers/event-date.ts'
import { parseIsoDate } from '../parsers/iso-date.ts'

/** A field of an event type; types are `boolean byte short integer long double string date ip`, others fit everything. */
export type ExpectedField = { readonly id: number; readonly name: string; readonly type: string }

type Rule = ExpectedField & {
  /** Whether a JSON or Smile value fits. */
  readonly fits: (value: unknown) => boolean
  /** Thrift's wire types for it; undefined for any. */
  readonly wire: readonly number[] | undefined
}

/**
 * The fields of a type, ready to be compared with events. JSON and Smile fields are found by name, Thrift fields by id and
 * wire type. A missing field fits, and so does null; a field that the schema does not have does not, except `eventDate`
 * and `eventGranularity`.
 */
export type FieldSchema = { readonly byName: ReadonlyMap<string, Rule>; readonly byId: ReadonlyMap<number, Rule> }

/** What was found at a field; no rule: the schema does not have it. */
type Fault = { readonly field: string | number; readonly rule: Rule | undefined; readonly found: string }

/** `eventDate` and `eventGranularity` were checked when the event was read. */
const alwaysAllowed = new Set(['eventDate', 'eventGranularity'])

/** Makes it. */
export const toFieldSchema = (fields: readonly ExpectedField[]): FieldSchema => {
  const rules = fields.map((field): Rule => {
    const { fits, wire } = typeRules.get(field.type) ?? anything
    return { ...field, fits, wire }
  })
  return { byName: new Map(rules.map(rule => [rule.name, rule])), byId: new Map(rules.map(rule => [rule.id, rule])) }
}

/** The first field of a payload, an object or a bare Thrift struct, that does not fit; undefined when all do. */
export const describeFieldFault = (schema: FieldSchema, payload: unknown): string | undefined => {
  if (payload instanceof Uint8Array) return describeFault(findInStruct(schema, payload))
  return isRecord(payload) ? describeFault(findInObject(schema, payload)) : undefined
}

const findInObject = ({ byName }: FieldSchema, payload: Readonly<Record<string, unknown>>): Fault | undefined => {
  for (const field in payload) {
    const value = payload[field]
    const rule = byName.get(toName(field))
    if (rule === undefined ? alwaysAllowed.has(field) : value === null || rule.fits(value)) continue
    return { field: toName(field), rule, found: describeValue(value, rule) }
  }
  return undefined
}

const findInStruct = ({ byId }: FieldSchema, payload: Uint8Array): Fault | undefined => {
  const reader = new ThriftReader(payload)
  for (let type = reader.fieldType(); type !== thriftType.stop; type = reader.fieldType()) {
    const id = reader.i16()
    const rule = byId.get(id)
    if (rule === undefined || rule.wire?.includes(type) === false) {
      return { field: rule?.name ?? id, rule, found: toTypeName(type) }
    }
    reader.skip(type)
  }
  return undefined
}

const describeFault = (fault: Fault | undefined): string | undefined => {
  if (fault === undefined) return undefined
  const { field, rule, found } = fault
  const name = typeof field === 'number' ? String(field) : toNameWord(field)
  return rule ? `${name} is ${found}; expected ${rule.type}` : `${name} is not a field of its schema`
}

/** A name in a message: as it is where it is plain and short. */
export const toNameWord = (name: string): string => (/^[\w.-]{1,64}$/.test(name) ? name : quoteClient(name))

const describeValue = (value: unknown, rule: Rule | undefined): string => {
  if (typeof value === 'string') return rule?.type === 'date' || rule?.type === 'ip' ? quoteClient(value) : 'a string'
  if (typeof value === 'boolean') return 'a boolean'
  if (Array.isArray(value)) return 'an array'
  if (value instanceof Uint8Array) return 'binary'
  return isNumber(value) ? `the number ${value.toString().slice(0, 64)}` : 'an object'
}

/**
 * A whole number of this many bits, `1.0` included. JSON is read with doubles here, which round up the largest long: so
 * a number less than 1 024 beyond it passes too.
 */
const isInteger =
  (bits: number) =>
  (value: unknown): boolean => {
    if (typeof value === 'bigint') return BigInt.asIntN(bits, value) === value
    if (!isNumber(value)) return false
    const number = Number(value)
    const limit = 2 ** (bits - 1)
    return Number.isInteger(number) && number >= -limit && (number < limit || (bits === 64 && number === limit))
  }

const isLong = isInteger(64)
const isInt = isInteger(32)
const { bool, byte, i16, i32, i64, double, string } = thriftType
const anything: Pick<Rule, 'fits' | 'wire'> = { fits: () => true, wire: undefined }

const typeRules = new Map<string, Pick<Rule, 'fits' | 'wire'>>([
  ['boolean', { fits: value => typeof value === 'boolean', wire: [bool] }],
  ['byte', { fits: isInteger(8), wire: [byte] }],
  ['short', { fits: isInteger(16), wire: [i16] }],
  ['integer', { fits: isInt, wire: [i32] }],
  ['long', { fits: isLong, wire: [i64] }],
  ['double', { fits: isNumber, wire: [double] }],
  ['string', { fits: value => typeof value === 'string', wire: [string] }],
  [
    'date',
    { fits: value => (typeof value === 'string' ? parseIsoDate(value) !== undefined : isLong(value)), wire: [i64] },
  ],
  ['ip', { fits: value => (typeof value === 'string' ? isIP(value) !== 0 : isInt(value)), wire: [i32, string] }],
])
