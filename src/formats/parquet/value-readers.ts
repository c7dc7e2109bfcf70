/**
 * Encodings of values (Encodings.md), each read a few at a time:
 *
 *     PLAIN                     values one after another; byte arrays after a length:4; booleans a bit each
 *     BYTE_STREAM_SPLIT         first the first bytes of all values, then the second ones …
 *     DELTA_BINARY_PACKED       see delta-integers.ts
 *     DELTA_LENGTH_BYTE_ARRAY   lengths as such integers, then the bytes of all values
 *     DELTA_BYTE_ARRAY          lengths that are shared with the value before, as such integers; then the rest of each
 *     RLE_DICTIONARY            width:1, then indexes as runs (hybrid.ts); PLAIN_DICTIONARY is the same
 *     RLE                       of booleans: length:4, then runs
 */
import { Buffer } from 'node:buffer'
import { FormatError, LimitError } from '../../errors.ts'
import type { Limit } from '../budget.ts'
import type { Value } from '../number.ts'
import { Cursor } from './cursor.ts'
import { DeltaReader } from './delta-integers.ts'
import { HybridReader } from './hybrid.ts'
import type { LeafValues } from './leaf-values.ts'
import type { Leaf } from './schema.ts'

/** Reads the values of a page that are not null, in order. Both ways throw NeedsMore, and FormatError at damage. */
export type ValueReader = {
  /** Appends at least one and at most `count` values, fewer when they are large; returns how many. */
  read(out: Value[], count: number): number
  /** Goes over at least one and at most `count` values; returns how many. */
  skip(count: number): number
  /** Remembers where it is, and returns what takes it back there. */
  save(): () => void
}

/** Values of a dictionary, made when they are asked for. */
export type Dictionary = { readonly get: (index: number) => Value }

export type ValuesOptions = {
  readonly leaf: Leaf
  readonly values: LeafValues
  readonly cursor: Cursor
  readonly dictionary: Dictionary | undefined
  /** Of the bytes of a row. */
  readonly limit: Limit
}

/** Encodings whose bytes must be there as a whole. */
export const isWholeEncoding = (encoding: string): boolean =>
  encoding === 'BYTE_STREAM_SPLIT' || encoding === 'DELTA_LENGTH_BYTE_ARRAY' || encoding === 'DELTA_BYTE_ARRAY'

/** @throws FormatError an encoding that is unknown, or not one of that type */
export const createValueReader = (encoding: string, options: ValuesOptions): ValueReader => {
  const { leaf, cursor, values } = options
  const { type } = leaf.element
  const isBytes = type === 'BYTE_ARRAY' || type === 'FIXED_LEN_BYTE_ARRAY'
  switch (encoding) {
    case 'PLAIN':
      return createPlainReader(options)
    case 'PLAIN_DICTIONARY':
    case 'RLE_DICTIONARY':
      return createIndexReader(options)
    case 'RLE':
      if (type === 'BOOLEAN') return createRunBooleans(cursor)
      break
    case 'DELTA_BINARY_PACKED':
      if (type === 'INT32' || type === 'INT64') return createDeltaIntegers(cursor, type === 'INT32' ? 32 : 64, values)
      break
    case 'DELTA_LENGTH_BYTE_ARRAY':
      if (isBytes) return createDeltaBytes(options, () => 0)
      break
    case 'DELTA_BYTE_ARRAY':
      if (isBytes) return createSharedBytes(options)
      break
    case 'BYTE_STREAM_SPLIT':
      if (values.width !== undefined) return createSplitReader(cursor, values, values.width)
      break
  }
  throw new FormatError(
    'parquet',
    cursor.base,
    `expected an encoding of ${type} that is known, found ${encoding} in the page there;`,
  )
}

/** Plain values of a page, one after another, as in a dictionary. */
export const createPlainReader = (options: ValuesOptions): ValueReader => {
  const { leaf, cursor, values } = options
  if (leaf.element.type === 'BOOLEAN') return createBits(cursor)
  if (values.width === undefined) return createByteArrays(options)
  return createFixed(options, values.width)
}

/** Bytes of values after which a reader takes no more at once. */
const enoughBytes = 512 * 1024

