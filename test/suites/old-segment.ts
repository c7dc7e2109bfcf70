import type { Batch } from '../../src/spool/batch.ts'
import { headerFrame } from '../../src/spool/framing/format-header.ts'
import { toFrame } from '../../src/spool/framing/framing.ts'
import { encodeBatch } from '../../src/spool/segment/record.ts'
import { frameType } from '../../src/spool/segment/segment-format.ts'
import { startMs } from './spool.ts'

/** A record as in its frame, after the mark from version 3 on. */
export const toPayload = (batch: Batch): Uint8Array => {
  const record = encodeBatch(batch, startMs)
  const payload = new Uint8Array(record.byteLength)
  record.write(payload, 0)
  return payload
}

/** Header and records of a segment as versions before this one wrote them, each a frame. */
export const toOldFrames = (version: 1 | 2, batches: readonly Batch[]): readonly Uint8Array[] => [
  version === 1
    ? toFrame(frameType.id, Buffer.from('0123456789abcdef 1'))
    : toFrame(headerFrame, Buffer.from(JSON.stringify({ format: 'segment', version, collector: 'c', segment: 1 }))),
  ...batches.map(batch => toFrame(frameType.batch, toPayload(batch))),
]
