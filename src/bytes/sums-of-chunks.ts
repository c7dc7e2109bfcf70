/** The checksum of a part of `bytes`, where `before` is that of the bytes before it. */
export type TakeSum = (bytes: Uint8Array, start: number, end: number, before: number) => number

/**
 * Writes the checksum of each chunk of what the pieces are together into `sums` from `to`, in the order of the network; the
 * last chunk may be shorter.
 */
export const sumsOfChunks = (
  take: TakeSum,
  pieces: readonly Uint8Array[],
  chunkBytes: number,
  sums: Buffer,
  to: number,
): void => {
  let sumTo = to
  let before = 0
  let left = chunkBytes
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const end = Math.min(from + left, piece.length)
      before = take(piece, from, end, before)
      left -= end - from
      from = end
      if (left > 0) continue
      sumTo = sums.writeUInt32BE(before, sumTo)
      before = 0
      left = chunkBytes
    }
  }
  if (left < chunkBytes) sums.writeUInt32BE(before, sumTo)
}