const createFixed = ({ cursor, values, limit }: ValuesOptions, width: number): ValueReader => {
  const { fromBytes } = values
  if (!(width >= 0 && width <= limit.max)) throw tooLarge(cursor, width, limit)
  const most = width === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(enoughBytes / width))
  /** How many of `count` are at hand. */
  const atHand = (count: number): number => {
    const some = width === 0 ? count : Math.min(count, Math.floor(cursor.left / width))
    if (some === 0) cursor.need(width)
    return some
  }
  return {
    read: (out, count) => {
      const some = atHand(Math.min(count, most))
      const { bytes, view } = cursor
      let at = cursor.take(some * width)
      for (let left = some; left > 0; left--, at += width) out.push(fromBytes(bytes, view, at, at + width))
      return some
    },
    skip: count => {
      const some = atHand(count)
      cursor.take(some * width)
      return some
    },
    save: () => saveCursor(cursor),
  }
}

const createByteArrays = ({ cursor, values, limit }: ValuesOptions): ValueReader => {
  const { fromBytes } = values
  /** Goes over values while they are here. */
  const each = (count: number, visit: ((start: number, end: number) => void) | undefined): number => {
    const { view, bytes } = cursor
    let at = cursor.at
    let done = 0
    for (const enough = at + enoughBytes; done < count && at < enough; done++) {
      const left = bytes.length - at - 4
      const length = left < 0 ? 0 : view.getUint32(at, true)
      if (length > left) {
        cursor.at = at
        if (done > 0) return done
        if (visit && length > limit.max) throw tooLarge(cursor, length, limit)
        cursor.need(4 + length)
      }
      if (visit && length > limit.max) {
        if (done > 0) break
        throw tooLarge(cursor, length, limit)
      }
      visit?.(at + 4, at + 4 + length)
      at += 4 + length
    }
    cursor.at = at
    return done
  }
  return {
    read: (out, count) => each(count, (start, end) => out.push(fromBytes(cursor.bytes, cursor.view, start, end))),
    skip: count => each(count, undefined),
    save: () => saveCursor(cursor),
  }
}

const createBits = (cursor: Cursor): ValueReader => {
  let bit = 0
  const step = (count: number, out?: Value[]): number => {
    const some = Math.min(count, cursor.left * 8 - bit)
    if (some <= 0) cursor.need(1)
    const { bytes, at } = cursor
    if (out) for (let i = bit; i < bit + some; i++) out.push((((bytes[at + (i >>> 3)] as number) >> (i & 7)) & 1) === 1)
    cursor.at = at + Math.floor((bit + some) / 8)
    bit = (bit + some) % 8
    return some
  }
  return {
    read: (out, count) => step(count, out),
    skip: count => step(count),
    save: () => {
      const [back, before] = [saveCursor(cursor), bit]
      return () => {
        back()
        bit = before
      }
    },
  }
}

const createRunBooleans = (cursor: Cursor): ValueReader => {
  cursor.take(4)
  return createIndexed(cursor, 1, index => index !== 0)
}

const createIndexReader = ({ cursor, dictionary }: ValuesOptions): ValueReader => {
  if (dictionary === undefined)
    throw new FormatError('parquet', cursor.base, 'expected a dictionary before the page there;')
  // Without values there need not even be a width.
  const width = cursor.left > 0 || cursor.isOpen ? (cursor.bytes[cursor.take(1)] as number) : 0
  return createIndexed(cursor, width, dictionary.get)
}

const maxIndexes = 1_024

const createIndexed = (cursor: Cursor, width: number, get: (index: number) => Value): ValueReader => {
  const runs = new HybridReader(cursor, width)
  const indexes = new Int32Array(maxIndexes)
  return {
    read: (out, count) => {
      const some = Math.min(count, maxIndexes)
      runs.read(indexes, 0, some)
      for (let i = 0; i < some; i++) out.push(get(indexes[i] as number))
      return some
    },
    skip: count => {
      runs.count(count, 0)
      return count
    },
    save: () => {
      const [back, state] = [saveCursor(cursor), runs.save()]
      return () => {
        back()
        runs.restore(state)
      }
    },
  }
}

