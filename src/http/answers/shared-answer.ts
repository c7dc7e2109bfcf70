import { sharedStream } from '../../bytes/byte-stream.ts'

/** Answers 200 with bytes that other answers have as well, piece by piece: no copy of them is made for any. */
export const answerShared = (pieces: readonly Uint8Array[], headers: Readonly<Record<string, string>>): Response => {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return new Response(sharedStream(pieces), { headers: { ...headers, 'content-length': String(length) } })
}
