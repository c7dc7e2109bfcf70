import type { Submitted } from '../collector/submit/idempotency.ts'
import { toErrorFields } from '../errors.ts'
import type { Durability } from '../spool/replica/replica-status.ts'
import type { DeskAnswer, FailedBatches, ReceiptsMessage } from './event-messages.ts'

/** What a thread is to hear; all that is known within one turn of the microtask queue goes in one message. */
export type Receipts = {
  kept(range: number, first: number, count: number, durability: Durability): void
  failed(range: number, first: number, count: number, error: unknown): void
  freed(range: number): void
  answerKeyed(answer: DeskAnswer<Submitted>): void
  answerCheck(answer: DeskAnswer<true>): void
  /** The thread is gone. */
  close(): void
}

export const createReceipts = (post: (message: ReceiptsMessage) => void): Receipts => {
  let next = createMessage()
  let isDue = false
  let isClosed = false
  const due = (): void => {
    if (isDue) return
    isDue = true
    queueMicrotask(() => {
      const message = next
      next = createMessage()
      isDue = false
      if (!isClosed) post(message)
    })
  }
  return {
    kept: (range, first, count, durability) => {
      next.kept.push(range, first, count)
      // Of one message there is one: rather less is said of a few than more.
      if (durability !== 'full') next.durability = durability
      due()
    },
    failed: (range, first, count, error) => {
      next.failed.push({ range, first, count, error: toErrorFields(error) })
      due()
    },
    freed: range => {
      next.freed.push(range)
      due()
    },
    answerKeyed: answer => {
      next.keyed.push(answer)
      due()
    },
    answerCheck: answer => {
      next.checks.push(answer)
      due()
    },
    close: () => {
      isClosed = true
    },
  }
}

const createMessage = () => ({
  kept: [] as number[],
  durability: 'full' as Durability,
  failed: [] as FailedBatches[],
  freed: [] as number[],
  keyed: [] as DeskAnswer<Submitted>[],
  checks: [] as DeskAnswer<true>[],
})
