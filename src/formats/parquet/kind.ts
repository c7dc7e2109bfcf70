import { isObject } from '../members.ts'

/**
 * The values of a column, or of a part of a nested one; null fits everywhere.
 *
 *     boolean     BOOLEAN
 *     integer     INT64
 *     double      DOUBLE
 *     digits      text: numbers that neither of these holds exactly
 *     text        text
 *     bytes       BYTE_ARRAY
 *     timestamp   TIMESTAMP (ms, UTC)
 *     json        JSON text: where values do not agree
 *     mixed       text as it is, every other value as JSON text: where texts and other values came
 *     id          text: the id of an event, as the collector makes it
 */
export const scalarKinds = [
  'boolean',
  'integer',
  'double',
  'digits',
  'text',
  'bytes',
  'timestamp',
  'json',
  'mixed',
  'id',
] as const
export type ScalarKind = (typeof scalarKinds)[number]

export type Kind = ScalarKind | ListKind | StructKind
export type ListKind = { readonly list: Kind }
/** Members in the order of their columns. More may come, none goes, and none changes what it is. */
export type StructKind = { readonly struct: Map<string, Kind> }

/**
 * Key of the metadata of a file that says what columns hold, as {@link toJsonValue} has it: text alone implies neither
 * JSON nor digits.
 */
export const kindsKey = 'sluice.columns'

/** The last column: what has no column, or does not fit its own, as JSON. */
export const extraColumn = '_extra'

/** The ids of events, of the kind `id`: {@link eventIdText}. A column of this name and of another kind is the senders'. */
export const eventIdColumn = '_eventId'

/** What such an id looks like: 16 bytes, in base64url. */
export const eventIdText = /^[\w-]{21}[AQgw]$/

/** The comments of columns of tables whose texts have a further meaning. */
export const kindDocs: Readonly<Partial<Record<ScalarKind, string>>> = {
  digits: 'numbers, as text',
  json: 'JSON',
  mixed: 'text, or JSON of any other value',
  id: 'the id of the event, hashed by Sluice',
}

/** Columns that the collector fills itself; what a sender has of these names is in {@link extraColumn} for good. */
export const ownColumns: ReadonlySet<string> = new Set(['eventName', 'eventDate'])

/** Deepest nesting of structs and lists; what lies deeper is JSON text. */
export const maxNesting = 8

export const isStruct = (kind: Kind): kind is StructKind => typeof kind === 'object' && 'struct' in kind
export const isList = (kind: Kind): kind is ListKind => typeof kind === 'object' && 'list' in kind

/** How many columns of a file a kind takes. */
export const countLeaves = (kind: Kind): number => {
  if (isList(kind)) return countLeaves(kind.list)
  if (!isStruct(kind)) return 1
  let count = 0
  for (const member of kind.struct.values()) count += countLeaves(member)
  return count
}

/** A copy that does not grow with the original. */
export const copyKind = <K extends Kind>(kind: K): K => fromJson(toJsonValue(kind)) as K

/** A kind as JSON: a scalar's word, `{"list": kind}`, `{"struct": [[name, kind], …]}`. */
export type KindJson =
  | ScalarKind
  | { readonly list: KindJson }
  | { readonly struct: readonly (readonly [string, KindJson])[] }

export const toJsonValue = (kind: Kind): KindJson => {
  if (isList(kind)) return { list: toJsonValue(kind.list) }
  if (!isStruct(kind)) return kind
  return { struct: Array.from(kind.struct, ([name, member]) => [name, toJsonValue(member)] as const) }
}

const fromJson = (json: KindJson): Kind => {
  if (typeof json === 'string') return json
  if ('list' in json) return { list: fromJson(json.list) }
  return { struct: new Map(json.struct.map(([name, member]) => [name, fromJson(member)])) }
}

/** A kind that only a later version knows. */
export class UnknownKind extends TypeError {
  override readonly name = 'UnknownKind'
}

/** @throws TypeError what is not a kind, or nested too deep */
export const parseKind = (value: unknown, nesting = 0): Kind => {
  const scalar = scalarKinds.find(kind => kind === value)
  if (scalar) return scalar
  if (typeof value === 'string') throw new UnknownKind(`the unknown kind ${JSON.stringify(value.slice(0, 100))}`)
  if (nesting > maxNesting || !isObject(value)) throw new TypeError('Cannot read the kind of a column')
  if ('list' in value) return { list: parseKind(value['list'], nesting + 1) }
  const { struct } = value
  if (!Array.isArray(struct)) throw new TypeError('Cannot read the kind of a column')
  const members = new Map<string, Kind>()
  for (const member of struct) {
    if (!Array.isArray(member) || typeof member[0] !== 'string') throw new TypeError('Cannot read a member of a struct')
    members.set(member[0], parseKind(member[1], nesting + 1))
  }
  return { struct: members }
}

/** The entry of a footer that says it. */
export const toKindsFact = (kinds: StructKind): readonly [key: string, value: string] => [
  kindsKey,
  JSON.stringify(toJsonValue(kinds)),
]

/** What a file says of its columns; undefined if another program wrote it, or a later version. @param keyValues of its footer */
export const findKinds = (keyValues: ReadonlyMap<string, string>): StructKind | undefined => {
  const text = keyValues.get(kindsKey)
  if (text === undefined) return undefined
  try {
    const kinds = parseKind(JSON.parse(text))
    return isStruct(kinds) ? kinds : undefined
  } catch {
    return undefined
  }
}

/** For people: `INT64`, `LIST<TEXT>`, `STRUCT<id INT64, name TEXT>`. */
export const describeKind = (kind: Kind): string => {
  if (isList(kind)) return `LIST<${describeKind(kind.list)}>`
  if (!isStruct(kind)) return words[kind]
  return `STRUCT<${Array.from(kind.struct, ([name, member]) => `${name} ${describeKind(member)}`).join(', ')}>`
}

const words: Readonly<Record<ScalarKind, string>> = {
  boolean: 'BOOLEAN',
  integer: 'INT64',
  double: 'DOUBLE',
  digits: 'TEXT of numbers',
  text: 'TEXT',
  bytes: 'BYTES',
  timestamp: 'TIMESTAMP',
  json: 'JSON',
  mixed: 'TEXT or JSON',
  id: 'TEXT of an event id',
}
