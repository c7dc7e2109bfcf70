import type { Buffer } from 'node:buffer'

/** A page that unfolds as it is asked for; a queue of bytes. */
export type UnfoldedPage = {
  /** How many unread bytes are here. */
  readonly available: number
  /** All of them; a view. */
  view(): Buffer
  /** Goes over bytes that are here. */
  skip(count: number): void
  /** Waits for `count` bytes; false when the page ends before. */
  ensure(count: number): Promise<boolean>
}

/** A codec of pages. */
export type PageCodec = {
  /** Unfolds a whole page into at most `size` bytes; undefined for what only the other way understands. */
  readonly direct: (bytes: Buffer, size: number) => Uint8Array | undefined
  /** Bytes that the decoder itself holds once it has unfolded `unfolded` of `size`, at most. */
  readonly held: (unfolded: number, size: number) => number
  /** Starts unfolding a page that is large, as it is read. */
  readonly unfold: (source: AsyncIterable<Uint8Array>, size: number) => UnfoldedPage
}

/** Finds a codec by its name in the format. @throws FormatError one that is not known */
export type FindPageCodec = (name: string) => PageCodec
