import { FormatError } from '../../errors.ts'
import type { Batch } from '../batch.ts'
import { frameHeaderBytes } from '../framing/framing.ts'
import { decodeBatch } from './record.ts'
import { callerNumberAt, recordOffset } from './segment-format.ts'

/** A batch whose frame reaches from `start` to `end` among others. */
export type FramedBatch = { readonly batch: Batch; readonly start: number; readonly end: number }

/** What the frames of batches do not say. */
export type FramedFacts = {
  /** Their senders, by their numbers in the frames. */
  readonly callers: ReadonlyMap<number, string>
  /** When they arrived, by their positions, if that is not when they were framed. */
  readonly receivedAt: ReadonlyMap<number, number>
}

/**
 * Reads batches back from frames that this process has made, one after the other; bodies are views of them. Their sums
 * are not computed again.
 * @throws FormatError where the bytes are not such frames from beginning to end
 */
export const readFramedBatches = (bytes: Uint8Array, { callers, receivedAt }: FramedFacts): FramedBatch[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const framed: FramedBatch[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = start + recordOffset <= bytes.length ? start + 8 + view.getUint32(start) : Number.POSITIVE_INFINITY
    if (end > bytes.length) throw notFramed(start)
    const { api, keptAt, ...record } = decodeBatch(bytes.subarray(start + recordOffset, end))
    if (api === undefined) throw notFramed(start)
    const caller = callers.get(callerNumberAt(view, start + frameHeaderBytes))
    framed.push({ batch: { ...record, api, caller, receivedAt: receivedAt.get(framed.length) ?? keptAt }, start, end })
    start = end
  }
  return framed
}

const notFramed = (offset: number): FormatError => new FormatError('framed batches', offset, 'expected a frame')
