import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Batch } from '../../../../src/spool/batch.ts'
import { headerFrame, UnknownFormat } from '../../../../src/spool/framing/format-header.ts'
import { toFrame } from '../../../../src/spool/framing/framing.ts'
import { decodeBatch, encodeBatch, type KeptBatch } from '../../../../src/spool/segment/record.ts'
import {
  createMark,
  encodeSegmentHeader,
  frameType,
  markBytes,
  recordFrameBytes,
  writeRecordFrame,
} from '../../../../src/spool/segment/segment-format.ts'
import {
  checkSegment,
  readSegment,
  type SegmentPart,
  streamSegment,
} from '../../../../src/spool/segment/segment-reader.ts'
import { toOldFrames, toPayload } from '../../../suites/old-segment.ts'
import { jsonBatch, startMs } from '../../../suites/spool.ts'

const mark = createMark()
const noCaller = new Uint8Array(4)

const toMarkedFrame = (batch: Batch): Uint8Array => {
  const record = encodeBatch(batch, startMs)
  const bytes = new Uint8Array(recordFrameBytes(record))
  writeRecordFrame(bytes, 0, record, mark, 0)
  return bytes
}

const header = encodeSegmentHeader('0123456789abcdef'.repeat(2), 1, mark)

/** Record n has n + 1 events. */
const batches = [0, 1, 2, 3].map(n => jsonBatch(Array.from({ length: n + 1 }, () => ({ n }))))

/** Of each part in order: which record it is, or that it is withheld, with its guess. */
const summary = (parts: Iterable<SegmentPart>): (string | number)[] =>
  [...parts].map(part => {
    if (part.kind === 'withheld') return part.isTorn ? 'torn' : `withheld ${part.events}`
    return decodeBatch(part.payload).events.length - 1
  })

/** All that a part says, as it is at the moment. */
const details = (part: SegmentPart): unknown => {
  const place = { start: part.start, end: part.end, piece: Buffer.from(part.piece()).toString('hex') }
  if (part.kind === 'withheld') return { ...place, events: part.events, isTorn: part.isTorn }
  const { caller, isRepaired, payload } = part
  return {
    ...place,
    caller,
    isRepaired,
    payload: Buffer.from(payload).toString('hex'),
    batch: tried(() => part.batch()),
  }
}

const tried = (read: () => KeptBatch): unknown => {
  try {
    const { body, ...batch } = read()
    return { ...batch, body: Buffer.from(body).toString() }
  } catch (error) {
    return (error as Error).message
  }
}

/** What is looked at of each part, in pieces of the same memory, which has other bytes in it as soon as the next ones are asked for. */
const streamed = async <T>(bytes: Uint8Array, pieceBytes: number, look: (part: SegmentPart) => T): Promise<T[]> => {
  const seen: T[] = []
  const memory = new Uint8Array(pieceBytes)
  const pieces = async function* () {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      memory.set(bytes.subarray(at, at + pieceBytes))
      yield memory.subarray(0, Math.min(pieceBytes, bytes.length - at))
      memory.fill(0xff)
    }
  }
  for await (const some of streamSegment(pieces(), async start => bytes.slice(start), 'segment')) {
    for (const part of some) seen.push(look(part))
  }
  return seen
}

const streamedSummary = async (bytes: Uint8Array, pieceBytes: number): Promise<(string | number)[]> =>
  (await streamed(bytes, pieceBytes, part => summary([part]))).flat()

/** Where each frame begins, and where the last one ends. */
const offsets = (start: number, frames: readonly Uint8Array[]): number[] => {
  const ends = [start]
  for (const { length } of frames) ends.push((ends.at(-1) ?? 0) + length)
  return ends
}

const frames = batches.map(toMarkedFrame)
const segment = Buffer.concat([header, ...frames])
const starts = offsets(header.length, frames)

