import type { AsyncBuffer, RowGroup } from 'hyparquet'
import { FormatError } from '../errors.ts'
import type { BudgetLimits } from '../formats/budget.ts'
import type { Format, FormatInput } from './format.ts'
import { chooseColumns, type ParquetColumns } from './parquet-columns.ts'
import { mayMatch } from './parquet-prune.ts'
import { createParquetWorkers, type OpenParquet, type ParquetReader } from './parquet-workers.ts'
import type { RowBatch, Wanted } from './reading.ts'

/** Largest file that is held in memory because a codec around it forbids to read it here and there. */
const maxWrappedBytes = 64 * 1024 * 1024

/** Most bytes that are read of one column at once. */
const maxSliceBytes = 256 * 1024 * 1024

/** Rows that are read at once of a file with an index of its pages. */
const stepRows = 10_000
/** Values that are read at once of others, where a step begins at the start of the row group again. */
const stepValues = 2_000_000

/**
 * Parquet files: columns as the file names them; 64-bit integers, doubles and decimals exact, times as ISO text, text
 * where the file says so (JSON as its text, digit by digit) and bytes otherwise. They are read row group by row group, here
 * and there in the file, in a thread of their own: only the wanted columns, and from the first wanted row on, so there
 * need not be marks; row groups that cannot have what is looked for are passed over. `raw` has no effect.
 */
export const createParquetFormat = (openParquet: OpenParquet = createParquetWorkers()): Format => ({
  name: 'parquet',
  isResumable: false,
  async open(input) {
    const file = await openFile(input)
    const reader = openParquet(file)
    try {
      const { wanted, limits } = input
      const { where } = wanted
      const { metadata, columns, summary: parquet } = await reader.metadata(where?.columns ?? [])
      const chosen = chooseColumns(metadata, columns, wanted)
      const isWanted = (group: RowGroup): boolean => where === undefined || mayMatch(where.expression, group, columns)
      const groups = metadata.row_groups
      const batches = readGroups(() => openParquet(file), { ...chosen, groups, isWanted, wanted, limits })
      return { serializer: 'parquet', columns: columns.map(({ name }) => name), parquet, batches }
    } finally {
      // Whoever opens a file may never take its rows, and then nobody would give the thread back.
      await reader.close()
    }
  },
})

type ReadOptions = ParquetColumns & {
  readonly groups: readonly RowGroup[]
  /** Whether a row group may have rows that are looked for. */
  readonly isWanted: (group: RowGroup) => boolean
  readonly wanted: Wanted
  readonly limits: BudgetLimits
}

/** Rows from the first wanted one to the last; behind rows that were all passed over an empty batch tells how many. */
async function* readGroups(
  open: () => ParquetReader,
  { names, convert, toGroup, groups, isWanted, wanted, limits }: ReadOptions,
): AsyncGenerator<RowBatch, void, undefined> {
  const { first: firstWanted = 0, last: lastWanted = Number.POSITIVE_INFINITY } = wanted
  const reader = open()
  try {
    let groupStart = 0
    let isFirst = true
    for (const [index, group] of groups.entries()) {
      const groupEnd = groupStart + Number(group.num_rows)
      if (!(groupEnd >= groupStart && Number.isSafeInteger(groupEnd))) {
        throw fault(0, `expected a number of rows, found ${group.num_rows}`)
      }
      const end = Math.min(groupEnd, lastWanted + 1)
      let start = Math.max(groupStart, firstWanted)
      if (start < end && !isWanted(group)) {
        yield { rows: [], first: end }
        isFirst = false
      } else if (start < end) {
        const metadata = toGroup(group)
        const hasIndex = metadata.row_groups[0]?.columns.every(column => column.offset_index_offset !== undefined)
        const step = hasIndex ? stepRows : Math.max(1, Math.floor(stepValues / names.length))
        for (; start < end; start += step) {
          let first = start
          const rows = { group: index, groupStart, start, end: Math.min(start + step, end) }
          for await (const found of reader.rows(metadata, rows, names, limits)) {
            yield { rows: found.map(row => ({ names, values: convert.map((toValue, i) => toValue(row[i])) })), first }
            isFirst = false
            first += found.length
          }
        }
      }
      groupStart = groupEnd
      if (groupStart > lastWanted) break
    }
    if (isFirst && groupStart > 0) yield { rows: [], first: Math.min(groupStart, firstWanted) }
  } finally {
    await reader.close()
  }
}

const openFile = async ({ queue, readRange: read, size }: FormatInput): Promise<AsyncBuffer> => {
  if (read) {
    await queue.close()
    return toAsyncBuffer(size, (start, end) => read(start, end - start))
  }
  if (await queue.ensure(maxWrappedBytes + 1)) {
    throw fault(
      0,
      `expected at most ${maxWrappedBytes} bytes in a compressed file: Parquet must be read here and there`,
    )
  }
  const whole = queue.take(queue.available)
  return toAsyncBuffer(whole.length, async (start, end) => whole.subarray(start, end))
}

/** The places come from the file itself, so they may be anywhere. */
const toAsyncBuffer = (byteLength: number, read: (start: number, end: number) => Promise<Uint8Array>): AsyncBuffer => ({
  byteLength,
  async slice(start, end = byteLength) {
    if (!(start >= 0 && start <= end && end <= byteLength)) {
      throw fault(start, `expected bytes within the ${byteLength} of the file, found ${start} to ${end}`)
    }
    if (end - start > maxSliceBytes) {
      throw fault(start, `expected a column of at most ${maxSliceBytes} bytes in a row group, found ${end - start}`)
    }
    const copy = new ArrayBuffer(end - start)
    new Uint8Array(copy).set(await read(start, end))
    return copy
  },
})

const fault = (at: number, message: string): FormatError => new FormatError('parquet', at, message)