/** Values that are made one by one, with nothing that could be skipped. */
const maxSteps = 4_096

const createDeltaIntegers = (cursor: Cursor, bits: 32 | 64, { fromInteger }: LeafValues): ValueReader => {
  const integers = new DeltaReader(cursor, bits)
  return {
    read: (out, count) => {
      for (let left = count; left > 0; left--) out.push(fromInteger(integers.next()))
      return count
    },
    skip: count => {
      const some = Math.min(count, maxSteps)
      for (let left = some; left > 0; left--) integers.next()
      return some
    },
    save: () => {
      const [back, restore] = [saveCursor(cursor), integers.save()]
      return () => {
        back()
        restore()
      }
    },
  }
}

const createSharedBytes = (options: ValuesOptions): ValueReader => {
  const { cursor } = options
  const shared = new DeltaReader(new Cursor(cursor.bytes, cursor.base, cursor.at), 32)
  new DeltaReader(cursor, 32).skipToEnd()
  return createDeltaBytes(options, () => Number(shared.next()))
}

/** @param nextShared how many bytes of the value before the next one begins with */
const createDeltaBytes = ({ cursor, values, limit }: ValuesOptions, nextShared: () => number): ValueReader => {
  const lengths = new DeltaReader(new Cursor(cursor.bytes, cursor.base, cursor.at), 32)
  new DeltaReader(cursor, 32).skipToEnd()
  let value = Buffer.alloc(256)
  let view = new DataView(value.buffer, value.byteOffset, value.length)
  let length = 0
  const next = (): void => {
    const [shared, rest] = [nextShared(), Number(lengths.next())]
    if (!(shared >= 0 && shared <= length && rest >= 0)) {
      throw new FormatError(
        'parquet',
        cursor.base,
        `expected a value that begins as the one before, in the page there;`,
      )
    }
    if (shared + rest > limit.max) throw tooLarge(cursor, shared + rest, limit)
    const start = cursor.take(rest)
    if (shared + rest > value.length) {
      const wider = Buffer.alloc(2 * (shared + rest))
      value.copy(wider, 0, 0, shared)
      value = wider
      view = new DataView(value.buffer, value.byteOffset, value.length)
    }
    cursor.bytes.copy(value, shared, start, start + rest)
    length = shared + rest
  }
  return {
    read: (out, count) => {
      let done = 0
      for (let bytes = 0; done < count && bytes < enoughBytes; done++, bytes += length) {
        next()
        out.push(values.fromBytes(value, view, 0, length))
      }
      return done
    },
    skip: count => {
      const some = Math.min(count, maxSteps)
      for (let left = some; left > 0; left--) next()
      return some
    },
    save: keepWhole,
  }
}

const createSplitReader = (cursor: Cursor, { fromBytes }: LeafValues, width: number): ValueReader => {
  const { bytes } = cursor
  const start = cursor.at
  const count = width === 0 ? 0 : Math.floor((bytes.length - start) / width)
  const value = Buffer.alloc(width)
  const view = new DataView(value.buffer, value.byteOffset, width)
  let at = 0
  const check = (some: number): void => {
    if (some > count - at) throw cursor.fault((some - count + at) * width)
  }
  return {
    read: (out, wanted) => {
      check(wanted)
      for (let left = wanted; left > 0; left--, at++) {
        for (let i = 0; i < width; i++) value[i] = bytes[start + i * count + at] as number
        out.push(fromBytes(value, view, 0, width))
      }
      return wanted
    },
    skip: wanted => {
      check(wanted)
      at += wanted
      return wanted
    },
    save: keepWhole,
  }
}

/** What is there as a whole never needs more. */
const keepWhole = (): (() => void) => () => {}

const saveCursor = (cursor: Cursor): (() => void) => {
  const { at } = cursor
  return () => {
    cursor.at = at
  }
}

const tooLarge = (cursor: Cursor, length: number, { max, setting }: Limit): LimitError => {
  const source = setting === undefined ? '' : ` (${setting})`
  return new LimitError(
    'parquet',
    cursor.base,
    `expected a value of at most ${max} bytes${source} in the page there, found ${length};`,
  )
}
