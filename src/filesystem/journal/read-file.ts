import type { OpenOptions } from '../filesystem.ts'
import { toRange } from '../options.ts'
import type { JournalFile } from './files.ts'
import type { Extent } from './frame.ts'
import type { JournalObjects } from './objects.ts'

/** Pieces that are asked for at a time. */
const atOnce = 8

/** Streams bytes of a file of a log. */
export const readJournalFile = (
  objects: Pick<JournalObjects, 'read'>,
  { extents, length }: Pick<JournalFile, 'extents' | 'length'>,
  options: OpenOptions,
): ReadableStream<Uint8Array> => {
  const wanted = cut(extents, toRange(options, length))
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for (let first = 0; first < wanted.length; first += atOnce) {
      options.signal?.throwIfAborted()
      const lot = wanted.slice(first, first + atOnce)
      yield* await Promise.all(lot.map(([number, offset, bytes]) => objects.read(number, { offset, length: bytes })))
    }
  }
  return ReadableStream.from(pieces())
}

/** Those places, or parts of them, that have the bytes of a range. */
const cut = (
  extents: readonly Extent[],
  { start, end }: { readonly start: number; readonly end: number },
): readonly Extent[] => {
  const found: Extent[] = []
  let at = 0
  for (const [number, offset, length] of extents) {
    const from = Math.max(start, at)
    const to = Math.min(end, at + length)
    if (from < to) found.push([number, offset + from - at, to - from])
    at += length
  }
  return found
}
