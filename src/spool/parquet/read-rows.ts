import { findPageCodec } from '../../codecs/parquet-pages.ts'
import { FormatError } from '../../errors.ts'
import { Budget } from '../../formats/budget.ts'
import { parseJson } from '../../formats/json.ts'
import { fromMembers, isObject, setMember, toMembers } from '../../formats/members.ts'
import { isNumber, parseNumber, type Value } from '../../formats/number.ts'
import { openColumns } from '../../formats/parquet/columns.ts'
import { readFooter, toParquetFile } from '../../formats/parquet/file.ts'
import { extraColumn, findKinds, isList, isStruct, type Kind, type StructKind } from '../../formats/parquet/kind.ts'
import { type LeafValues, toLeafValues } from '../../formats/parquet/leaf-values.ts'
import { fromMixed } from '../../formats/parquet/mixed.ts'
import { PageMemory } from '../../formats/parquet/pages/page-memory.ts'
import { type Leaf, toSchema } from '../../formats/parquet/schema.ts'
import { tableKey } from '../../formats/parquet/write/field-ids.ts'

/** A row as the event that it was. */
export type FoundRow = { readonly eventName: Value; readonly payload: { [name: string]: Value } }

/**
 * The rows of a Parquet file as the collector writes them, in pieces: members in `_extra` are returned to the payload,
 * and nulls are left out.
 * @throws FormatError
 */
export async function* readRows(bytes: Uint8Array): AsyncGenerator<FoundRow> {
  const file = toParquetFile(bytes.length, async (offset, length) => bytes.subarray(offset, offset + length))
  const budget = new Budget('parquet')
  try {
    const metadata = await readFooter(file)
    const kinds = findKinds(metadata.keyValues)
    if (!kinds) throw new TypeError('Cannot read the kinds of the columns')
    const { columns } = toSchema(metadata.schema)
    // Of tables, whose times are in µs.
    const perMs = metadata.keyValues.has(tableKey) ? 1_000 : 1
    const names = columns.map(({ name }) => name)
    for (const [index, group] of metadata.groups.entries()) {
      const memory = new PageMemory().open()
      const options = {
        file,
        group,
        index,
        columns,
        toValues,
        findCodec: findPageCodec,
        budget,
        memory,
        turn: () => undefined,
      }
      const opened = await openColumns(options)
      for (let left = group.rows; left > 0; ) {
        const some = Math.min(await opened.fill(), left)
        for (let row = 0; row < some; row++) {
          budget.refill()
          const values = opened.next()
          yield toRow({ kinds, perMs }, fromMembers(names.map((name, i) => [name, values[i] ?? null])))
        }
        opened.took(some)
        left -= some
      }
    }
  } catch (cause) {
    if (cause instanceof FormatError) throw cause
    throw new FormatError('parquet', 0, 'expected a file as the collector writes it', { cause })
  }
}

/** Times are the integers that were sent. */
const toValues = (leaf: Leaf): LeafValues =>
  toLeafValues(leaf.logical?.kind === 'TIMESTAMP' ? { ...leaf, logical: undefined } : leaf, false)

/** What a file has: its columns, and units of its times in a ms. */
type RowForm = { readonly kinds: StructKind; readonly perMs: number }

const toRow = (
  { kinds, perMs }: RowForm,
  { eventName = null, ...columns }: { readonly [name: string]: Value },
): FoundRow => {
  const row = toValue(kinds, columns, perMs)
  const { [extraColumn]: extra = null, ...payload } = isObject(row) ? row : {}
  if (isObject(extra)) {
    const { names, values } = toMembers(extra)
    for (const [i, name] of names.entries()) setMember(payload, name, values[i] ?? null)
  }
  return { eventName: toValue('text', eventName, perMs), payload }
}

/** A value of a column, by the column's type; null without a value, or for one of another type. */
const toValue = (kind: Kind, found: Value, perMs: number): Value => {
  if (isList(kind)) return Array.isArray(found) ? found.map(element => toValue(kind.list, element, perMs)) : null
  if (isStruct(kind)) return toObject(kind, found, perMs)
  // The sender's member of that name is in `_extra`.
  if (kind === 'id') return null
  if (kind === 'timestamp' && (typeof found === 'number' || typeof found === 'bigint')) return Number(found) / perMs
  if (isNumber(found) || typeof found === 'boolean' || found instanceof Uint8Array) return found
  if (typeof found !== 'string') return null
  if (kind === 'json') return parseJson(found)
  if (kind === 'mixed') return fromMixed(found)
  return kind === 'digits' ? parseNumber(found) : found
}

const toObject = ({ struct }: StructKind, found: Value, perMs: number): Value => {
  if (!isObject(found)) return null
  const members: [string, Value][] = []
  const { names, values } = toMembers(found)
  for (const [i, name] of names.entries()) {
    const kind = struct.get(name)
    const value = kind === undefined ? null : toValue(kind, values[i] ?? null, perMs)
    if (value !== null) members.push([name, value])
  }
  return fromMembers(members)
}