describe('R3: a segment with marks', () => {
  test('gives its records', () => {
    expect(summary(readSegment(segment, 'segment'))).toEqual([0, 1, 2, 3])
  })

  test('whatever one byte becomes, every other record is read, and the one that it hit is counted', async () => {
    for (let at = 0; at < segment.length; at++) {
      const hit = starts.findLastIndex(start => start <= at)
      const isLength = hit >= 0 && at - (starts[hit] ?? 0) < 4
      // Two bits: a single one, and many.
      for (const flip of [1 << (at & 7), 0xff]) {
        const bytes = segment.with(at, (segment[at] ?? 0) ^ flip)
        const parts = summary(readSegment(bytes, 'segment'))
        const expected = [0, 1, 2, 3].map(n => (n === hit && !isLength ? expect.stringMatching(/^withheld [1-9]/) : n))
        expect(parts, `byte ${at}, ${flip}`).toEqual(expected)
        expect(await streamedSummary(bytes, 100), `byte ${at}, in pieces`).toEqual(parts)
      }
    }
  })

  // A length that is damaged reaches beyond the segment, and says of a record that its end was never written.
  const manners = ['body', 'length and body'] as const
  test.each(manners)(
    'of any records, damaged in their %s, each is counted, and every other one is read',
    async manner => {
      for (let mask = 1; mask < 1 << frames.length; mask++) {
        const bytes = Buffer.from(segment)
        const expected: (string | number)[] = []
        let events = 0
        const endRun = (): void => {
          if (events > 0) expected.push(`withheld ${events}`)
          events = 0
        }
        for (const [n, start] of starts.slice(0, -1).entries()) {
          const isHit = (mask & (1 << n)) !== 0
          if (!isHit) {
            endRun()
            expected.push(n)
            continue
          }
          const last = (starts[n + 1] ?? 0) - 1
          bytes[last] = (bytes[last] ?? 0) ^ 0x20
          if (manner === 'length and body') bytes[start + 1] = 0x70
          events += n + 1
        }
        // One such record alone at the end looks like a write that a crash cut short.
        const isAsTorn = manner === 'length and body' && mask >> 2 === 0b10
        if (isAsTorn) expected.push('torn')
        else endRun()
        expect(summary(readSegment(bytes, 'segment')), `${mask}`).toEqual(expected)
        expect(await streamedSummary(bytes, 100), `${mask}, in pieces`).toEqual(expected)
      }
    },
  )

  test.each([
    [8, [0, 1, 2, 3]],
    [9, [expect.stringMatching(/^withheld/)]],
  ])('with %i bytes of its first header damaged', (count, expected) => {
    const bytes = Buffer.from(segment)
    for (let at = 20; at < 20 + count; at++) bytes[at] = (bytes[at] ?? 0) ^ 0xff
    expect(summary(readSegment(bytes, 'segment'))).toEqual(expected)
  })

  test('a whole frame of a type that only a later version has ends the reading', async () => {
    const bytes = Buffer.concat([segment, toFrame(4, Buffer.concat([mark, noCaller, Buffer.from('new')]))])
    expect(() => [...readSegment(bytes, 'segment')]).toThrow(UnknownFormat)
    expect(() => checkSegment(bytes, 'segment')).toThrow(UnknownFormat)
    await expect(streamedSummary(bytes, 100)).rejects.toThrow(UnknownFormat)
  })

  test('a record that ends behind its mark is withheld', () => {
    const short = toFrame(frameType.marked, Buffer.concat([mark, noCaller.subarray(1)]))
    expect(summary(readSegment(Buffer.concat([header, short]), 'segment'))).toEqual(['withheld 1'])
  })

  test.each([undefined, '', 5, '00112233445566', '001122334455667788', 'no hex'])(
    'a header whose mark is %j is that of another program: nothing is read',
    text => {
      const facts = { format: 'segment', version: 3, collector: 'c', segment: 1, mark: text }
      const other = toFrame(headerFrame, Buffer.from(JSON.stringify(facts)))
      expect(() => [...readSegment(Buffer.concat([other, other, ...frames]), 'segment')]).toThrow(UnknownFormat)
    },
  )

  test('cut at any byte it gives the records before, and nothing is missing of what was promised', async () => {
    for (let length = 0; length < segment.length; length++) {
      const whole = starts.slice(1).filter(end => end <= length).length
      const isInHeader = length < header.length / 2
      const isTorn = isInHeader ? length > 0 : length > header.length && !starts.includes(length)
      const expected = [...[0, 1, 2, 3].slice(0, whole), ...(isTorn ? ['torn'] : [])]
      expect(summary(readSegment(segment.subarray(0, length), 'segment')), `${length}`).toEqual(expected)
      expect(await streamedSummary(segment.subarray(0, length), 64), `${length}`).toEqual(expected)
    }
  })

  test('with any bytes in place of any others: what is read was written, in its order, and all is read from the next record on', async () => {
    const damage = fc.record({ at: fc.nat(segment.length), bytes: fc.uint8Array({ maxLength: 80 }), cut: fc.nat(80) })
    await fc.assert(
      fc.asyncProperty(damage, fc.integer({ min: 1, max: 300 }), async ({ at, bytes, cut }, pieceBytes) => {
        const end = Math.min(segment.length, at + cut)
        const damaged = Buffer.concat([segment.subarray(0, at), bytes, segment.subarray(end)])
        const parts = summary(readSegment(damaged, 'segment'))
        expect(await streamed(damaged, pieceBytes, details)).toEqual([...readSegment(damaged, 'segment')].map(details))
        const read = parts.filter(part => typeof part === 'number')
        const untouched = [0, 1, 2, 3].filter(n => (starts[n + 1] ?? 0) <= at || (starts[n] ?? 0) >= end)
        // Of a header that is gone the mark is gone, too.
        if (at >= header.length) expect(read).toEqual(expect.arrayContaining(untouched))
        expect(read).toEqual(read.toSorted((a, b) => a - b))
      }),
      {
        numRuns: 500,
        examples: [
          [{ at: starts[3] ?? 0, bytes: Uint8Array.of(0), cut: 0 }, 1],
          // The first record is where the header's copy was, and ends after it.
          [{ at: header.length / 2, bytes: new Uint8Array(), cut: header.length / 2 }, 300],
          [
            {
              at: header.length / 2,
              bytes: toMarkedFrame(jsonBatch([{ long: 'x'.repeat(500) }])),
              cut: header.length / 2,
            },
            300,
          ],
        ],
      },
    )
  })

  // Data that an attacker may send, in the hope that it is read as a record: frames with a fitting CRC, as every
  // version wrote them.
  const forged = toPayload(jsonBatch([{ forged: true }]))
  const guess = createMark()
  const forgeries: readonly (readonly [string, Uint8Array])[] = [
    ['a frame of version 2', toFrame(frameType.batch, forged)],
    ['a frame with another mark', toFrame(frameType.marked, Buffer.concat([guess, noCaller, forged]))],
    ['a segment of version 2', Buffer.concat(toOldFrames(2, [jsonBatch([{ forged: true }])]))],
    [
      'a segment with another mark',
      Buffer.concat([
        encodeSegmentHeader('x', 1, guess),
        toFrame(frameType.marked, Buffer.concat([guess, noCaller, forged])),
      ]),
    ],
    ['a part of a frame with another type', toFrame(99, forged)],
  ]
  test.each(forgeries)('never reads a body for records: %s', (_, forgery) => {
    const carrier: Batch = { ...jsonBatch([{ n: 1 }]), body: Buffer.concat([forgery, forgery]) }
    const sent = [jsonBatch([{ n: 0 }]), carrier, jsonBatch([{ n: 2 }])].map(toMarkedFrame)
    const bytes = Buffer.concat([header, ...sent])
    const [, from = 0, to = 0] = offsets(header.length, sent)
    for (let at = from + 4; at < to; at++) {
      const parts = summary(readSegment(bytes.with(at, (bytes[at] ?? 0) ^ 0x55), 'segment'))
      expect(parts, `byte ${at}`).toEqual([0, expect.stringMatching(/^withheld [1-9]/), 0])
    }
  })

  test('a record that is there a second time, with a mark of another run, is not read', () => {
    const stale = toFrame(frameType.marked, Buffer.concat([createMark(), noCaller, toPayload(jsonBatch([{ n: 9 }]))]))
    expect(summary(readSegment(Buffer.concat([segment, stale]), 'segment'))).toEqual([0, 1, 2, 3, 'withheld 1'])
  })

  test('each piece is read again by itself, and by no other mark', () => {
    const damaged = segment.with((starts[2] ?? 0) - 4, 0)
    const parts = [...readSegment(damaged, 'segment')]
    expect(parts.map(part => summary(readSegment(part.piece(), 'piece')))).toEqual([[0], ['withheld 2'], [2], [3]])
  })

  test('zeros behind the records are not the end of a write', () => {
    const zeros = Buffer.concat([segment, new Uint8Array(64)])
    expect(summary(readSegment(zeros, 'segment'))).toEqual([0, 1, 2, 3, 'withheld 1'])
  })

  test('without both copies of its header nothing is read, and all is withheld', () => {
    const bytes = Buffer.from(segment)
    bytes.fill(0xee, 0, header.length)
    expect(summary(readSegment(bytes, 'segment'))).toEqual(['withheld 1'])
  })
})

