/** A source that hands bytes over in pieces of this size. */
export async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
