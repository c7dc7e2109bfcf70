import { isIP } from 'node:net'
import { toName } from '../formats/members.ts'
import { isNumber } from '../formats/number.ts'
import { readSmileElements } from '../formats/smile/reader.ts'
import { readRecords } from '../formats/thrift/envelope-stream.ts'
import { ThriftReader } from '../formats/thrift/reader.ts'
import { thriftType, toTypeName } from '../formats/thrift/types.ts'
import { isRecord } from '../is-record.ts'
import type { Batch } from '../spool/batch.ts'
import type { Mismatch } from './parsed.ts'
import { quoteClient } from './parsers/event-date.ts'
import { type InspectEvent, maxDetailed } from './parsers/inspection.ts'
import { parseIsoDate } from './parsers/iso-date.ts'
import { asBuffer } from './parsers/json-text.ts'

/** A field of an event type; types are `boolean byte short integer long double string date ip`, others fit everything. */
export type ExpectedField = { readonly id: number; readonly name: string; readonly type: string }

/** The fields of an event type, the same list until they change; undefined when no schema is known. Never waits. */
export type SchemaLookup = (typeName: string) => readonly ExpectedField[] | undefined

/** What {@link Validator} looks at; positions that `events` does not list are passed over. */
export type Candidates = Pick<Batch, 'format' | 'events' | 'body'> & {
  /** The events in the body, where a parser has them still. @default the body is read */
  readonly values?: readonly unknown[] | undefined
}

/** The events that do not fit their schemas, in order; a type without a schema always fits. */
export type Validator = (candidates: Candidates) => readonly Mismatch[]

/**
 * Compares events with a schema registry, in the bytes that are about to be stored: so it is one step for all routes,
 * and no parser knows of it. A body is read only when an event in it has a schema, and was not kept by its parser.
 *
 * JSON and Smile fields are found by name, Thrift fields by id and wire type. A missing field fits, and so does null; a
 * field that the schema does not have does not, except `eventDate` and `eventGranularity`.
 */
export const createValidator = (lookup: SchemaLookup): Validator => {
  const schemas = new WeakMap<readonly ExpectedField[], Schema>()
  const schemaOf = (name: string): Schema | undefined => {
    const fields = lookup(name)
    if (!fields) return undefined
    const schema = schemas.get(fields) ?? toSchema(fields)
    schemas.set(fields, schema)
    return schema
  }
  return candidates => {
    const { events } = candidates
    if (!events.some(({ name }) => lookup(name) !== undefined)) return []
    const mismatches: Mismatch[] = []
    let position = 0
    let next = 0
    for (const payload of readPayloads(candidates)) {
      const event = events[next]
      if (event === undefined) break
      if (event.index !== position++) continue
      next++
      const schema = schemaOf(event.name)
      const fault = schema && findFault(schema, payload)
      if (fault === undefined) continue
      const detail = mismatches.length < maxDetailed ? `${toWord(event.name)}.${describeFault(fault)}` : ''
      mismatches.push({ index: event.index, name: event.name, detail })
    }
    return mismatches
  }
}

/** A validator for one event at a time: a value of JSON or Smile, or the bytes of a Thrift record. */
export const toInspect =
  (validate: Validator) =>
  (format: Batch['format']): InspectEvent =>
  (head, value) => {
    const body = value instanceof Uint8Array ? value : noBytes
    const [mismatch] = validate({ format, events: [{ ...head, index: 0 }], body, values: [value] })
    return mismatch && { ...mismatch, index: head.index }
  }

const noBytes = new Uint8Array()

type Rule = ExpectedField & {
  /** Whether a JSON or Smile value fits. */
  readonly fits: (value: unknown) => boolean
  /** Thrift's wire types for it; undefined for any. */
  readonly wire: readonly number[] | undefined
}
type Schema = { readonly byName: ReadonlyMap<string, Rule>; readonly byId: ReadonlyMap<number, Rule> }

/** What was found at a field; no rule: the schema does not have it. */
type Fault = { readonly field: string | number; readonly rule: Rule | undefined; readonly found: string }

/** `eventDate` and `eventGranularity` were checked when the event was read. */
const alwaysAllowed = new Set(['eventDate', 'eventGranularity'])

const toSchema = (fields: readonly ExpectedField[]): Schema => {
  const rules = fields.map((field): Rule => {
    const { fits, wire } = typeRules.get(field.type) ?? anything
    return { ...field, fits, wire }
  })
  return { byName: new Map(rules.map(rule => [rule.name, rule])), byId: new Map(rules.map(rule => [rule.id, rule])) }
}

/** Every payload of a body by position: objects, or bare Thrift structs. The parsers have checked the bytes. */
function* readPayloads({ format, body, values }: Candidates): Iterable<unknown> {
  if (format === 'thrift') for (const { payload } of readRecords(body)) yield payload
  else for (const event of values ?? readEnvelopes(format, body)) yield isRecord(event) ? event['payload'] : undefined
}

const readEnvelopes = (format: 'json' | 'smile', body: Uint8Array): Iterable<unknown> => {
  if (format === 'smile') return readSmileElements(body)
  const value: unknown = JSON.parse(asBuffer(body).toString('utf8'))
  return Array.isArray(value) ? value : [value]
}

const findFault = (schema: Schema, payload: unknown): Fault | undefined => {
  if (payload instanceof Uint8Array) return findInStruct(schema, payload)
  return isRecord(payload) ? findInObject(schema, payload) : undefined
}

const findInObject = ({ byName }: Schema, payload: Readonly<Record<string, unknown>>): Fault | undefined => {
  for (const field in payload) {
    const value = payload[field]
    const rule = byName.get(toName(field))
    if (rule === undefined ? alwaysAllowed.has(field) : value === null || rule.fits(value)) continue
    return { field: toName(field), rule, found: describeValue(value, rule) }
  }
  return undefined
}

const findInStruct = ({ byId }: Schema, payload: Uint8Array): Fault | undefined => {
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

const describeFault = ({ field, rule, found }: Fault): string => {
  const name = typeof field === 'number' ? String(field) : toWord(field)
  return rule ? `${name} is ${found}; expected ${rule.type}` : `${name} is not a field of its schema`
}

/** A name as it is where it is plain and short. */
const toWord = (name: string): string => (/^[\w.-]{1,64}$/.test(name) ? name : quoteClient(name))

const describeValue = (value: unknown, rule: Rule | undefined): string => {
  if (typeof value === 'string') return rule?.type === 'date' || rule?.type === 'ip' ? quoteClient(value) : 'a string'
  if (typeof value === 'boolean') return 'a boolean'
  if (Array.isArray(value)) return 'an array'
  if (value instanceof Uint8Array) return 'binary'
  return isNumber(value) ? `the number ${value.toString().slice(0, 64)}` : 'an object'
}

/**
 * A whole number that so many bits hold, `1.0` included. JSON is read with doubles here, which the largest long is
 * rounded up in: so a number less than 1 024 beyond it passes too.
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
