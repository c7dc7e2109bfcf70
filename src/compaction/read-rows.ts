import { findPageCodec } from '../codecs/parquet-pages.ts'
import { FormatError } from '../errors.ts'
import { Budget } from '../formats/budget.ts'
import type { Value } from '../formats/number.ts'
import { type ColumnsOptions, fillLeaves, openLeaves } from '../formats/parquet/columns.ts'
import { eventIdText } from '../formats/parquet/kind.ts'
import type { LeafValues } from '../formats/parquet/leaf-values.ts'
import type { RowGroup } from '../formats/parquet/metadata.ts'
import { PageMemory } from '../formats/parquet/pages/page-memory.ts'
import { matchColumns } from '../formats/parquet/rewrite/match-columns.ts'
import { noValues } from '../formats/parquet/rewrite/raw-values.ts'
import { createWriteRow, type RowRecordsOptions } from '../formats/parquet/rewrite/row-records.ts'
import type { TargetLayout, TargetLeaf } from '../formats/parquet/rewrite/target.ts'
import { type Leaf, toSchema } from '../formats/parquet/schema.ts'
import type { ByteSink } from '../formats/parquet/write/byte-sink.ts'
import type { RowSorter } from './row-sorter.ts'
import type { SourceFile } from './source-files.ts'

export type RowTarget = {
  readonly layout: TargetLayout
  /** The leaf that rows are sorted by: times in µs, */
  readonly sortedBy: TargetLeaf
  /** all of this hour since the epoch. */
  readonly hour: number
  /** The leaf with the ids of events; undefined where there is none. */
  readonly identifiedBy: TargetLeaf | undefined
  /** Names of columns by their ids, for files without ids. */
  readonly names: ReadonlyMap<number, readonly string[]>
}

/** Pages of one file, which may hold half of it. */
const pageBytes = { max: 96 * 1024 * 1024 }

/** The largest row. */
export const rowLimits = { of: 'row', values: { max: 10_000_000 }, bytes: { max: 32 * 1024 * 1024 } }

/** What is wanted of a file. */
type WantedRows = {
  /** Puts something else into the sink in place of a row, by its number in the file; nothing of what stands for rows of another file. */
  readonly instead?: Instead
  readonly isWanted: (group: RowGroup) => boolean
}

export type Instead = (sink: ByteSink, position: number) => void

const wholeFile: WantedRows = { isWanted: () => true }

/**
 * Puts rows of a file into a sorter.
 * @param onRows called now and then with how many rows more
 * @throws FormatError, LimitError. Rejects with `FileSystemError`
 */
export const readRowsInto = async (
  sorter: RowSorter,
  source: SourceFile,
  { layout, sortedBy, identifiedBy, hour, names }: RowTarget,
  onRows: (rows: number) => void,
  { instead, isWanted }: WantedRows = wholeFile,
): Promise<void> => {
  const { columns, sources } = matchColumns(toSchema(source.footer.schema), layout, names)
  const noted: RowRecordsOptions['noted'] = identifiedBy && { leaf: identifiedBy, value: undefined }
  const { sink } = sorter
  const addRow = (time: number, start: number, position: number): Promise<void> | undefined => {
    if (Math.floor(time / usPerHour) !== hour) throw ofOtherHour(sortedBy, time)
    if (instead) {
      sink.length = start
      instead(sink, position)
    }
    sorter.end(time, noted && toId(noted.value))
    return sorter.makeRoom()
  }
  await readRowRecords(
    source,
    { leaves: layout.leaves, columns, sources, sortedBy, noted },
    { sink, addRow, onRows, isWanted },
  )
}

/** The leaves of a file that are read, and where its values are. */
type WantedLeaves = Omit<RowRecordsOptions, 'readers'> & Pick<ColumnsOptions, 'columns'>

type RecordTaker = Pick<WantedRows, 'isWanted'> & {
  /** Where rows are put, one after another. */
  readonly sink: ByteSink
  /** @param start where it begins there @param position its number in the file @returns what is to be waited for */
  readonly addRow: (key: number, start: number, position: number) => Promise<void> | undefined
  readonly onRows: (rows: number) => void
}

/**
 * Reads rows of a file as records.
 * @throws FormatError, LimitError, and what `addRow` throws. Rejects with `FileSystemError`
 */
export const readRowRecords = async (
  { file, footer }: SourceFile,
  { columns, ...leafOptions }: WantedLeaves,
  { sink, addRow, onRows, isWanted }: RecordTaker,
): Promise<void> => {
  const { sources } = leafOptions
  const wanted = new Map<number, LeafValues>()
  for (const source of sources) if (source?.values) wanted.set(source.index, source.values)
  const toValues = (leaf: Leaf): LeafValues => wanted.get(leaf.index) ?? noValues(leaf)
  const budget = new Budget('parquet', rowLimits)
  let end = 0
  for (const [index, group] of footer.groups.entries()) {
    let position = end
    end += group.rows
    if (group.rows === 0 || !isWanted(group)) continue
    const memory = new PageMemory(pageBytes).open()
    const readers = await openLeaves({
      file,
      group,
      index,
      columns,
      toValues,
      findCodec: findPageCodec,
      budget,
      memory,
      turn: () => undefined,
    })
    const leaves = [...readers.values()]
    const writeRow = createWriteRow({ ...leafOptions, readers })
    for (let left = group.rows; left > 0; ) {
      budget.refill()
      const some = Math.min(await fillLeaves(leaves), left)
      for (let row = 0; row < some; row++) {
        const start = sink.length
        const room = addRow(writeRow(sink), start, position++)
        if (room) await room
      }
      for (const leaf of leaves) leaf.rows -= some
      left -= some
      onRows(some)
    }
    memory.close()
  }
}

/** A text that is no id of the collector's is of another writer: that row repeats none. */
const toId = (value: Value | undefined): string | undefined =>
  typeof value === 'string' && eventIdText.test(value) ? value : undefined

const usPerHour = 3_600_000_000

const ofOtherHour = ({ path }: TargetLeaf, time: number): FormatError =>
  new FormatError('parquet', 0, `expected ${path.join('.')} within the hour of the file, found ${time} µs since 1970`)
