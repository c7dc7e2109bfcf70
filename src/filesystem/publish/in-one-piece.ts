/** Bytes that are all there, as a source that is read piece by piece. */
export async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
