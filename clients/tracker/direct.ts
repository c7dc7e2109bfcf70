import { createBackoff } from './backoff.ts'
import type { FieldEvent } from './event.ts'
import { createGetSender, type GetOptions } from './get-sender.ts'
import type { Sender } from './sender.ts'

/** An event that the server did not take. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken'
  /** A code of the server, or `unavailable`: it could not be reached, or was busy, at every attempt. */
  readonly code: string

  constructor(code: string, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.code = code
  }
}

/** How a tracker without a spool sends. */
export type DirectOptions = GetOptions & {
  /** How often an event is sent before it is given up. @default 4 */
  readonly maxAttempts?: number
  /** @default waits */
  readonly sleep?: (ms: number) => Promise<void>
}

/** Sends at once, and keeps nothing. */
export type DirectTracker = {
  /** Resolves when the server has the event. @throws NotTaken when it has not; TypeError, RangeError as the sender */
  track(event: FieldEvent): Promise<void>
  /** Gives up what is on its way. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A tracker for GET, version 1 by default, without a spool: events that the server has not accepted go back to the
 * caller.
 */
export const createDirectTracker = (options: DirectOptions): DirectTracker => {
  const { maxAttempts = 4, sleep = wait } = options
  const sender: Sender<FieldEvent> = createGetSender({ version: 1, ...options })
  const abort = new AbortController()
  const close = async (): Promise<void> => abort.abort(new Error('The tracker is closed'))
  return {
    track: async event => {
      const record = sender.encode(event, Date.now())
      const backoff = createBackoff()
      for (let attempt = 1; ; attempt++) {
        const outcome = await sender.send([record], { key: '', from: 0, signal: abort.signal })
        if (outcome.kind === 'settled') {
          const [refused] = outcome.rejected
          if (refused !== undefined) throw new NotTaken(refused.code, refused.detail)
          return
        }
        if (outcome.kind !== 'retry') throw new NotTaken('too-large', 'The server does not take an event so large')
        if (attempt >= maxAttempts || abort.signal.aborted) {
          throw new NotTaken('unavailable', outcome.error.message, { cause: outcome.error })
        }
        await sleep(backoff.next(outcome.afterMs))
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

const wait = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
