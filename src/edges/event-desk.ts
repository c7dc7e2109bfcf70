// node-only: messages between threads
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { Collector } from '../collector/collector.ts'
import { toCounterRows } from '../collector/counter-rows.ts'
import { type CollectorFigures, createCounters } from '../collector/counters.ts'
import type { Submitted } from '../collector/submit/idempotency.ts'
import type { AftermathParts } from '../collector/submit/keep.ts'
import { checkAccepting, createKeeper } from '../collector/submit/keeper.ts'
import { isToBeKept } from '../collector/submit/prepare.ts'
import type { Report } from '../collector/submit/submission.ts'
import { toErrorFields } from '../errors.ts'
import { forgetHeld } from '../http/body/holding.ts'
import type { Waiter } from '../runtime/deferred.ts'
import { type Api, apis } from '../spool/apis.ts'
import type { Spool } from '../spool/spool.ts'
import { DeskRange } from './desk-range.ts'
import type { HandOverMessage, KeyedMessage, RangeMessage, RemoteDoorStart } from './event-messages.ts'
import { createReceipts } from './receipts.ts'

/** The dependencies of the desk. */
export type EventDeskOptions = Pick<AftermathParts, 'forward'> & {
  readonly spool: Pick<Spool, 'keep' | 'keepFramed' | 'recall' | 'recallIds' | 'stats' | 'mark' | 'durability'>
  readonly collector: Pick<Collector, 'counters' | 'live' | 'tellRefusal' | 'rows' | 'slowed' | 'quotaMemory'>
}

/** A thread that takes events, as the main thread has it. */
export type EventDeskThread = {
  /** For `createRemoteDoor` in the thread, with the other end of the port. */
  readonly start: RemoteDoorStart
  /**
   * The thread has ended. What it has handed over is kept and counted all the same; events that it had taken and did not hand
   * over are counted as unknown. Its row can be given to another thread then.
   */
  readonly disconnect: () => void
}

/** The main thread's end of the threads that take events: what they hand over is kept, counted, forwarded, shown, and answered. */
export type EventDesk = {
  /** @param row of counters and limits, from 1 on */
  connect(port: MessagePort, row: number): EventDeskThread
}

export const createEventDesk = ({ spool, collector, forward }: EventDeskOptions): EventDesk => {
  const { counters, live, tellRefusal, rows, slowed, quotaMemory } = collector
  const aftermath: AftermathParts = { counters, live, forward }
  const keeper = createKeeper({ ...aftermath, spool })

  const connect = (port: MessagePort, row: number): EventDeskThread => {
    const receipts = createReceipts(message => port.postMessage(message))
    const memories = createKnownMemories()
    const missing = createMissing(createCounters({ rows: toCounterRows(rows.counters).slice(row, row + 1) }))

    const takeRange = (message: RangeMessage): void => {
      const { id, count, events, callers, receivedAt } = message
      missing.received(events)
      try {
        const facts = { callers: new Map(callers), receivedAt: new Map(receivedAt) }
        spool.keepFramed(memories.bytesOf(message), facts, new DeskRange(message, { aftermath, receipts, spool }))
      } catch (error) {
        for (const [api, number] of events) counters[api].record('errored', number)
        receipts.failed(id, 0, count, error)
        receipts.freed(id)
      }
    }
    const takeKeyed = ({ id, request, prepared, traceparent }: KeyedMessage): void => {
      missing.received([[prepared.api, prepared.batch?.events.length ?? 0]])
      const context = traceparent === undefined ? undefined : { traceparent }
      const kept = { ...prepared, context }
      const waiter: Waiter<Submitted> = {
        done: value => receipts.answerKeyed({ id, value }),
        failed: error => receipts.answerKeyed({ id, error: toErrorFields(error) }),
      }
      if (request !== undefined) keeper.keepOnce(request, nothingToClaim, () => kept, waiter)
      else if (isToBeKept(kept)) keeper.keep(kept, toFirst(waiter))
      else waiter.done({ outcome: prepared.report, isReplay: false })
    }
    const takeCheck = (id: number): void => {
      try {
        checkAccepting(spool)
        receipts.answerCheck({ id, value: true })
      } catch (error) {
        receipts.answerCheck({ id, error: toErrorFields(error) })
      }
    }
    const takeRefusal = ({ refusal, sent, id }: HandOverMessage['refusals'][number]): void => {
      const told = tellRefusal(refusal, sent)
      if (id !== undefined) void Promise.resolve(told).then(() => receipts.answerCheck({ id, value: true }))
    }
    const take = (message: HandOverMessage): void => {
      for (const range of message.ranges) takeRange(range)
      for (const keyed of message.keyed) takeKeyed(keyed)
      for (const one of message.refusals) takeRefusal(one)
      for (const { api, names } of message.misfits) counters[api].recordMismatches(names.map(name => ({ name })))
      for (const [sender, requests] of message.slowed) slowed.add(sender, requests)
      for (const id of message.checks) takeCheck(id)
      memories.drop(message.dropped)
    }
    port.on('message', take)
    return {
      start: { mark: spool.mark, ...rows, quotaMemory, row, wantsTraces: forward !== undefined },
      disconnect: () => {
        for (let left = receiveMessageOnPort(port); left; left = receiveMessageOnPort(port)) take(left.message)
        port.close()
        receipts.close()
        for (const api of apis) counters[api].record('unknown', missing.of(api))
        forgetHeld(rows.holding, row)
      },
    }
  }
  return { connect }
}

/** Hears of a request without a key. */
const toFirst = (waiter: Waiter<Submitted>): Waiter<Report> => ({
  done: outcome => waiter.done({ outcome, isReplay: false }),
  failed: error => waiter.failed(error),
})

/** The thread has made room for it. */
const nothingToClaim = { addEvents: () => {} }

/** Memories of a thread, by their numbers: those of several ranges. */
const createKnownMemories = () => {
  const memories = new Map<number, SharedArrayBuffer>()
  return {
    /** @throws TypeError for one that is not known */
    bytesOf: ({ memory, buffer = memories.get(memory), isLarge, from, to }: RangeMessage): Uint8Array => {
      if (buffer === undefined)
        throw new TypeError(`A thread hands over a range of memory ${memory}, which is not known`)
      if (!isLarge) memories.set(memory, buffer)
      return new Uint8Array(buffer, from, to - from)
    },
    drop: (numbers: readonly number[]): void => {
      for (const number of numbers) memories.delete(number)
    },
  }
}

/** Counts what a thread has taken since it was connected, and did not hand over. @param row what it counts itself */
const createMissing = (row: CollectorFigures) => {
  const due = new Map(apis.map(api => [api, row[api].handedOver]))
  return {
    received: (events: RangeMessage['events']): void => {
      for (const [api, number] of events) due.set(api, (due.get(api) ?? 0) + number)
    },
    of: (api: Api): number => row[api].handedOver - (due.get(api) ?? 0),
  }
}
