/**
 * Data pages (README of parquet-format):
 *
 *     v1   [ length:4 repetition levels ] [ length:4 definition levels ] values      compressed as a whole
 *     v2   repetition levels, definition levels, values                              only the values may be compressed
 *
 * Levels are there where the schema has more than one; packed ones of older writers have no length before them.
 */
import { Buffer } from 'node:buffer'
import { FormatError } from '../../../errors.ts'
import type { Cursor } from '../cursor.ts'
import { Cursor as LevelCursor } from '../cursor.ts'
import { createPackedLevels, createRunLevels, type LevelReader, noLevels, toPackedBytes } from '../levels.ts'
import { createValueReader, isWholeEncoding, type ValueReader, type ValuesOptions } from '../value-readers.ts'
import type { PageHeader } from './page-header.ts'
import type { MemoryPlace } from './page-memory.ts'

export type DataPage = {
  readonly repetitions: LevelReader
  readonly definitions: LevelReader
  readonly values: ValueReader
  /** Offset in the file, for errors. */
  readonly base: number
}

/** Most bytes of levels, and of values in an encoding that must be there as a whole. */
const maxWholeBytes = 256 * 1024 * 1024

/**
 * Begins a page of the first version.
 * @param options with a cursor at what it unfolds into
 * @param place where its levels count
 */
export const openDataPage = async (
  header: PageHeader,
  options: ValuesOptions,
  place: MemoryPlace,
): Promise<DataPage> => {
  const { leaf, cursor } = options
  const { values, repetitionEncoding, definitionEncoding } = header
  let held = 0
  const hold = (bytes: number): void => {
    held += bytes
    place.hold(held, cursor.base)
  }
  hold(0)
  const repetitions = await takeLevels(cursor, repetitionEncoding, values, leaf.maxRepetition, hold)
  const definitions = await takeLevels(cursor, definitionEncoding, values, leaf.maxDefinition, hold)
  return { repetitions, definitions, values: await openValues(header, options), base: cursor.base }
}

/**
 * Begins a page of the second version.
 * @param levels its first bytes, as many as its header says
 * @param options with a cursor at what the rest unfolds into
 */
export const openDataPageV2 = async (header: PageHeader, levels: Buffer, options: ValuesOptions): Promise<DataPage> => {
  const { leaf, cursor } = options
  const { base } = cursor
  const split = header.v2?.repetitionBytes ?? 0
  const repetitions = createRunLevels(new LevelCursor(levels.subarray(0, split), base), leaf.maxRepetition)
  const definitions = createRunLevels(new LevelCursor(levels.subarray(split), base), leaf.maxDefinition)
  return { repetitions, definitions, values: await openValues(header, options), base }
}

const openValues = async ({ encoding }: PageHeader, options: ValuesOptions): Promise<ValueReader> => {
  const { cursor } = options
  await waitFor(cursor, isWholeEncoding(encoding) ? maxWholeBytes + 1 : headBytes)
  if (isWholeEncoding(encoding) && cursor.left > maxWholeBytes) {
    throw new FormatError(
      'parquet',
      cursor.base,
      `expected at most ${maxWholeBytes} bytes of ${encoding} in the page there;`,
    )
  }
  // A page of nulls alone may have no values at all, not even the head that its encoding begins with.
  return cursor.left === 0 && !cursor.isOpen ? noValues(cursor) : createValueReader(encoding, options)
}

/** The beginning of any encoding: its widths and counts. */
const headBytes = 64

const noValues = (cursor: Cursor): ValueReader => ({
  read: () => {
    throw cursor.fault(1)
  },
  skip: () => {
    throw cursor.fault(1)
  },
  save: () => () => {},
})

const takeLevels = async (
  cursor: Cursor,
  encoding: string,
  count: number,
  max: number,
  hold: (bytes: number) => void,
): Promise<LevelReader> => {
  if (max === 0) return noLevels
  const isPacked = encoding === 'BIT_PACKED'
  if (!isPacked) await waitFor(cursor, 4)
  const length = isPacked ? toPackedBytes(count, max) : cursor.view.getUint32(cursor.take(4), true)
  if (length > maxWholeBytes) {
    throw new FormatError(
      'parquet',
      cursor.base,
      `expected at most ${maxWholeBytes} bytes of levels in the page there, found ${length};`,
    )
  }
  await waitFor(cursor, length)
  const start = cursor.take(length)
  const found = cursor.bytes.subarray(start, start + length)
  // Of a page that is there in part they stay when the rest is let go of.
  if (cursor.isOpen) hold(length)
  const levels = new LevelCursor(cursor.isOpen ? Buffer.from(found) : found, cursor.base)
  return isPacked ? createPackedLevels(levels, max) : createRunLevels(levels, max)
}

const waitFor = async (cursor: Cursor, count: number): Promise<void> => {
  while (cursor.left < count && cursor.isOpen) await cursor.grow()
}
