import { createLlhttp, windowBytes } from '../../../llhttp/llhttp.ts'

/** Takes the chunks' own lines out of a body (RFC 9112, section 7.1). */
export type ChunkedBody = {
  /**
   * Hands on what a piece of the message holds of the body, as parts of it.
   * @returns whether more is expected; undefined when it is not HTTP
   */
  take(piece: Buffer, onBody: (part: Buffer) => void): boolean | undefined
}

/** Each has a parser of its own: it stops anywhere. */
export const createChunkedBody = (): ChunkedBody => {
  const nothing = (): void => {}
  let onSpan: (at: number, length: number) => void = nothing
  const llhttp = createLlhttp('response', {
    onHeaderField: nothing,
    onHeaderValue: nothing,
    onBody: (at, length) => onSpan(at, length),
  })
  llhttp.bytes.set(head)
  llhttp.readHead(0, head.length)
  return {
    take: (piece, onBody) => {
      for (let from = 0; from < piece.length; from += windowBytes) {
        const window = piece.subarray(from, from + windowBytes)
        llhttp.bytes.set(window)
        onSpan = (at, length) => onBody(window.subarray(at, at + length))
        const hasMore = llhttp.readBody(0, window.length)
        if (hasMore !== true) return hasMore
      }
      return true
    },
  }
}

const head = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
