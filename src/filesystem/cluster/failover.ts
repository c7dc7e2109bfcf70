/** Which of several name nodes is asked, how often, and until when. */
import { setTimeout as wait } from 'node:timers/promises'
import { throwIfAborted } from '../abortable.ts'
import { FileSystemError } from '../filesystem.ts'
import { effectOf, isElsewhere, isNotYet } from './remote-exception.ts'

export type FailoverOptions = {
  /** Rounds through the name nodes after the first one; those in which one was not active yet do not count. @default 4 */
  readonly maxRetries?: number
  /** No new attempt begins later than this. @default 60 000 */
  readonly maxRetryMs?: number
  /** Longest wait before the first retry; doubles each time, and each wait is random from 0 up to it. @default 100 */
  readonly backoffMs?: number
  /** @default 2 000 */
  readonly maxBackoffMs?: number
  /** A number from 0 to 1. @default Math.random */
  readonly random?: () => number
  /** Waits; rejects on abort. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Monotonic, in ms. @default performance.now */
  readonly now?: () => number
}

/** A call at whichever name node is active. */
export type FailoverCall = {
  /** As `parsePath` returns it. */
  readonly path: string
  /** Whether a second call after one of unknown outcome does no harm and gives the same answer. */
  readonly repeatable: boolean
  readonly maxRetries?: number
  readonly signal?: AbortSignal | undefined
}

/** Makes one call: `attempt` is made of one node after the other, as long as another one may help. */
export type Failover<Node> = <T>(call: FailoverCall, attempt: (node: Node, retries: number) => Promise<T>) => Promise<T>

/**
 * Remembers which of the name nodes is active, and never waits without an end.
 * @param nameOf distinguishes one node from the others
 */
export const createFailover = <Node>(
  nodes: readonly [Node, ...Node[]],
  nameOf: (node: Node) => string,
  options: FailoverOptions,
): Failover<Node> => {
  const { maxRetryMs = 60_000, backoffMs = 100, maxBackoffMs = 2_000 } = options
  const { random = Math.random, sleep = sleepFor, now = () => performance.now() } = options
  let active = 0

  return async ({ maxRetries = options.maxRetries ?? 4, signal, path, repeatable }, attempt) => {
    const last = (maxRetries + 1) * nodes.length - 1
    const deadline = now() + maxRetryMs
    /** One of several is about to become active: then only the time counts. */
    const canChange = nodes.length > 1 && maxRetries > 0
    const problems = new Map<string, FileSystemError>()
    let mayBeDone = false
    for (let retries = 0; ; retries++) {
      throwIfAborted(signal, path)
      const index = active
      const node = nodes[index] ?? nodes[0]
      try {
        return await attempt(node, retries)
      } catch (error) {
        if (!(error instanceof FileSystemError)) throw error
        throwIfAborted(signal, path)
        problems.set(nameOf(node), error)
        const effect = effectOf(error)
        const elsewhere = effect !== 'final' && isElsewhere(error)
        // Unless another call has moved on already.
        if (elsewhere && active === index) active = (index + 1) % nodes.length
        if (effect === 'final' && mayBeDone) refusedAgain.add(error)
        if (effect === 'final' || (effect === 'unknown' && !repeatable)) throw error
        mayBeDone ||= effect === 'unknown'
        const isChanging = canChange && [...problems.values()].some(isNotYet)
        if ((retries >= last && !isChanging) || now() >= deadline) throw withOthers(error, nameOf(node), problems)
        // The other nodes are asked at once; only a whole round without success is worth a wait.
        const round = Math.floor(retries / nodes.length)
        const isRoundOver = !elsewhere || (retries + 1) % nodes.length === 0
        if (isRoundOver) await sleep(random() * Math.min(maxBackoffMs, backoffMs * 2 ** round), signal)
      }
    }
  }
}

/** Refusals of a call that was sent before, and whose answer was lost. */
const refusedAgain = new WeakSet<FileSystemError>()

/** Whether an error refuses a call that an attempt before may have carried out. */
export const isRefusedAgain = (error: unknown): boolean => error instanceof FileSystemError && refusedAgain.has(error)

/** The beginning of a message, whichever name node it is about. */
export const messagePrefix = /^Cannot [^"]*"[^"]*": /

/** Says of every name node that was asked what it answered, and not only of the last one. */
const withOthers = (
  error: FileSystemError,
  name: string,
  problems: ReadonlyMap<string, FileSystemError>,
): FileSystemError => {
  const others = [...problems]
    .filter(([other]) => other !== name)
    .map(([, { message }]) => message.replace(messagePrefix, ''))
  if (others.length === 0) return error
  const message = [error.message, ...others].join('; ')
  return new FileSystemError(error.code, error.path, message, { cause: error.cause })
}

/** The next attempt sees the abort. */
const sleepFor = (ms: number, signal?: AbortSignal): Promise<void> =>
  wait(ms, undefined, signal ? { signal } : {}).catch(() => {})