describe.each([1, 2] as const)('a segment of version %i', version => {
  const [first = new Uint8Array(), ...rest] = toOldFrames(version, batches)
  const old = Buffer.concat([first, ...rest])
  const [, second = 0] = offsets(first.length, rest)

  test('gives its records', async () => {
    expect(summary(readSegment(old, 'segment'))).toEqual([0, 1, 2, 3])
    expect(await streamedSummary(old, 50)).toEqual([0, 1, 2, 3])
  })

  test('is read on behind a damaged record whose length leads to a whole one', async () => {
    const damaged = old.with(second + 30, 0xff)
    expect(summary(readSegment(damaged, 'segment'))).toEqual([0, expect.stringMatching(/^withheld [1-9]/), 2, 3])
    expect(await streamedSummary(damaged, 50)).toEqual(summary(readSegment(damaged, 'segment')))
  })

  test('is read on behind a damaged header', () => {
    expect(summary(readSegment(old.with(12, 0xff), 'segment')).slice(1)).toEqual([0, 1, 2, 3])
  })

  test('whatever the length of a damaged record becomes, only records are read as records', () => {
    for (let bit = 0; bit < 32; bit++) {
      const at = second + (bit >> 3)
      const damaged = Buffer.from(old)
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (bit & 7))
      const expected = [0, expect.stringMatching(/^withheld [1-9]/)]
      expect(summary(readSegment(damaged, 'segment')), `bit ${bit}`).toEqual(expected)
    }
  })

  test('takes nothing that was sent for the copy of a header', () => {
    const theirs = createMark()
    const copy = encodeSegmentHeader('x'.repeat(99), 1, theirs)
    const forged = toFrame(frameType.marked, Buffer.concat([theirs, noCaller, toPayload(jsonBatch([{}, {}, {}]))]))
    const half = copy.subarray(copy.length / 2)
    // It is where the second copy of such a header would be, followed by the forgery.
    const toSegment = (padding: number): Buffer => {
      const body = Buffer.concat([Buffer.alloc(padding), half, forged])
      return Buffer.concat([first, toFrame(frameType.batch, toPayload({ ...jsonBatch([{ n: 0 }]), body }))])
    }
    const bytes = toSegment(half.length - toSegment(0).indexOf(half))
    expect(bytes.indexOf(half)).toBe(half.length)
    // The first frame is damaged.
    expect(summary(readSegment(bytes.with(12, 0xff), 'segment'))).toEqual([expect.stringMatching(/^withheld/), 0])
  })

  test('a whole frame of a type that only a later version has ends the reading', () => {
    const bytes = Buffer.concat([old, toFrame(4, Buffer.from('new'))])
    expect(() => [...readSegment(bytes, 'segment')]).toThrow(UnknownFormat)
    expect(() => checkSegment(bytes, 'segment')).toThrow(UnknownFormat)
  })

  test('is never searched: nothing is read after a damaged length, whatever is there', () => {
    const damaged = old.with(second + 2, 0x7f)
    expect(summary(readSegment(damaged, 'segment'))).toEqual([0, expect.stringMatching(/^withheld [1-9]/)])
  })
})

test('a mark is as long as the layout says', () => {
  expect(mark).toHaveLength(markBytes)
})
