import type { ByteSink } from './byte-sink.ts'

/** Values of a packed group; this many equal ones become a run. */
const groupSize = 8

/**
 * Writes values as runs and packed groups; see `hybrid.ts` for how they look.
 * @param width bits of a value, from 1 to 24
 */
export const writeHybrid = (
  values: Uint8Array | Int32Array,
  start: number,
  end: number,
  width: number,
  sink: ByteSink,
): void => {
  for (let at = start; at < end; ) {
    const value = values[at] as number
    let runEnd = at + 1
    while (runEnd < end && values[runEnd] === value) runEnd++
    if (runEnd - at >= groupSize || runEnd === end) {
      sink.varint((runEnd - at) * 2)
      for (let bits = 0; bits < width; bits += 8) sink.byte((value >>> bits) & 0xff)
      at = runEnd
      continue
    }
    let packedEnd = at + groupSize
    while (packedEnd < end && !isRun(values, packedEnd, end)) packedEnd += groupSize
    writePacked(values, at, packedEnd, end, width, sink)
    at = packedEnd
  }
}

const isRun = (values: Uint8Array | Int32Array, at: number, end: number): boolean => {
  if (at + groupSize > end) return false
  const value = values[at]
  for (let i = at + 1; i < at + groupSize; i++) if (values[i] !== value) return false
  return true
}

/** Whole groups; zeros follow the last value. */
const writePacked = (
  values: Uint8Array | Int32Array,
  start: number,
  packedEnd: number,
  end: number,
  width: number,
  sink: ByteSink,
): void => {
  const groups = (packedEnd - start) / groupSize
  sink.varint(groups * 2 + 1)
  sink.reserve(groups * width)
  const { bytes } = sink
  let { length } = sink
  let held = 0
  let bits = 0
  for (let i = start; i < packedEnd; i++) {
    held |= (i < end ? (values[i] as number) : 0) << bits
    for (bits += width; bits >= 8; bits -= 8) {
      bytes[length++] = held & 0xff
      held >>>= 8
    }
  }
  sink.length = length
}
