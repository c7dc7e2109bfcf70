import { crc32 } from 'node:zlib'
import type { Batch } from '../../../src/spool/batch.ts'
import { decodeEvents } from '../../../src/spool/events/decode-events.ts'
import { headerFrame, UnknownFormat } from '../../../src/spool/framing/format-header.ts'
import { toFrame } from '../../../src/spool/framing/framing.ts'
import { scanSegment } from '../../../src/spool/seal/seal.ts'
import { decodeBatch, encodeBatch } from '../../../src/spool/segment/record.ts'
import { segmentPath } from '../../../src/spool/segment/segment-files.ts'
import { createMark, encodeSegmentHeader, frameType } from '../../../src/spool/segment/segment-format.ts'
import { readSegment, type SegmentPart, streamSegment } from '../../../src/spool/segment/segment-reader.ts'
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

/** Of the corpus: what is read with a mark that a sender cannot know is another one. */
const knownMark = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)

/** As this version writes it: records after a mark. */
const marked = (mark: Uint8Array, ...all: readonly Batch[]): Uint8Array => {
  const frames = all.map(batch => toFrame(frameType.marked, Buffer.concat([mark, new Uint8Array(4), encode(batch)])))
  return Buffer.concat([encodeSegmentHeader('id', 1, mark), ...frames])
}

export const corpus = (): Uint8Array[] => [
  Buffer.concat([
    toFrame(frameType.id, Buffer.from('id 1')),
    ...batches.map(batch => toFrame(frameType.batch, encode(batch))),
  ]),
  Buffer.concat([oldHeader, toFrame(frameType.batch, encode(jsonBatch([{ a: 1 }])))]),
  marked(knownMark, ...batches),
  toFrame(frameType.batch, encode(jsonBatch([]))),
  ...batches.map(encode),
]

const oldHeader = toFrame(headerFrame, Buffer.from('{"format":"segment","version":2,"segment":1}'))

/** What can be read is read, and found again after damage; what a checksum vouches for is a batch or refused. */
export const run = async (bytes: Uint8Array): Promise<void> => {
  const path = segmentPath(1)
  await checkPieces(bytes, path)
  const parts = tried(() => [...readSegment(bytes, path)], UnknownFormat)
  if (parts) checkParts(bytes, parts)
  const whole = toFrame(frameType.batch, bytes)
  scanSegment(whole, path)
  if ([...salvageBatches(whole, path)].length > bytes.length) throw new Error('more batches than bytes')
  checkCarrier(bytes)
  const decoded = tried(() => decodeBatch(bytes))
  if (!decoded) return
  if (scanSegment(whole, path).events !== decoded.events.length) throw new Error('events are counted otherwise')
  tried(() => {
    for (const event of decodeEvents(decoded)) tried(() => JSON.parse(eventLine(event)))
  })
}

/** What is read in pieces is what is read of the whole, in memory that is used again. */
const checkPieces = async (bytes: Uint8Array, path: string): Promise<void> => {
  const whole = tried(() => [...readSegment(bytes, path)].map(toText), UnknownFormat)
  const pieces = async function* () {
    for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100)
  }
  const found: string[] = []
  try {
    for await (const parts of streamSegment(pieces(), async start => bytes.subarray(start), path)) {
      for (const part of parts) found.push(toText(part))
    }
  } catch (error) {
    if (error instanceof UnknownFormat && !whole) return
    throw error
  }
  if (!whole || found.join() !== whole.join()) throw new Error('pieces are read otherwise than the whole')
}

const toText = (part: SegmentPart): string =>
  `${part.kind} ${part.start} ${part.end} ${part.kind === 'withheld' && part.events} ${crc32(part.piece())}`

/** Parts follow one another up to the end, and those that are read are found by the search as well. */
const checkParts = (bytes: Uint8Array, parts: readonly SegmentPart[]): void => {
  const path = segmentPath(1)
  parts.reduce((end, part) => {
    if (end >= 0 && part.start !== end) throw new Error(`a gap from byte ${end} to ${part.start}`)
    return part.end
  }, -1)
  const salvaged = tried(() => [...salvageBatches(bytes, path)], UnknownFormat) ?? []
  for (const part of parts) {
    if (part.kind === 'withheld' || part.isRepaired || !tried(() => decodeBatch(part.payload))) continue
    if (!salvaged.some(one => one.start === part.start)) throw new Error(`the batch at byte ${part.start} is not found`)
  }
}

/** Whatever a body holds: damaged, it is withheld, and nothing in it is read as a record. */
const checkCarrier = (body: Uint8Array): void => {
  const around = jsonBatch([{ around: true }])
  const mark = createMark()
  const segment = marked(mark, around, { ...around, body }, around)
  // The first byte of the carrier's CRC.
  const at = marked(mark, around).length + 4
  const damaged = segment.with(at, (segment[at] ?? 0) ^ 0xff)
  const { length } = [...readSegment(damaged, segmentPath(1))].filter(({ kind }) => kind === 'record')
  if (length !== 2) throw new Error(`${length} records instead of 2`)
}
