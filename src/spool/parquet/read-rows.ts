import { unzipSync, zstdDecompressSync } from 'node:zlib'
import { type AsyncBuffer, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { FormatError } from '../../errors.ts'
import { parseJson } from '../../formats/json.ts'
import { fromMembers, isObject, setMember, toMembers } from '../../formats/members.ts'
import { parseNumber, toDouble, toInteger, type Value } from '../../formats/number.ts'
import { kindsKey } from '../../formats/parquet/file-writer.ts'
import { isList, isStruct, type Kind, parseKind, type StructKind } from '../../formats/parquet/kind.ts'
import { extraColumn } from './event-schema.ts'

/** A row as the event that it was. */
export type FoundRow = { readonly eventName: Value; readonly payload: { [name: string]: Value } }

/**
 * The rows of a Parquet file as the collector writes them, a row group at a time: what stands in `_extra` is a member
 * of the payload again, what was null is none. Not for files of others, which could take any time and memory.
 * @throws FormatError
 */
export async function* readRows(bytes: Uint8Array): AsyncGenerator<FoundRow> {
  const file: AsyncBuffer = {
    byteLength: bytes.length,
    slice: async (start, end) => new Uint8Array(bytes.subarray(start, end)).buffer,
  }
  try {
    const metadata = await parquetMetadataAsync(file)
    const kinds = parseKind(
      JSON.parse(metadata.key_value_metadata?.find(({ key }) => key === kindsKey)?.value ?? 'null'),
    )
    if (!isStruct(kinds)) throw new TypeError('Cannot read the kinds of the columns')
    let rowStart = 0
    for (const { num_rows: count } of metadata.row_groups) {
      const rowEnd = rowStart + Number(count)
      const rows = await parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors, parsers, utf8: false })
      for (const row of rows) yield toRow(kinds, row)
      rowStart = rowEnd
    }
  } catch (cause) {
    if (cause instanceof FormatError) throw cause
    throw new FormatError('parquet', 0, 'expected a file as the collector writes it', { cause })
  }
}

const toRow = (kinds: StructKind, { eventName, ...columns }: Readonly<Record<string, unknown>>): FoundRow => {
  const row = toValue(kinds, columns)
  const { [extraColumn]: extra = null, ...payload } = isObject(row) ? row : {}
  if (isObject(extra)) {
    const { names, values } = toMembers(extra)
    for (const [i, name] of names.entries()) setMember(payload, name, values[i] ?? null)
  }
  return { eventName: toValue('text', eventName), payload }
}

/** A value of a column, by what the column holds; null where the library has none, or one of another type. */
const toValue = (kind: Kind, found: unknown): Value => {
  if (isList(kind)) return Array.isArray(found) ? found.map(element => toValue(kind.list, element)) : null
  if (isStruct(kind)) return toObject(kind, found)
  if (typeof found === 'bigint') return toInteger(found)
  if (typeof found === 'number') return toDouble(found)
  if (typeof found === 'boolean' || found instanceof Uint8Array) return found
  if (typeof found !== 'string') return null
  if (kind === 'json') return parseJson(found)
  return kind === 'digits' ? parseNumber(found) : found
}

const toObject = ({ struct }: StructKind, found: unknown): Value => {
  if (typeof found !== 'object' || found === null) return null
  const members: [string, Value][] = []
  for (const [name, member] of Object.entries(found)) {
    const kind = struct.get(name)
    const value = kind === undefined ? null : toValue(kind, member)
    if (value !== null) members.push([name, value])
  }
  return fromMembers(members)
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const parsers = {
  timestampFromMilliseconds: (ms: bigint) => ms,
  stringFromBytes: (bytes?: Uint8Array) => bytes && decoder.decode(bytes),
}

const compressors = {
  ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes),
  GZIP: (bytes: Uint8Array) => unzipSync(bytes),
}
