import type { Batch } from '../../spool/batch.ts'
import type { ShownRequest } from './show-request.ts'

/** Requests that wait to be shown, and bytes of their bodies; what is beyond is left out. */
const maxWaiting = 256
const maxWaitingBytes = 8 << 20

/** Requests that wait to be shown, in their order; one piece of one in each turn of the event loop. */
export type WaitingRequests = {
  /** @returns whether there was room */
  add(batch: Batch, peer: string): boolean
  clear(): void
}

/** @param show shows a piece, and returns whether nothing is left. Never throws. */
export const createWaitingRequests = (show: (request: ShownRequest) => boolean): WaitingRequests => {
  const waiting: ShownRequest[] = []
  let waitingBytes = 0
  let isScheduled = false

  const showNext = (): void => {
    isScheduled = false
    const [next] = waiting
    if (next === undefined) return
    if (show(next) && waiting[0] === next) {
      waiting.shift()
      waitingBytes -= next.batch.body.length
    }
    schedule()
  }
  const schedule = (): void => {
    if (isScheduled || waiting.length === 0) return
    isScheduled = true
    setImmediate(showNext)
  }
  return {
    add: (batch, peer) => {
      if (waiting.length >= maxWaiting || waitingBytes + batch.body.length > maxWaitingBytes) return false
      waiting.push({ batch, peer })
      waitingBytes += batch.body.length
      schedule()
      return true
    },
    clear: () => {
      waiting.length = 0
      waitingBytes = 0
    },
  }
}
