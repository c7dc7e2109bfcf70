import type { RowRange } from '../rows/range.ts'

const lineFeed = 0x0a

/**
 * The wanted lines of stored bytes, line ends included; a line ends with LF, and the last one may lack it. Counts
 * across calls, so that several files can be cut one after another; stops reading after the last wanted line.
 */
export const createLineCut = ({ first, last }: RowRange) => {
  /** Number of the line that the next byte belongs to. */
  let line = 0
  return {
    get isDone(): boolean {
      return line > last
    },
    async *cut(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
      let isOpen = false
      for await (const chunk of source) {
        let start = line >= first ? 0 : undefined
        let at = 0
        while (at < chunk.length && line <= last) {
          const end = chunk.indexOf(lineFeed, at)
          isOpen = end < 0
          at = isOpen ? chunk.length : end + 1
          if (isOpen) break
          line++
          if (line === first) start = at
        }
        if (start !== undefined && at > start) yield chunk.subarray(start, at)
        if (line > last) return
      }
      // The next file begins a line of its own.
      if (isOpen) line++
    },
  }
}
