import { expect, onTestFinished, test, vi } from 'vitest'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { createMountTable } from '../../../../src/filesystem/mounts.ts'
import { createS3FileSystem } from '../../../../src/filesystem/s3.ts'
import { temporaryName } from '../../../../src/filesystem/temporary-name.ts'
import { expectCode } from '../../../suites/file-text.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { type FakeS3, type FakeS3Options, type S3Fault, startFakeS3, testEnv } from '../../../suites/s3/fake-s3.ts'

const open = async (
  options: FakeS3Options = {},
  maxRetries = 0,
): Promise<{ readonly fs: FileSystem; readonly store: FakeS3 }> => {
  const store = await startFakeS3({ pageKeys: 2, ...options })
  const how = { endpoint: store.endpoint, region: 'r', env: testEnv, maxRetries, sleep: async () => {} }
  const fs = await createS3FileSystem({ url: 's3://bucket/lake', ...how })
  onTestFinished(async () => {
    await fs.close()
    await store.close()
  })
  return { fs, store }
}
/** What a try of the condition leaves when its process is killed in the middle. */
const leaveTry = ({ stored }: FakeS3, directory: string, begun?: number): string => {
  const key = `${directory}/${temporaryName()}`
  stored.begin(key, begun)
  stored.put(key, 'sluice')
  return key
}
const restOf = ({ stored }: FakeS3): readonly string[] => [...stored.uploads.keys(), ...stored.keys()]
const uploadsOf = ({ stored }: FakeS3): readonly string[] => [...stored.uploads.values()].map(({ key }) => key)
const giveUpAll = async (fs: FileSystem, directory = '/e'): Promise<number | undefined> =>
  await fs.uploads?.giveUp(directory, () => true)

test.for<[string, S3Fault]>([
  ['is not reached', 'before'],
  ['does its work, and its answer is lost', 'after'],
])('a process that is killed at any request, which %s: the next one gives up the rest', async ([, fault]) => {
  for (let step = 0; ; step++) {
    const { fs, store } = await open()
    for (const key of ['a', 'a', 'a']) store.stored.begin(`lake/e/${key}`)
    for (const directory of ['lake/e', 'lake/e/in']) leaveTry(store, directory)
    const others = ['lake/e', 'lake/e2/a', 'e/a'].map(key => store.stored.begin(key))
    let asked = 0
    store.fault = () => (asked++ === step ? fault : asked > step + 1 ? 'before' : undefined)
    const first = await giveUpAll(fs).catch(() => 'killed')
    store.fault = () => undefined
    await giveUpAll(fs)
    expect(restOf(store)).toEqual(others)
    if (first !== 'killed') return expect([first, step]).toEqual([5, 12])
  }
})

const kinds = ['honours', 'ignores'] as const
const killings = [
  ['is not reached', 'before'],
  ['does its work, and its answer is lost', 'after'],
  ['does its work later', 'late'],
] as const
const killed = kinds.flatMap(kind => killings.map(([what, fault]) => ({ kind, what, fault })))

test.for(killed)(
  'a try that is killed at any request, which $what, leaves what is found, where the store $kind the condition',
  async ({ kind, fault }) => {
    const steps = []
    for (let step = 0; ; step++) {
      const { fs, store } = await open({ ignoresCondition: kind === 'ignores' })
      let asked = 0
      store.fault = () => (asked++ === step ? fault : asked > step + 1 ? 'before' : undefined)
      await fs.checkPublish?.('/e').catch(() => {})
      store.fault = () => undefined
      store.carryOut()
      await giveUpAll(fs, '/')
      expect(restOf(store)).toEqual([])
      if (asked <= step) break
      steps.push(step)
    }
    expect(steps).toHaveLength(kind === 'ignores' ? 5 : 9)
  },
)

test.for(kinds)(
  'a request of a try that is carried out after the try ended leaves what is found, where the store %s it',
  async kind => {
    let late = 0
    for (let step = 0; ; step++) {
      const { fs, store } = await open({ ignoresCondition: kind === 'ignores' }, 2)
      let asked = 0
      store.fault = () => (asked++ === step ? 'late' : undefined)
      await fs.checkPublish?.('/e').catch(() => {})
      store.fault = () => undefined
      const before = restOf(store).length
      store.carryOut()
      late += Number(restOf(store).length > before)
      await giveUpAll(fs, '/')
      expect(restOf(store)).toEqual([])
      if (asked <= step) break
    }
    expect(late).toBeGreaterThan(0)
  },
)

test('an upload that is completed late, because giving it up failed, leaves what is found', async () => {
  const { fs, store } = await open()
  let completed: string | null = null
  store.fault = ({ method, query }) => {
    const id = query.get('uploadId')
    if (id !== null && method === 'POST') completed = id
    else if (id === null || id !== completed) return undefined
    return method === 'POST' ? 'late' : 'before'
  }
  await expectCode(Promise.resolve(fs.checkPublish?.('/e')), 'unavailable')
  store.fault = () => undefined
  store.carryOut()
  expect(store.stored.keys()).toHaveLength(1)
  await giveUpAll(fs, '/')
  expect(restOf(store)).toEqual([])
})

test('a try of which all answers came leaves nothing', async () => {
  const { fs, store } = await open()
  await fs.checkPublish?.('/e')
  expect(restOf(store)).toEqual([])
})

test('a process that tries the condition removes what others have left of theirs anywhere, two hours later', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { fs, store } = await open()
  const hours = (age: number): number => Date.now() - age * 3_600_000
  for (const directory of ['lake/e', 'lake/far/away']) leaveTry(store, directory, hours(1.1))
  const going = leaveTry(store, 'lake/e', hours(0.9))
  const elsewhere = leaveTry(store, 'other', hours(9))
  store.stored.begin('lake/e/f', hours(9))
  await fs.checkPublish?.('/x')
  const before = store.requests.length
  vi.advanceTimersByTime(7_199_000)
  expect(store.requests.length).toBe(before)
  vi.advanceTimersByTime(1_000)
  vi.useRealTimers()
  const rest = [going, elsewhere]
  await vi.waitFor(() => expect(uploadsOf(store)).toEqual([...rest, 'lake/e/f']), { timeout: 60_000 })
  expect(store.stored.keys()).toEqual(rest.sort())
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

test('of objects only those are removed that a try of the condition left, and not while it may go on', async () => {
  const { fs, store } = await open()
  const begun = Date.now() - 7_200_000
  const going = leaveTry(store, 'lake/e', begun)
  const object = store.stored.objects.get(going)
  if (object) store.stored.objects.set(going, { ...object, modified: Date.now() })
  const longer = leaveTry(store, 'lake/e', begun)
  store.stored.put(longer, 'sluice!')
  const other = 'lake/e/.sluice-1.tmp'
  store.stored.begin(other, begun)
  store.stored.put(other, 'sluice')
  const untold = `lake/e/${temporaryName()}`
  store.stored.put(untold, 'sluice')
  leaveTry(store, 'lake/e/in', begun)
  expect(await fs.uploads?.giveUp('/e', (_, age) => age > 3_600_000)).toBe(3)
  expect(store.stored.keys()).toEqual([going, longer, other, untold].sort())
  expect(uploadsOf(store)).toEqual([going])
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
