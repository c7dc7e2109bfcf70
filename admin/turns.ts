import type { Call } from '../src/http/call/call.ts'
import { nextTurn } from '../src/runtime/next-turn.ts'

/** Longest piece of work between two turns of the event loop, in ms: so long an event may have to wait for a poll. */
const pieceMs = 0.25

/** The client no longer waits for the answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** Cuts the work of one request into pieces: events that arrive meanwhile have their turn between them. */
export type RequestTurns = {
  /** Lets others have their turn, and begins the next piece. */
  next(): Promise<void>
  /**
   * Does something with each item, one after another; what is done with one is not cut.
   * @throws ClientGone between two pieces, when the client has gone
   */
  each<T>(items: Iterable<T>, act: (item: T) => void): Promise<void>
}

/** Begins the work of a request. */
export type OpenTurns = (call: Pick<Call, 'signal'>) => RequestTurns

/** Makes the turns of one listener: its requests share them, so that their pieces do not add up in one turn of the loop. */
export const createTurns = (nowMs: () => number = () => performance.now()): OpenTurns => {
  let last: Promise<void> = Promise.resolve()
  return call => {
    let beganAt = nowMs()
    const next = async (): Promise<void> => {
      last = last.then(nextTurn)
      await last
      beganAt = nowMs()
    }
    return {
      next,
      each: async (items, act) => {
        for (const item of items) {
          if (nowMs() - beganAt >= pieceMs) {
            await next()
            if (call.signal.aborted) throw new ClientGone('The client disconnected')
          }
          act(item)
        }
      },
    }
  }
}
