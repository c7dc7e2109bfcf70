/**
 * Levels of a page, which are always there as a whole: three ways to write them.
 *
 *     RLE          as runs (see hybrid.ts)
 *     BIT_PACKED   of older writers: values of the same width, most significant bit first
 *     nothing      where there is but one level
 */
import { FormatError } from '../../errors.ts'
import type { Cursor } from './cursor.ts'
import { HybridReader, toWidth } from './hybrid.ts'

/** Reads levels one after another. */
export type LevelReader = {
  read(out: Uint16Array, start: number, count: number): void
  /** Passes some, and returns how many of them are `wanted`. */
  count(count: number, wanted: number): number
}

/** Levels that are all 0. */
export const noLevels: LevelReader = {
  read: (out, start, count) => void out.fill(0, start, start + count),
  count: (count, wanted) => (wanted === 0 ? count : 0),
}

/** Levels from 0 to `max` as runs. */
export const createRunLevels = (cursor: Cursor, max: number): LevelReader =>
  max === 0 ? noLevels : new HybridReader(cursor, toWidth(max))

/** How many bytes packed levels take. */
export const toPackedBytes = (count: number, max: number): number => Math.ceil((count * toWidth(max)) / 8)

/** Levels from 0 to `max` in the older packing. */
export const createPackedLevels = (cursor: Cursor, max: number): LevelReader => {
  const width = toWidth(max)
  let bit = 0
  const next = (): number => {
    let value = 0
    for (let left = width; left > 0; left--, bit++) {
      const byte = cursor.bytes[cursor.at + (bit >>> 3)]
      if (byte === undefined) throw cursor.fault(1)
      value = (value << 1) | ((byte >> (7 - (bit & 7))) & 1)
    }
    return value
  }
  return {
    read: (out, start, count) => {
      for (let at = start; at < start + count; at++) out[at] = next()
    },
    count: (count, wanted) => {
      let found = 0
      for (let left = count; left > 0; left--) if (next() === wanted) found++
      return found
    },
  }
}

/** @throws FormatError a level above the one that the schema has: the row would be another one */
export const checkLevels = (levels: Uint16Array, start: number, end: number, max: number, base: number): void => {
  for (let at = start; at < end; at++) {
    if ((levels[at] as number) > max) {
      throw new FormatError(
        'parquet',
        base,
        `expected levels of at most ${max} in the page there, found ${levels[at]};`,
      )
    }
  }
}
