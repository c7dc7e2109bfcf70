import { crc32 } from 'node:zlib'
import { release } from '../../../bytes/slabs.ts'

/** Some bytes of a file that follow one another. They are there until the next part is asked for. */
export type FilePart = {
  readonly bytes: Buffer<ArrayBuffer>
  /** CRC-32 of them. */
  readonly crc: number
  /** CRC-32 of the file up to their end. */
  readonly crcSoFar: number
  /** Bytes of the file up to their end. */
  readonly lengthSoFar: number
  readonly isLast: boolean
}

const firstBytes = 64 * 1024

/**
 * Cuts a source into parts of `partBytes`, the last one of fewer, in one piece of memory that grows up to that: never none,
 * and of several none is empty.
 */
export async function* toParts(
  source: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<FilePart, void, undefined> {
  let memory = Buffer.allocUnsafeSlow(Math.min(firstBytes, partBytes))
  let filled = 0
  let [crc, crcSoFar, lengthSoFar] = [0, 0, 0]
  const toPart = (isLast: boolean): FilePart => {
    const part = { bytes: memory.subarray(0, filled), crc, crcSoFar, lengthSoFar, isLast }
    filled = 0
    crc = 0
    return part
  }
  const grow = (wanted: number): void => {
    if (wanted <= memory.length || memory.length === partBytes) return
    const larger = Buffer.allocUnsafeSlow(Math.min(partBytes, Math.max(wanted, memory.length * 4)))
    memory.copy(larger, 0, 0, filled)
    memory = larger
  }
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; ) {
      // Not before more is there: the last part is known as such.
      if (filled === partBytes) yield toPart(false)
      grow(filled + chunk.length - at)
      const piece = chunk.subarray(at, at + memory.length - filled)
      memory.set(piece, filled)
      crc = crc32(piece, crc)
      crcSoFar = crc32(piece, crcSoFar)
      filled += piece.length
      lengthSoFar += piece.length
      at += piece.length
    }
    release(chunk)
  }
  yield toPart(true)
}
