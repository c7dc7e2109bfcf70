import { expect, onTestFinished, test } from 'vitest'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { createS3FileSystem } from '../../../../src/filesystem/s3.ts'
import { expectCode, listNames } from '../../../suites/file-text.ts'
import { type FakeS3, startFakeS3, testEnv } from '../../../suites/s3/fake-s3.ts'

const open = async (keys: readonly string[]): Promise<{ readonly fs: FileSystem; readonly store: FakeS3 }> => {
  const store = await startFakeS3()
  for (const key of keys) store.stored.put(key, '')
  const how = { endpoint: store.endpoint, region: 'r', env: testEnv, maxRetries: 0 }
  const fs = await createS3FileSystem({ url: 's3://bucket/lake', ...how })
  onTestFinished(async () => {
    await fs.close()
    await store.close()
  })
  return { fs, store }
}
const deleteAll = (fs: FileSystem): Promise<boolean> => fs.delete('/d', { recursive: true })

test('many keys are deleted 1 000 in a call, and none beside them', async () => {
  const many = Array.from({ length: 2_500 }, (_, at) => `lake/d/${at}`)
  const { fs, store } = await open([...many, 'lake/d0', 'd/0'])
  expect(await deleteAll(fs)).toBe(true)
  expect(store.stored.keys()).toEqual(['d/0', 'lake/d0'])
  expect(store.requests.filter(request => request === 'POST ?delete')).toHaveLength(3)
})

test('an object that is not deleted is an error, in an answer of 200, too', async () => {
  const { fs, store } = await open(['lake/d/a', 'lake/d/b'])
  for (const [code, want] of [
    ['AccessDenied', 'denied'],
    ['InternalError', 'unavailable'],
    ['', 'unavailable'],
  ] as const) {
    const text = `<DeleteResult><Error><Key>lake/d/b</Key><Code>${code}</Code><Message>it is &lt;kept&gt;</Message></Error></DeleteResult>`
    store.fault = ({ method }) => (method === 'POST' ? { status: 200, text } : undefined)
    const deleting = deleteAll(fs)
    await expectCode(deleting, want)
    if (code) await expect(deleting).rejects.toThrow(`Cannot delete "/d": ${code}: it is <kept>`)
  }
})

test('a key that XML cannot hold is deleted by its URL, unless that names another object', async () => {
  const { fs, store } = await open(['lake/d/\u0001', 'lake/d/../o', 'lake/o'])
  await deleteAll(fs)
  expect(store.stored.keys()).toEqual(['lake/o'])
  expect(store.requests).toContain('DELETE lake/d/\u0001')
  store.stored.put('lake/d/../\u0001', '')
  store.stored.put('lake/\u0001', '')
  await expectCode(deleteAll(fs), 'unsupported')
  expect(store.stored.keys()).toContain('lake/\u0001')
})

test.for(['<Contents><Key>other/x</Key></Contents>', '<CommonPrefixes><Prefix>other/</Prefix></CommonPrefixes>'])(
  'a store that lists %s, which was not asked for, is not believed',
  async listed => {
    const { fs, store } = await open(['lake/d/a', 'other/x'])
    const text = `<ListBucketResult><IsTruncated>false</IsTruncated>${listed}</ListBucketResult>`
    store.fault = ({ query }) => (query.has('list-type') ? { status: 200, text } : undefined)
    await expect(deleteAll(fs)).rejects.toThrow('the listing has keys that were not asked for')
    await expectCode(listNames(fs, '/d'), 'unavailable')
    expect(store.stored.keys()).toEqual(['lake/d/a', 'other/x'])
  },
)
