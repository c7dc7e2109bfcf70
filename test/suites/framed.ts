import type { Batch } from '../../src/spool/batch.ts'
import type { FramedFacts } from '../../src/spool/segment/framed-batches.ts'
import { encodeBatch } from '../../src/spool/segment/record.ts'
import { recordFrameBytes, toCallerNumber, writeRecordFrame } from '../../src/spool/segment/segment-format.ts'
import type { RangeWaiter, Spool } from '../../src/spool/spool.ts'

/** Batches in shared memory as another thread frames them, in front of and behind what is not theirs. */
export const frameBatches = (
  batches: readonly Batch[],
  mark: Uint8Array,
  keptAt = 1,
): { readonly bytes: Uint8Array; readonly facts: FramedFacts } => {
  const records = batches.map(batch => encodeBatch(batch, keptAt))
  const length = records.reduce((sum, record) => sum + recordFrameBytes(record), 0)
  const bytes = new Uint8Array(new SharedArrayBuffer(length + 20), 10, length)
  const callers = new Map<number, string>()
  let at = 0
  for (const [i, record] of records.entries()) {
    const { caller } = batches[i] ?? {}
    if (caller !== undefined) callers.set(toCallerNumber(caller), caller)
    writeRecordFrame(bytes, at, record, mark, toCallerNumber(caller))
    at += recordFrameBytes(record)
  }
  const receivedAt = batches.map(batch => batch.receivedAt)
  return {
    bytes,
    facts: { callers, receivedAt: new Map(receivedAt.flatMap((ms, i) => (ms === undefined ? [] : [[i, ms]]))) },
  }
}

/** What became of batches that were handed over. */
export type HandedOver = {
  /** Of each batch: what it failed with, or undefined. */
  readonly told: Promise<readonly unknown[]>
  /** The memory may be used again; everything in it is overwritten then. */
  readonly freed: Promise<void>
  /** Positions in the order in which they were reported, those that were kept together in one list. */
  readonly order: (readonly number[])[]
}

/** Waits for what becomes of so many batches. */
export const hearOf = (count: number, bytes: Uint8Array): HandedOver & { readonly waiter: RangeWaiter } => {
  const results: unknown[] = []
  const order: (readonly number[])[] = []
  const told = Promise.withResolvers<readonly unknown[]>()
  const freed = Promise.withResolvers<void>()
  let left = count
  const tell = (first: number, batches: readonly Batch[], error: unknown): void => {
    order.push(batches.map((_, i) => first + i))
    for (const i of batches.keys()) {
      if (first + i in results) throw new Error(`${first + i} was told before`)
      results[first + i] = error
    }
    left -= batches.length
    if (left === 0) told.resolve(results)
  }
  return {
    told: told.promise,
    freed: freed.promise,
    order,
    waiter: {
      kept: (first, batches) => tell(first, batches, undefined),
      failed: tell,
      free: () => {
        bytes.fill(0xff)
        freed.resolve()
      },
    },
  }
}

/** Hands batches over to a spool. */
export const handOver = (spool: Spool, batches: readonly Batch[]): HandedOver => {
  const { bytes, facts } = frameBatches(batches, spool.mark)
  const { waiter, ...heard } = hearOf(batches.length, bytes)
  spool.keepFramed(bytes, facts, waiter)
  return heard
}
