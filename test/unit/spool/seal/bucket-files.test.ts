import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BodyFormat } from '../../../../src/spool/batch.ts'
import { decodeEvents } from '../../../../src/spool/events/decode-events.ts'
import type { OutputFormat } from '../../../../src/spool/files/bucket-file.ts'
import {
  type BucketFiles,
  type BucketFilesOptions,
  createBucketFiles,
} from '../../../../src/spool/seal/bucket-files.ts'
import { type Buckets, createBuckets, type OutputOptions } from '../../../../src/spool/seal/buckets.ts'
import { jsonBatch, startMs, thriftBatch } from '../../../suites/spool.ts'
import { createTearingDisk, type TearingDisk, type TearingDiskOptions } from '../../../suites/tearing-disk.ts'

type Event = { readonly type: number; readonly kind: BodyFormat; readonly length: number }

type World = { readonly disk: TearingDisk; readonly buckets: Buckets; readonly files: BucketFiles }

type WorldOptions = Partial<OutputOptions> &
  Pick<BucketFilesOptions, 'maxReadyBytes' | 'maxOpenFiles'> & { readonly faults?: TearingDiskOptions }

const createWorld = async ({ faults, ...options }: WorldOptions): Promise<World> => {
  const disk = createTearingDisk(faults)
  await disk.mkdir('sealed')
  const output = { outputDirectory: '/e', format: 'jsonl', codec: 'none', layout: 'dated', envelope: true } as const
  const all = { ...output, ...options }
  const buckets = createBuckets(all, undefined)
  const facts = { disk, segment: 7, collectorId: 'c', buckets: () => buckets.values(), since: () => startMs }
  return { disk, buckets, files: createBucketFiles({ ...all, ...facts }) }
}

const add = (buckets: Buckets, { type, kind, length }: Event, n: number): void => {
  const text = 'x'.repeat(length)
  const name = `Type${type}`
  const batch = kind === 'thrift' ? thriftBatch(text, { name }) : jsonBatch([{ text, n }], { name })
  for (const event of decodeEvents(batch)) buckets.add(event, startMs + n, length, type % 2)
}

const contents = (disk: TearingDisk): [string, string][] =>
  disk.paths.toSorted().map(path => [path, Buffer.from(disk.contents(path)).toString('latin1')])

const events: fc.Arbitrary<Event[]> = fc.array(
  fc.record({
    type: fc.nat(9),
    kind: fc.constantFrom<BodyFormat>('json', 'thrift'),
    length: fc.oneof(fc.nat(50), fc.nat(500)),
  }),
  { minLength: 1, maxLength: 60 },
)

test.each<OutputFormat>(['jsonl', 'native', 'sequencefile'])(
  'what is written as it grows is what is written at the end: %s',
  async format => {
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.nat(2_000),
        fc.nat(12),
        fc.constantFrom('none', 'gzip'),
        async (some, maxReadyBytes, maxOpenFiles, codec) => {
          const grown = await createWorld({ format, codec, maxReadyBytes, maxOpenFiles })
          const whole = await createWorld({ format, codec })
          for (const [n, event] of some.entries()) {
            add(grown.buckets, event, n)
            add(whole.buckets, event, n)
            await grown.files.relieve()
          }
          const files = await grown.files.finish()
          const plain = { length: expect.any(Number), crc: expect.any(Number) }
          // Sequence files have random marks.
          const facts = await whole.files.finish()
          expect(files).toEqual(format === 'sequencefile' ? facts.map(file => ({ ...file, ...plain })) : facts)
          if (format !== 'sequencefile') expect(contents(grown.disk)).toEqual(contents(whole.disk))
        },
      ),
      { numRuns: 60 },
    )
  },
)

const one = (type: number, length: number): Event => ({ type, kind: 'json', length })

test('the largest are written first, until half of what may be ready is left', async () => {
  const { disk, buckets, files } = await createWorld({ maxReadyBytes: 1_000 })
  add(buckets, one(0, 200), 0)
  add(buckets, one(1, 10), 1)
  await files.relieve()
  expect(disk.paths).toEqual([])
  add(buckets, one(2, 700), 2)
  await files.relieve()
  expect(disk.paths).toEqual([expect.stringMatching(/-2\.jsonl$/)])
  const [grown = ''] = disk.paths
  expect(disk.contents(grown).length).toBeGreaterThan(700)
})

test('no more files are open than may be: the others are held to the end', async () => {
  const { disk, buckets, files } = await createWorld({ maxReadyBytes: 0, maxOpenFiles: 2 })
  for (let n = 0; n < 20; n++) {
    add(buckets, one(n % 5, 50), n)
    await files.relieve()
  }
  expect(disk.paths).toHaveLength(2)
  expect(await files.finish()).toHaveLength(5)
})

test.each([
  ['append', 3],
  ['fdatasync', 1],
  ['fdatasync', 3],
] as const)('nothing is left when %s number %i fails', async (fault, number) => {
  let left = number
  const fail = (operation: string): Error | undefined =>
    operation === fault && --left === 0 ? new Error('full') : undefined
  const { disk, buckets, files } = await createWorld({ maxReadyBytes: 100, faults: { fail } })
  const fill = async (): Promise<void> => {
    for (let n = 0; n < 9; n++) {
      add(buckets, one(n % 3, 100), n)
      await files.relieve()
    }
    await files.finish()
  }
  await expect(fill()).rejects.toThrow('full')
  expect(disk.paths).not.toEqual([])
  await files.discard()
  expect(disk.paths).toEqual([])
})
