import type { Batch } from '../../../src/spool/batch.ts'
import { decodeEvents } from '../../../src/spool/decode-events.ts'
import { encodeHeader, UnknownFormat } from '../../../src/spool/format-header.ts'
import { readFrames, toFrame } from '../../../src/spool/framing.ts'
import { decodeBatch, encodeBatch, frameType } from '../../../src/spool/record.ts'
import { scanSegment } from '../../../src/spool/seal.ts'
import { segmentPath } from '../../../src/spool/segment-files.ts'
import { eventLine } from '../../../src/spool/tool/bucket-events.ts'
import { salvageBatches } from '../../../src/spool/tool/salvage.ts'
import { jsonBatch, thriftBatch } from '../../suites/spool.ts'
import { tried } from '../tried.ts'

/** A segment of the spool, and the payload of one frame whose checksum fits. */
export const name = 'spool-segment'

export const dictionary = ['eventName', 'payload', '{"accepted":1,"rejected":0,"errors":[]}', Uint8Array.of(0, 0, 0, 2)]

const encode = (batch: Batch): Uint8Array => {
  const record = encodeBatch(batch, 1_767_323_045_000)
  const payload = new Uint8Array(record.byteLength)
  record.write(payload, 0)
  return payload
}

const batches = [
  jsonBatch([{ a: 1 }, { b: 'text' }]),
  thriftBatch('text'),
  {
    ...jsonBatch([{ c: 1 }]),
    idempotency: { key: 'k', fingerprint: 'f', outcome: { accepted: 1, rejected: 0, errors: [] } },
  },
]

export const corpus = (): Uint8Array[] => [
  Buffer.concat([
    toFrame(frameType.segment, Buffer.from('id 1')),
    ...batches.map(batch => toFrame(frameType.batch, encode(batch))),
  ]),
  Buffer.concat([encodeHeader('segment', { segment: 1 }), toFrame(frameType.batch, encode(jsonBatch([{ a: 1 }])))]),
  toFrame(frameType.batch, encode(jsonBatch([]))),
  ...batches.map(encode),
]

/** The valid prefix is read, and found again behind damage; what a checksum vouches for is a batch or refused. */
export const run = (bytes: Uint8Array): void => {
  const frames = [...readFrames(bytes)]
  const batches = frames.filter(({ type, payload }) => type === frameType.batch && tried(() => decodeBatch(payload)))
  const salvaged = [...salvageBatches(bytes)]
  for (const { start } of batches) {
    if (!salvaged.some(one => one.start === start)) throw new Error(`the batch at byte ${start} is not found`)
  }
  const path = segmentPath(1)
  const events = tried(() => scanSegment(bytes, path).events, UnknownFormat)
  const whole = toFrame(frameType.batch, bytes)
  scanSegment(whole, path)
  if ([...salvageBatches(whole)].length > bytes.length) throw new Error('more batches than bytes')
  const decoded = tried(() => decodeBatch(bytes))
  if (!decoded) return
  if (scanSegment(whole, path).events !== decoded.events.length)
    throw new Error(`${events} events are counted otherwise`)
  tried(() => {
    for (const event of decodeEvents(decoded)) tried(() => JSON.parse(eventLine(event)))
  })
}
