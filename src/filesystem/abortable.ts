import { FileSystemError } from './filesystem.ts'
import { createInterrupt } from './interrupt.ts'

/**
 * The chunks of `source` until `signal` aborts: then rejects at once, also while the source is waiting, and lets the
 * source go.
 * @throws FileSystemError `unavailable` on abort, with the signal's reason as its cause; what the source throws
 */
export async function* abortable(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
  path: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (!signal) return yield* source
  throwIfAborted(signal, path)
  let abort = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(toAbortError(signal, path))
  })
  // Waiters see the rejection; without waiters it must not count as unhandled.
  aborted.catch(() => {})
  signal.addEventListener('abort', abort, { once: true })
  const interrupt = createInterrupt(aborted)
  const iterator = source[Symbol.asyncIterator]()
  let done = false
  try {
    for (;;) {
      const next = await interrupt.race(iterator.next())
      if (next.done) {
        done = true
        return
      }
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', abort)
    // Not awaited: a generator that waits for its own source would hold up the abort.
    if (!done) iterator.return?.().catch(() => {})
  }
}

/**
 * The same, until the signal aborts: then it rejects with the signal's reason, and the answer is of no use.
 * @param onLate takes an answer that arrived after the abort
 */
export const untilAborted = <T>(
  answer: Promise<T>,
  signal: AbortSignal | undefined,
  onLate: (late: T) => void = () => {},
): Promise<T> => {
  if (!signal) return answer
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    const settle = (then: () => void): void => {
      signal.removeEventListener('abort', onAbort)
      then()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    answer.then(
      value => settle(() => (signal.aborted ? onLate(value) : resolve(value))),
      (error: unknown) => settle(() => reject(error)),
    )
  })
}

/** @throws FileSystemError `unavailable` when the signal is aborted */
export const throwIfAborted = (signal: AbortSignal | undefined, path: string): void => {
  if (signal?.aborted) throw toAbortError(signal, path)
}

/** What an aborted call rejects with. */
export const toAbortError = (signal: AbortSignal, path: string): FileSystemError =>
  new FileSystemError('unavailable', path, `The transfer of "${path}" was aborted`, { cause: signal.reason })
