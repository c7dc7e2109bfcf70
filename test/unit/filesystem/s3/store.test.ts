import { afterAll, beforeAll } from 'vitest'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { createS3FileSystem } from '../../../../src/filesystem/s3.ts'
import { describeStore, storePartBytes } from '../../../suites/s3/describe-store.ts'
import { type FakeS3, startFakeS3, testEnv } from '../../../suites/s3/fake-s3.ts'

let fake: FakeS3
let fs: FileSystem
const prefix = 'lake/'

beforeAll(async () => {
  fake = await startFakeS3({ pageKeys: 3 })
  const how = { endpoint: fake.endpoint, region: 'eu-west-1', env: testEnv, partBytes: storePartBytes }
  fs = await createS3FileSystem({ url: 's3://bucket/lake', ...how })
})
afterAll(async () => {
  await fs.close()
  await fake.close()
})

describeStore('a store in memory', {
  fs: () => fs,
  put: async (key, text) => void fake.stored.put(`${prefix}${key}`, text),
  begin: async key => void fake.stored.begin(`${prefix}${key}`),
  look: async () => ({
    keys: fake.stored.keys().map(key => key.slice(prefix.length)),
    uploads: [...fake.stored.uploads.values()].map(({ key }) => key),
  }),
})
