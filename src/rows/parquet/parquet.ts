import { findPageCodec } from '../../codecs/parquet-pages.ts'
import { FormatError } from '../../errors.ts'
import { Budget } from '../../formats/budget.ts'
import { type ParquetFile, readFooter } from '../../formats/parquet/file.ts'
import type { FileMetaData, RowGroup } from '../../formats/parquet/metadata.ts'
import type { FindPageCodec } from '../../formats/parquet/pages/page-codec.ts'
import { type Node, type ParquetSchema, toSchema } from '../../formats/parquet/schema.ts'
import { nextTurn } from '../../runtime/next-turn.ts'
import type { Format, FormatInput } from '../format.ts'
import type { RowBatch } from '../reading.ts'
import type { Row } from '../row.ts'
import { chooseColumns, hasUnmarkedText } from './choose-columns.ts'
import { openGroup } from './group.ts'
import { openParquetFile } from './open-file.ts'
import { projectSchema } from './project.ts'
import { createPruning } from './prune.ts'
import { toParquetSummary } from './summary.ts'
import { findWrittenColumns, type WrittenColumns } from './written-columns.ts'

/**
 * Parquet files: columns as the file names them; integers, doubles and decimals exact, times as ISO text, text where
 * the file says so (JSON as its text, digit by digit) and bytes otherwise, within lists, maps and structs as well. They
 * are read page by page, here and there in the file: only the wanted columns, and from the first wanted row on, so
 * there need not be marks; row groups that cannot match are skipped. `raw` has no effect.
 */
export const parquetFormat: Format = {
  name: 'parquet',
  isResumable: false,
  async open(input) {
    const file = await openParquetFile(input)
    const metadata = await readFooter(file)
    const stored = toSchema(metadata.schema)
    const { wanted } = input
    const { projection } = wanted
    const projected = projection && projectSchema(stored, projection, wanted)
    const { schema } = projected ?? { schema: stored }
    const written = projected?.isSameNames === false ? undefined : findWrittenColumns(metadata, schema)
    const columns = chooseColumns(schema, projected ? { columns: projected.wanted } : wanted)
    const restore = written && ((row: Row) => written.toRow(row, columns.length))
    const mayMiss: WrittenColumns['mayMiss'] = (name, group) =>
      projected?.hasBounds(name) === false || written?.mayMiss(name, group) === true
    const options: ReadOptions = {
      file,
      metadata,
      columns: written?.toRead(columns) ?? columns,
      toRow: projected ? row => projected.toRow(restore?.(row) ?? row) : restore,
      isWanted: createPruning(wanted.where?.expression, schema, mayMiss),
      input,
    }
    return {
      serializer: 'parquet',
      columns: projected?.names ?? schema.columns.map(({ name }) => name),
      hasAllColumns: true,
      unfolded: toUnfolded(metadata, stored),
      parquet: toParquetSummary(metadata, stored),
      batches: readGroups(options),
    }
  },
}

/** A run of one value takes no bytes, so values count as well. */
const toUnfolded = ({ groups }: FileMetaData, { leaves }: ParquetSchema): number =>
  groups.reduce((sum, { rows, totalBytes }) => sum + Math.max(0, totalBytes, rows * leaves.length), 0)

type ReadOptions = {
  readonly file: ParquetFile
  readonly metadata: FileMetaData
  readonly columns: readonly Node[]
  /** Makes a row of what those columns have. @default it is a row */
  readonly toRow: ((row: Row) => Row) | undefined
  /** Whether a row group may have wanted rows. */
  readonly isWanted: (group: RowGroup) => boolean
  readonly input: FormatInput
}

/** Rows from the first wanted one to the last; after rows that were all skipped an empty batch says how many. */
async function* readGroups(options: ReadOptions): AsyncGenerator<RowBatch, void, undefined> {
  const { file, metadata, columns, toRow, isWanted, input } = options
  const { first: firstWanted = 0, last: lastWanted = Number.POSITIVE_INFINITY } = input.wanted
  const budget = new Budget('parquet', input.limits)
  const isUnmarkedText = hasUnmarkedText(metadata)
  const turn = createTurns()
  // Pages count in their own memory, windows included.
  const { windows } = input.unfolding
  const findCodec: FindPageCodec = name => findPageCodec(name, windows ? { windows } : {})
  let groupStart = 0
  let isFirst = true
  for (const [index, group] of metadata.groups.entries()) {
    const groupEnd = groupStart + group.rows
    if (!(group.rows >= 0 && Number.isSafeInteger(groupEnd))) {
      throw new FormatError('parquet', 0, `expected a number of rows, found ${group.rows} in row group ${index}`)
    }
    const end = Math.min(groupEnd, lastWanted + 1)
    const start = Math.max(groupStart, firstWanted)
    if (start < end && columns.length > 0) {
      isFirst = false
      if (isWanted(group)) {
        yield* openGroup(
          { file, group, index, columns, toRow, budget, findCodec, memory: input.memory, isUnmarkedText, turn },
          {
            groupStart,
            start,
            end,
          },
        )
      } else yield { rows: [], first: end }
    }
    groupStart = groupEnd
    if (groupStart > lastWanted) break
  }
  if (isFirst && groupStart > 0) yield { rows: [], first: Math.min(groupStart, firstWanted) }
}

/** How long rows are made before others have a turn, in ms. */
const turnMs = 10

const createTurns = (): (() => Promise<void> | undefined) => {
  let last = performance.now()
  return () => {
    if (performance.now() - last < turnMs) return undefined
    return nextTurn().then(() => {
      last = performance.now()
    })
  }
}
