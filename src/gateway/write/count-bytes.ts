/** The bytes of an upload, each piece counted before it is passed on. */
export async function* countBytes(
  source: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of source) {
    count(chunk.length)
    yield chunk
  }
}

/** A body of nothing. */
export const noBytes: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => noChunks() }
async function* noChunks(): AsyncGenerator<Uint8Array, void, undefined> {}
