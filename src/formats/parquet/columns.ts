/** The columns of a row group, from their pages to values of rows. */
import { FormatError } from '../../errors.ts'
import type { Budget } from '../budget.ts'
import type { Value } from '../number.ts'
import { createColumn, type LeafReaders } from './assemble.ts'
import type { ColumnChunk } from './chunk-metadata.ts'
import type { ParquetFile } from './file.ts'
import { LeafReader } from './leaf-reader.ts'
import type { LeafValues } from './leaf-values.ts'
import type { RowGroup } from './metadata.ts'
import type { FindPageCodec } from './pages/page-codec.ts'
import type { FileMemory } from './pages/page-memory.ts'
import { createPageReader } from './pages/pages.ts'
import { readAhead } from './read-ahead.ts'
import type { Leaf, Node } from './schema.ts'

export type ColumnsOptions = {
  readonly file: ParquetFile
  readonly group: RowGroup
  /** Number of the group, for errors. */
  readonly index: number
  readonly columns: readonly Node[]
  /** What the encoded values of a leaf are. */
  readonly toValues: (leaf: Leaf) => LeafValues
  readonly findCodec: FindPageCodec
  /** Refilled by the caller for each row. */
  readonly budget: Budget
  readonly memory: FileMemory
  /** Lets others have a turn, now and then. */
  readonly turn: () => Promise<void> | undefined
}

/** Columns of a row group, read row by row. */
export type GroupColumns = {
  /** Skips rows. @throws FormatError the group ends before */
  skip(rows: number): Promise<void>
  /** Waits until there are rows; returns how many are at hand, at least one. @throws FormatError; LimitError */
  fill(): Promise<number>
  /** Makes the next row that is at hand: a value for each column. @throws FormatError; LimitError */
  next(): Value[]
  /** Says that this many rows were made since they were last filled. */
  took(rows: number): void
}

/** Opens columns of a row group at its first row. @throws FormatError a column that is not there, or cannot be read */
export const openColumns = async (options: ColumnsOptions): Promise<GroupColumns> => {
  const { columns, budget } = options
  const readers = await openLeaves(options)
  const leaves = [...readers.values()]
  const assemble = columns.map(column => createColumn(column, readers, budget))
  return {
    skip: rows => inParallel(leaves, leaf => leaf.skip(rows)),
    fill: () => fillLeaves(leaves),
    next: () => {
      const values: Value[] = []
      for (const make of assemble) values.push(make())
      return values
    },
    took: rows => {
      for (const leaf of leaves) leaf.rows -= rows
    },
  }
}

/** Waits until all leaves have rows; returns how many are at hand, at least one. @throws FormatError; LimitError */
export const fillLeaves = async (leaves: readonly LeafReader[]): Promise<number> => {
  await inParallel(
    leaves.filter(({ rows }) => rows === 0),
    leaf => leaf.fill(),
  )
  return leaves.reduce((least, { rows }) => Math.min(least, rows), Number.POSITIVE_INFINITY)
}

/** Bytes that are read at once of all chunks together, and of one at least and at most. */
const allWindowBytes = 8 * 1024 * 1024
const leastWindowBytes = 4 * 1024
const mostWindowBytes = 1024 * 1024
/** The same of pages that are kept as a whole, */
const allDirectBytes = 16 * 1024 * 1024
const mostDirectBytes = 256 * 1024
/** and of what is kept of others. */
const allPieceBytes = 32 * 1024 * 1024
const mostPieceBytes = 1024 * 1024
/** Levels that are read at once of all leaves together, and of one at least and at most. */
const allStepLevels = 64 * 1024
const leastStepLevels = 64
const mostStepLevels = 1_024

/** Opens the leaves of columns at the first row of a row group. @throws FormatError a column that is not there, or cannot be read */
export const openLeaves = async (options: ColumnsOptions): Promise<LeafReaders> => {
  const { file, group, index, columns, toValues, findCodec, budget, memory, turn } = options
  const chunks = group.chunks()
  const wanted = columns.flatMap(column => toLeaves(column).map(leaf => ({ leaf, name: column.name })))
  const found = wanted.map(({ leaf, name }) => ({ leaf, name, chunk: toChunk(chunks[leaf.index], name, index) }))
  const near = await readAhead(
    file,
    found.map(({ chunk }) => chunk.meta),
  )
  const share = (all: number, least: number, most: number): number =>
    Math.max(least, Math.min(most, Math.floor(all / found.length)))
  const windowBytes = share(allWindowBytes, leastWindowBytes, mostWindowBytes)
  const directBytes = share(allDirectBytes, leastWindowBytes, mostDirectBytes)
  const pieceBytes = share(allPieceBytes, leastWindowBytes, mostPieceBytes)
  const stepLevels = share(allStepLevels, leastStepLevels, mostStepLevels)
  return new Map(
    found.map(({ leaf, name, chunk }) => {
      const { bytes: limit } = budget.limits
      const pages = createPageReader({
        file: near,
        leaf,
        values: toValues(leaf),
        chunk,
        findCodec,
        limit,
        windowBytes,
        directBytes,
        pieceBytes,
        memory,
      })
      return [leaf.index, new LeafReader(leaf, pages, { name, budget, place: memory.place(), stepLevels, turn })]
    }),
  )
}

const toLeaves = (node: Node): readonly Leaf[] => {
  switch (node.kind) {
    case 'leaf':
      return [node.leaf]
    case 'list':
      return toLeaves(node.item)
    case 'map':
      return [...toLeaves(node.key), ...toLeaves(node.value)]
    default:
      return node.children.flatMap(toLeaves)
  }
}

const toChunk = (chunk: ColumnChunk | undefined, name: string, group: number) => {
  const what = `column "${name}" of row group ${group}`
  if (chunk === undefined) throw fault(`expected ${what}, found none`)
  const { meta, filePath, isEncrypted } = chunk
  if (isEncrypted) throw fault(`expected ${what} in plain, found it encrypted`)
  if (filePath !== undefined && filePath !== '') throw fault(`expected ${what} in this file, found it in another one`)
  if (meta === undefined) throw fault(`expected metadata of ${what}, found none`)
  return { ...chunk, meta }
}

/** Concurrent reads: data nodes and disks are asked in parallel, but not for everything. */
const maxParallel = 8

const inParallel = async <T>(all: readonly T[], step: (one: T) => Promise<void>): Promise<void> => {
  if (all.length === 0) return
  const rest = all.values()
  const work = async (): Promise<void> => {
    for (const one of rest) await step(one)
  }
  const results = await Promise.allSettled(Array.from({ length: Math.min(maxParallel, all.length) }, work))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

const fault = (message: string): FormatError => new FormatError('parquet', 0, message)
