import type { FrameKind } from './frames.ts'
import { parseError } from './wire.ts'

/** What a reader answered: the body's first chunk is at hand. */
export type ReaderAnswer = {
  readonly status: number
  readonly headers: Headers
  /** Undefined without a body. It throws what the reader threw, and `ReaderEnded`. */
  readonly body: AsyncIterator<Uint8Array, void, undefined> | undefined
}

/** An answer in frames. */
export type Answer = {
  /** Resolves when it begins: with the first chunk, or its end. */
  readonly begun: Promise<ReaderAnswer>
  onFrame(kind: FrameKind, payload: Buffer): void
  /** Nothing more will arrive, because of this. */
  fail(error: unknown): void
}

/** Bytes of one answer that are on their way while its client takes none, and at most when he takes them fast. */
export const firstWindowBytes = 64 * 1024
const maxWindowBytes = 256 * 1024

/** What an answer says to its reader. */
export type AnswerOptions = {
  /** This many more bytes may be sent. */
  readonly grant: (bytes: number) => void
  /** The rest is not wanted. */
  readonly cancel: () => void
  /** Nothing more is expected of the reader; called once. */
  readonly onOver: () => void
}

/** Waits for an answer of a reader. */
export const createAnswer = ({ grant, cancel, onOver }: AnswerOptions): Answer => {
  const begun = Promise.withResolvers<ReaderAnswer>()
  begun.promise.catch(() => {})
  const chunks: Buffer[] = []
  let head: { readonly status: number; readonly headers: Headers } | undefined
  let isBegun = false
  let over: { readonly error?: unknown } | undefined
  let windowBytes = firstWindowBytes
  let taken = 0
  let waiting: PromiseWithResolvers<IteratorResult<Uint8Array, void>> | undefined

  const end = (how: { readonly error?: unknown }): void => {
    if (over) return
    over = how
    onOver()
    if ('error' in how) begun.reject(how.error)
  }
  const take = (chunk: Buffer): IteratorResult<Uint8Array, void> => {
    taken += chunk.length
    // A fast consumer gets more at a time, and little waits for a stalled one.
    if (taken >= windowBytes / 2 && !over) {
      const wider = Math.min(2 * windowBytes, maxWindowBytes)
      grant(taken + wider - windowBytes)
      windowBytes = wider
      taken = 0
    }
    return { done: false, value: chunk }
  }
  const finish = (): Promise<IteratorResult<Uint8Array, void>> =>
    over && 'error' in over ? Promise.reject(over.error as Error) : Promise.resolve({ done: true, value: undefined })
  const body: AsyncIterator<Uint8Array, void, undefined> = {
    next: () => {
      const chunk = chunks.shift()
      if (chunk) return Promise.resolve(take(chunk))
      if (over) return finish()
      waiting = Promise.withResolvers()
      return waiting.promise
    },
    return: async () => {
      chunks.length = 0
      if (!over) cancel()
      end({})
      return { done: true, value: undefined }
    },
  }
  const tell = (): void => {
    if (!isBegun && head && (chunks.length > 0 || over)) {
      isBegun = true
      begun.resolve({ ...head, body: chunks.length > 0 ? body : undefined })
    }
    if (!waiting || (chunks.length === 0 && !over)) return
    const { resolve, reject } = waiting
    waiting = undefined
    body.next().then(resolve, reject)
  }
  return {
    begun: begun.promise,
    onFrame: (kind, payload) => {
      if (over) return
      if (kind === 'head') {
        const { status, headers } = JSON.parse(payload.toString()) as { status: number; headers: [string, string][] }
        head = { status, headers: new Headers(headers) }
        return
      }
      if (kind === 'chunk') chunks.push(payload)
      else if (kind === 'end') end({})
      else end({ error: parseError(payload.toString()) })
      tell()
    },
    fail: error => {
      end({ error })
      tell()
    },
  }
}
