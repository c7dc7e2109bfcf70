import { randomUUID } from 'node:crypto'
import { unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { queryDuckDb, type Row } from './duckdb.ts'
import { parseExactJson } from './exact-json.ts'
import type { FoundEvent } from './found-event.ts'

/**
 * A `.parquet` file, read by DuckDB. Members outside of columns are put back from `_extra`, and `field_1` is called 1,
 * as in files of Thrift. Columns and members of structs that are null are left out: a file does not say whether they
 * existed.
 */
export const readParquet = async (
  bytes: Uint8Array,
  columnKinds: ColumnKinds = new Map(),
): Promise<readonly FoundEvent[]> => {
  // DuckDB reads by path.
  const file = join(tmpdir(), `sluice-${randomUUID()}.parquet`)
  await writeFile(file, bytes)
  try {
    const schema = await queryDuckDb(`SELECT name, num_children, type, converted_type FROM parquet_schema('${file}')`)
    const [metadata] = await queryDuckDb(
      `SELECT decode(value) FROM parquet_kv_metadata('${file}') WHERE decode(key) = 'sluice.columns'`,
    )
    const kinds = JSON.parse(String(metadata?.[0])) as StructKind
    const rows = await queryDuckDb(`SELECT * FROM read_parquet('${file}', hive_partitioning = false)`)
    const events = rows.map(row => toEvent(kinds, row))
    checkKinds(events[0]?.name ?? '', toNode(schema).columns, columnKinds)
    return events
  } finally {
    await unlink(file)
  }
}

/** What the columns of event types are, by their paths; all files of a type have to agree. */
export type ColumnKinds = Map<string, string>

const checkKinds = (path: string, columns: readonly Node[], kinds: ColumnKinds): void => {
  for (const column of columns) {
    const name = `${path}.${column.name}`
    const known = kinds.get(name) ?? column.kind
    if (known !== column.kind) throw new Error(`Column ${name} is ${column.kind} here, and ${known} in another file`)
    kinds.set(name, column.kind)
    checkKinds(name, column.columns, kinds)
  }
}

/** A node of a file's schema. */
type Node = {
  readonly name: string
  /** `INT64`, `BYTE_ARRAY UTF8`; of a group `LIST` or nothing. */
  readonly kind: string
  readonly columns: readonly Node[]
}

/** The tree of a schema, whose nodes precede their children. */
const toNode = (rows: readonly Row[]): Node => {
  let next = 0
  const read = (): Node => {
    const [name, children, ...kind] = rows[next++] ?? []
    return {
      name: String(name),
      kind: kind.filter(word => typeof word === 'string').join(' '),
      columns: Array.from({ length: Number(children ?? 0) }, read),
    }
  }
  return read()
}

/** What columns hold, as the file says beside its schema: JSON and long numbers are text for Parquet. */
type Kind = string | { readonly list: Kind } | StructKind
type StructKind = { readonly struct: readonly (readonly [name: string, kind: Kind])[] }

const toEvent = ({ struct }: StructKind, row: Row): FoundEvent => {
  const named = struct.map(([column, kind], index) => [column, toValue(kind, row[index] ?? null)] as const)
  const values = new Map<string, unknown>(named.filter(([, value]) => value !== null))
  const name = String(values.get('eventName'))
  const extra = Object.entries(values.get('_extra') ?? {})
  values.delete('eventName')
  values.delete('_extra')
  for (const [member, value] of extra) values.set(member, value)
  return { name, fields: [...values].map(([field, value]) => [field.replace(/^field_(?=\d+$)/, ''), value]) }
}

/** What DuckDB has classes for. */
type Wrapped =
  | { readonly micros: bigint }
  | { readonly bytes: Uint8Array }
  | { readonly items: Row }
  | { readonly entries: Readonly<Record<string, unknown>> }

const toValue = (kind: Kind, value: unknown): unknown => {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (typeof value === 'string' && (kind === 'json' || kind === 'digits')) return parseExactJson(value)
  if (typeof value !== 'object' || value === null) return value
  const wrapped = value as Wrapped
  if ('micros' in wrapped) return Number(wrapped.micros) / 1_000
  if ('bytes' in wrapped) return wrapped.bytes
  if (typeof kind === 'string') throw new Error(`A column of ${kind} has nested values`)
  if ('list' in kind && 'items' in wrapped) return wrapped.items.map(item => toValue(kind.list, item))
  if ('list' in kind || !('entries' in wrapped)) throw new Error(`A column is not of ${JSON.stringify(kind)}`)
  const { entries } = wrapped
  const members = kind.struct.map(([name, member]) => [name, toValue(member, entries[name] ?? null)] as const)
  return Object.fromEntries(members.filter(([, member]) => member !== null))
}
