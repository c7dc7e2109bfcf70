/** Bytes that are produced on demand; the producer can be stopped when the rest is not wanted. */
export type ByteSource = {
  /** The next bytes, which stay as they are until they are released; undefined at the end. One call at a time. */
  read(): Promise<Uint8Array | undefined>
  /** The rest is not wanted: a read that waits ends, one way or the other. Never throws. */
  cancel(): void
}

/**
 * A stream of bytes whose source can be read as it is: between a socket and another one, each chunk would pass the
 * queues and promises of two or three web streams. For other readers it is a web stream like any other. A reader of the
 * source must not read the stream.
 */
export class ByteStream extends ReadableStream<Uint8Array> {
  readonly source: ByteSource
  /** The total number of bytes, if known. */
  readonly length: number | undefined

  constructor(source: ByteSource, length?: number) {
    super(
      {
        async pull(controller) {
          const bytes = await source.read()
          if (bytes === undefined) controller.close()
          else controller.enqueue(bytes)
        },
        cancel: () => source.cancel(),
      },
      { highWaterMark: 0 },
    )
    this.source = source
    this.length = length
  }

  /** The source's bytes. A reader that leaves early cancels it. */
  override async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, undefined, undefined> {
    let isAtEnd = false
    try {
      for (;;) {
        const bytes = await this.source.read()
        if (bytes === undefined) break
        yield bytes
      }
      isAtEnd = true
    } finally {
      if (!isAtEnd) this.source.cancel()
    }
    return undefined
  }
}

/** A stream of nothing. */
export const emptyStream = (): ByteStream => new ByteStream({ read: async () => undefined, cancel: () => {} }, 0)

/** A stream of bytes that others are sent as well: no copy is made of them. */
export const sharedStream = (pieces: readonly Uint8Array[]): ByteStream => {
  const rest = pieces.values()
  return new ByteStream({ read: async () => rest.next().value, cancel: () => {} })
}

/** The source of a stream: its own, or its reader. */
export const toByteSource = (stream: ReadableStream<Uint8Array>): ByteSource => {
  if (stream instanceof ByteStream) return stream.source
  const reader = stream.getReader()
  return {
    read: async () => (await reader.read()).value,
    cancel: () => void reader.cancel().catch(() => {}),
  }
}

/** An iterator of other code as a source. */
export const iterated = (iterator: AsyncIterator<Uint8Array, unknown, undefined>): ByteSource => ({
  read: async () => {
    const next = await iterator.next()
    return next.done ? undefined : next.value
  },
  // Not awaited: it waits for what the iterator itself waits for.
  cancel: () => void iterator.return?.().catch(() => {}),
})
