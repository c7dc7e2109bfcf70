import { startTimeout } from '../../../runtime/timers.ts'
import { throwIfAborted } from '../../abortable.ts'
import { toNetworkError } from '../../cluster/remote-exception.ts'
import { FileSystemError } from '../../filesystem.ts'
import { toRemoteError } from '../errors.ts'
import type { Asked, Reply } from './answer.ts'
import type { AnswerHead } from './answer-head.ts'
import { readError } from './read-limited.ts'

export type AnsweredOptions = {
  /** For messages: `data node host:port`. */
  readonly peer: string
  /** For messages: `Cannot <action> "<path>"`. */
  readonly action: string
  readonly path: string
  /** Until `take` has what it wants. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** What is made of a refusal, whose body is `text`. @default the words of WebHDFS */
  readonly toRefusal?: (answer: AnswerHead, text: string) => FileSystemError
}

/** What `take` makes of an answer that is not a refusal. Rejects with `FileSystemError`, whatever went wrong. */
export const answered = async <T>(
  { answer, stop }: Asked,
  { peer, action, path, timeoutMs, signal, toRefusal }: AnsweredOptions,
  take: (answer: Reply) => T | Promise<T>,
): Promise<T> => {
  const timer = startTimeout(() => stop(timedOut(timeoutMs)), timeoutMs)
  // An aborting caller gets another message.
  const onAbort = (): void => stop(new Error('aborted'))
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    const given = await answer
    if (given.status < 400) return await take(given)
    const text = await readError(given.body)
    throw toRefusal?.(given, text) ?? toRemoteError(given.status, text, action, path)
  } catch (error) {
    throwIfAborted(signal, path)
    if (error instanceof FileSystemError) throw error
    throw toNetworkError(error, peer, action, path)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

const timedOut = (ms: number): Error => Object.assign(new Error(`no answer within ${ms} ms`), { code: 'ETIMEDOUT' })
