import { expect, onTestFinished, test } from 'vitest'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { createMountTable } from '../../../../src/filesystem/mounts.ts'
import { createS3FileSystem } from '../../../../src/filesystem/s3.ts'
import { temporaryName } from '../../../../src/filesystem/temporary-name.ts'
import { expectCode } from '../../../suites/file-text.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { type FakeS3, type S3Fault, startFakeS3, testEnv } from '../../../suites/s3/fake-s3.ts'

const open = async (): Promise<{ readonly fs: FileSystem; readonly store: FakeS3 }> => {
  const store = await startFakeS3({ pageKeys: 2 })
  const how = { endpoint: store.endpoint, region: 'r', env: testEnv, maxRetries: 0 }
  const fs = await createS3FileSystem({ url: 's3://bucket/lake', ...how })
  onTestFinished(async () => {
    await fs.close()
    await store.close()
  })
  return { fs, store }
}
const giveUpAll = async (fs: FileSystem, directory = '/e'): Promise<number | undefined> =>
  await fs.uploads?.giveUp(directory, () => true)

test.for<[string, S3Fault]>([
  ['is not reached', 'before'],
  ['does its work, and its answer is lost', 'after'],
])('a process that is killed at any request, which %s: the next one gives up the rest', async ([, fault]) => {
  for (let step = 0; ; step++) {
    const { fs, store } = await open()
    for (const key of ['a', 'a', 'a']) store.stored.begin(`lake/e/${key}`)
    for (let tries = 0; tries < 2; tries++) store.stored.put(`lake/e/${temporaryName()}`, 'sluice')
    const others = ['lake/e', 'lake/e2/a', 'e/a'].map(key => store.stored.begin(key))
    let asked = 0
    store.fault = () => (asked++ === step ? fault : asked > step + 1 ? 'before' : undefined)
    const first = await giveUpAll(fs).catch(() => 'killed')
    store.fault = () => undefined
    await giveUpAll(fs)
    expect([...store.stored.uploads.keys(), ...store.stored.keys()]).toEqual(others)
    if (first !== 'killed') return expect([first, step]).toEqual([5, 8])
  }
})

test('one that is finished or given up meanwhile is none to speak of, and one that stays is an error', async () => {
  const { fs, store } = await open()
  store.stored.begin('lake/e/a')
  const isGone = (): boolean => {
    store.stored.uploads.clear()
    return true
  }
  expect(await fs.uploads?.giveUp('/e', isGone)).toBe(1)
  store.stored.begin('lake/e/a')
  store.fault = ({ method }) => (method === 'DELETE' ? { status: 403 } : undefined)
  await expectCode(giveUpAll(fs), 'denied')
})

const list = (inner: string): string => `<ListMultipartUploadsResult>${inner}</ListMultipartUploadsResult>`
const upload = (key: string, id: string): string => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`

test.for([
  ['uploads that were not asked for', list(upload('other/x', '1')), 'uploads that were not asked for'],
  ['an upload without an id', list(upload('lake/e/x', '')), 'uploads that were not asked for'],
  ['another answer', '<ListBucketResult/>', 'the answer is no listing of uploads'],
  [
    'one page again and again',
    list('<IsTruncated>true</IsTruncated><NextKeyMarker>lake/e/x</NextKeyMarker>'),
    'the store repeats itself',
  ],
] as const)('a store that lists %s is not believed', async ([, text, message]) => {
  const { fs, store } = await open()
  store.stored.put('lake/e/x', '')
  store.fault = ({ method }) => (method === 'GET' && store.requests.length < 5 ? { status: 200, text } : undefined)
  await expect(giveUpAll(fs)).rejects.toThrow(message)
  expect(store.stored.keys()).toEqual(['lake/e/x'])
})

test('an upload of which the store does not say when it was begun was begun just now', async () => {
  const { fs, store } = await open()
  const ages: number[] = []
  const isLeftOver = (_: string, age: number): boolean => ages.push(age) === 0
  store.stored.begin('lake/e/x', Date.now() - 7_200_000)
  await fs.uploads?.giveUp('/e', isLeftOver)
  const text = list(upload('lake/e/x', '1'))
  store.fault = ({ query }) => (query.has('uploads') ? { status: 200, text } : undefined)
  await fs.uploads?.giveUp('/e', isLeftOver)
  expect(ages.map(age => Math.round(age / 3_600_000))).toEqual([2, 0])
})

test('of the objects of a directory only those are given up that a try of the condition left', async () => {
  const { fs, store } = await open()
  const others = [
    `lake/e/${temporaryName()}`,
    `lake/e/in/${temporaryName()}`,
    `lake/${temporaryName()}`,
    'lake/e/.sluice-1.tmp',
  ]
  const [longer = '', ...rest] = others
  store.stored.put(longer, 'sluice!')
  for (const key of rest) store.stored.put(key, 'sluice')
  const left = temporaryName()
  store.stored.put(`lake/e/${left}`, 'sluice')
  const asked: (readonly [string, number])[] = []
  const note = (path: string, age: number): boolean => asked.push([path, age]) === 2
  for (const count of [0, 1, 0]) expect(await fs.uploads?.giveUp('/e', note)).toBe(count)
  expect(asked.map(([path]) => path)).toEqual([`/e/${left}`, `/e/${left}`])
  expect(asked.every(([, age]) => Math.abs(Date.now() - age - Date.UTC(2026, 0, 2, 3, 4, 5)) < 60_000)).toBe(true)
  expect(store.stored.keys()).toEqual(others.sort())
})

test('where a store is mounted paths are those of the one name space, and elsewhere there is nothing to do', async () => {
  const { fs, store } = await open()
  store.stored.begin('lake/e/x')
  const table = createMountTable(createMemoryFileSystem(), [{ path: '/far', fileSystem: fs }])
  const asked: string[] = []
  const note = (path: string): boolean => asked.push(path) > 0
  expect(await table.uploads?.giveUp('/far/e', note)).toBe(1)
  expect(await table.uploads?.giveUp('/near', note)).toBe(0)
  expect([asked, store.stored.uploads.size]).toEqual([['/far/e/x'], 0])
})
