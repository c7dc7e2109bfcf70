/** Files of a unique name, in a store that does not look at the condition: they are written there all the same, and replace nothing. */
import { expect, onTestFinished, test } from 'vitest'
import type { FileSystem, PublishOptions } from '../../../../src/filesystem/filesystem.ts'
import { createS3FileSystem } from '../../../../src/filesystem/s3.ts'
import { toRefusedName } from '../../../../src/spool/refused.ts'
import { createSealing } from '../../../../src/spool/seal/sealing.ts'
import { createTableDesk } from '../../../../src/spool/tables/table-desk.ts'
import { createCommitFiles } from '../../../../src/tables/files.ts'
import { startFakeCatalog } from '../../../suites/fake-rest-catalog.ts'
import { chunksOf, expectCode } from '../../../suites/file-text.ts'
import { toErrorXml } from '../../../suites/s3/answer-s3.ts'
import { type FakeS3, type S3Fault, startFakeS3, testEnv } from '../../../suites/s3/fake-s3.ts'
import { jsonBatch, openTestSpool, silent, startMs } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'
import { plainCatalog } from '../../tables/a-table.ts'

/** One that takes the condition and does not look at it, or one that refuses it. */
const stores = ['ignores', 'refuses'] as const
const open = async (kind: (typeof stores)[number]): Promise<{ readonly fs: FileSystem; readonly store: FakeS3 }> => {
  const store = await startFakeS3({ ignoresCondition: true })
  const lacks: S3Fault = { status: 501, text: toErrorXml('NotImplemented', 'no') }
  store.fault = ({ headers }) => (kind === 'refuses' && headers['if-none-match'] !== undefined ? lacks : undefined)
  const how = { endpoint: store.endpoint, region: 'r', env: testEnv, partBytes: 1_000, sleep: async () => {} }
  const fs = await createS3FileSystem({ url: 's3://bucket/lake', ...how })
  onTestFinished(async () => {
    await fs.close()
    await store.close()
  })
  return { fs, store }
}
const textOf = ({ stored }: FakeS3, key: string): string | undefined => stored.objects.get(key)?.bytes.toString()
const writesOf = ({ requests }: FakeS3, key: string): number =>
  requests.filter(one => one === `PUT ${key}` || one === `POST ${key}?uploadId`).length

const small = 'some text'
const large = 'x'.repeat(2_500)
const attemptOf = (text: string): PublishOptions['attempt'] => ({
  temporary: '/t',
  length: text.length,
  note: async () => {},
})
const ways = stores.flatMap(kind =>
  [small, large].flatMap(text =>
    [undefined, attemptOf(text)].map(attempt => ({
      kind,
      text,
      attempt,
      what: `${kind}: ${text.length} bytes, ${attempt ? 'noted' : 'alone'}`,
    })),
  ),
)
const publish = (fs: FileSystem, { text, attempt }: (typeof ways)[number]) =>
  fs.publish('/e/f', chunksOf(text), { isUnique: true, ...(attempt && { attempt }) })

test.for(ways)('one is written there, once: $what', async way => {
  const { fs, store } = await open(way.kind)
  expect((await publish(fs, way)).outcome).toBe('done')
  expect([textOf(store, 'lake/e/f'), writesOf(store, 'lake/e/f'), store.stored.uploads.size]).toEqual([way.text, 1, 0])
})

test.for(ways)('one whose answer is lost is there, once: $what', async way => {
  let lost = 0
  const { fs, store } = await open(way.kind)
  const { fault } = store
  store.fault = request => {
    const { method, key, query } = request
    const isLast = key === 'lake/e/f' && (query.has('uploadId') ? method === 'POST' : method === 'PUT')
    return isLast && lost++ === 0 ? 'after' : fault(request)
  }
  expect((await publish(fs, way)).outcome).toBe('done')
  expect([textOf(store, 'lake/e/f'), store.stored.uploads.size]).toEqual([way.text, 0])
})

test.for(ways.filter(({ attempt }) => attempt))('one that is there is not sent again: $what', async way => {
  const { fs, store } = await open(way.kind)
  store.stored.put('lake/e/f', way.text)
  expect((await publish(fs, way)).outcome).toBe('done')
  expect([writesOf(store, 'lake/e/f'), store.stored.uploads.size]).toEqual([0, 0])
})

test.for(ways)('another one that is there stays: $what', async way => {
  const { fs, store } = await open(way.kind)
  store.stored.put('lake/e/f', 'another')
  const publishing = publish(fs, way)
  if (way.attempt) expect((await publishing).outcome).toBe('foreign')
  else await expectCode(publishing, 'exists')
  expect([textOf(store, 'lake/e/f'), writesOf(store, 'lake/e/f'), store.stored.uploads.size]).toEqual(['another', 0, 0])
})

test.for(stores)('manifests are written there for a table that a catalog swaps, and for no other: %s', async kind => {
  const { fs, store } = await open(kind)
  const place = { path: '/e/T', location: 's3://bucket/lake/e/T' }
  const write = (version: number | undefined) =>
    createCommitFiles(fs, { place, version }).write(`${version}.avro`, Buffer.from('x'))
  await write(undefined)
  await expect(write(1)).rejects.toThrow(/does not honour If-None-Match, .*collector\.output\.catalog/)
  expect(store.stored.keys()).toEqual(['lake/e/T/metadata/undefined.avro'])
})

test.for(stores)(
  'a collector whose tables are in a catalog brings all events there, the refused ones too: %s',
  async kind => {
    const { fs, store } = await open(kind)
    const { url, tables } = await startFakeCatalog()
    const catalog = { ...plainCatalog, uri: url }
    const disk = createTearingDisk()
    const clock = { ms: startMs }
    const pause = async (): Promise<void> => {}
    const now = (): number => clock.ms
    const desk = createTableDesk({ fileSystem: fs, outputDirectory: '/e', catalog, log: silent, now, pause })
    const sealing = createSealing(disk, undefined, {}, desk.tableOf)
    const outputs = {
      outputDirectory: '/e',
      outputFormat: 'parquet',
      outputLayout: 'iceberg',
      snapshotMs: 1_000,
    } as const
    const settings = { ...outputs, catalog }
    const { spool, beat } = await openTestSpool({ disk, fileSystem: fs, settings, clock, tables: desk, sealing })
    await spool.append(jsonBatch([{ n: 1 }, { n: 2 }]))
    await spool.append(jsonBatch([{ n: 3 }], { name: toRefusedName('Other') }))
    clock.ms += 60_000
    await beat()
    await beat()
    expect(tables.get('events.Hello')?.['snapshots']).toMatchObject([{ summary: { 'added-records': '2' } }])
    expect(
      store.stored
        .keys()
        .filter(key => key.endsWith('.parquet'))
        .map(key => key.split('/')[2]),
    ).toEqual(['Hello', '_refused'])
  },
)
