import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Disk } from '../../../../src/disk/disk.ts'
import { createSmileWriter } from '../../../../src/formats/smile/writer.ts'
import { encodeRecord } from '../../../../src/formats/thrift/envelope-stream.ts'
import { encodeFields, thriftType } from '../../../../src/formats/thrift/field-list.ts'
import type { Batch } from '../../../../src/spool/batch.ts'
import { outputFormats } from '../../../../src/spool/files/bucket-file.ts'
import { directories } from '../../../../src/spool/files/spool-paths.ts'
import { toFrame } from '../../../../src/spool/framing/framing.ts'
import { createSealing } from '../../../../src/spool/seal/sealing.ts'
import { encodeBatch } from '../../../../src/spool/segment/record.ts'
import { segmentPath } from '../../../../src/spool/segment/segment-files.ts'
import {
  encodeSegmentHeader,
  frameType,
  recordFrameBytes,
  writeRecordFrame,
} from '../../../../src/spool/segment/segment-format.ts'
import { jsonBatch, startMs } from '../../../suites/spool.ts'
import { createTearingDisk, type TearingDisk, type TearingDiskOptions } from '../../../suites/tearing-disk.ts'
import { readJson } from '../../rows/files.ts'

const mark = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)
const noUtf8 = Uint8Array.of(0xff, 0xfe, 1, 2, 3)

const smileBatch = (text: string): Batch => {
  const writer = createSmileWriter({ rawBinary: true })
  writer.write({ eventName: 'Smile', payload: { text, raw: noUtf8 } })
  return { ...jsonBatch([{}], { name: 'Smile' }), format: 'smile', body: writer.take() }
}

const thriftBatch = (text: string): Batch => ({
  ...jsonBatch([{}], { name: 'Thrift' }),
  format: 'thrift',
  body: encodeRecord({
    date: startMs,
    granularity: 'HOURLY',
    typeName: 'Thrift',
    payload: encodeFields([
      { id: 1, type: thriftType.string, value: Buffer.from(text) },
      { id: 2, type: thriftType.string, value: noUtf8 },
    ]),
  }),
})

/**
 * Records of every kind: those that can be passed on unchanged, those that are rewritten, and those that cannot be
 * read.
 */
const kinds: readonly ((text: string) => Uint8Array)[] = [
  text => toRecord(jsonBatch([{ text }, { text, n: 1 }], { name: 'Plain' })),
  text => toRecord({ ...jsonBatch([{ text }]), body: Buffer.from(`{"payload":{"text":"${text}","\\u0061":1}}`) }),
  text => toRecord(smileBatch(text)),
  text => toRecord(thriftBatch(text)),
  text => toRecord({ ...jsonBatch([{ text }]), body: Buffer.from('{"no":"payload"}') }),
  text =>
    toFrame(frameType.marked, Buffer.concat([mark, new Uint8Array(4), Buffer.from(`of a later version ${text}`)])),
]

const toRecord = (batch: Batch): Uint8Array => {
  const record = encodeBatch(batch, startMs)
  const bytes = new Uint8Array(recordFrameBytes(record))
  writeRecordFrame(bytes, 0, record, mark, 7)
  return bytes
}

const createDisk = async (segment: Uint8Array, faults: TearingDiskOptions = {}): Promise<TearingDisk> => {
  const disk = createTearingDisk(faults)
  for (const name of directories) await disk.mkdir(name)
  const file = await disk.create(segmentPath(1))
  await file.append(segment)
  return disk
}

/** Gives a file in one piece. */
const inOnePiece = (disk: TearingDisk): Disk => ({
  ...disk,
  stream: async function* (path) {
    yield await disk.read(path)
  },
})

const seal = async (disk: TearingDisk, sealed: Disk, format: (typeof outputFormats)[number]) => {
  const result = await createSealing(sealed).seal({
    segment: 1,
    end: undefined,
    events: undefined,
    collectorId: 'c'.repeat(32),
    outputDirectory: '/events',
    format,
    codec: 'none',
    layout: 'dated',
    envelope: true,
    withKeys: true,
  })
  const paths = disk.paths.filter(path => /^(sealed|_quarantine)\//.test(path)).toSorted()
  // Sequence files have random marks.
  const look = async (path: string): Promise<unknown> =>
    path.endsWith('.seq')
      ? await readJson('a.seq', disk.contents(path))
      : Buffer.from(disk.contents(path)).toString('hex')
  const files = await Promise.all(paths.map(async path => [path, await look(path)] as const))
  return { files, result: format === 'sequencefile' ? result.damage : result }
}

const text = fc.integer({ min: 0, max: 3_000 }).map(length => 'x'.repeat(length))

test.each(outputFormats)(
  'read in pieces, a segment becomes the same %s files as read whole, and the same is set aside',
  async format => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...kinds), text), { minLength: 1, maxLength: 30 }),
        fc.option(fc.nat()),
        async (records, damagedAt) => {
          const header = encodeSegmentHeader('c'.repeat(32), 1, mark)
          const segment = Buffer.concat([header, ...records.map(([kind, text]) => kind(text))])
          if (damagedAt !== null) {
            const at = header.length + (damagedAt % (segment.length - header.length))
            segment[at] = (segment[at] ?? 0) ^ 0xff
          }
          const [one, other] = [await createDisk(segment), await createDisk(segment)]
          expect(await seal(one, one, format)).toEqual(await seal(other, inOnePiece(other), format))
        },
      ),
      { numRuns: 30 },
    )
  },
)

test('a file that could not be synced is not left behind', async () => {
  const header = encodeSegmentHeader('c'.repeat(32), 1, mark)
  const fail = (operation: string, path: string): Error | undefined =>
    operation === 'fdatasync' && path.startsWith('sealed/') ? new Error('EIO') : undefined
  const disk = await createDisk(Buffer.concat([header, toRecord(jsonBatch([{ n: 1 }]))]), { fail })
  await expect(seal(disk, disk, 'jsonl')).rejects.toThrow('EIO')
  expect(disk.paths.filter(path => path.startsWith('sealed/'))).toEqual([])
})
