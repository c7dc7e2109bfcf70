/** The file system over stores of other make. */
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { missingForS3Mock, type StoreServer, startMoto, startS3Mock } from '../../../scripts/s3/stores.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { createS3FileSystem } from '../../../src/filesystem/s3.ts'
import { describePart } from '../../suites/describe-part.ts'
import { describeStore, type StoreSubject, storePartBytes } from '../../suites/s3/describe-store.ts'
import { testEnv } from '../../suites/s3/fake-s3.ts'
import { createBucket, type RawStore } from '../../suites/s3/raw-store.ts'
import { makePythonEnvironment } from '../python-environment.ts'
import { buildVersitygw, startBuiltVersitygw } from './versitygw.ts'

const moto = await makePythonEnvironment('s3', resolve('test/interop/s3/python/requirements.txt'))

/** A store with a bucket, for all tests of a suite. */
const openFor = (start: () => Promise<StoreServer>) => {
  let server: StoreServer
  let bucket: RawStore
  let fs: FileSystem
  beforeAll(async () => {
    server = await start()
    bucket = await createBucket(server.endpoint, 'bucket', 'lake/')
    const how = { endpoint: server.endpoint, region: 'us-east-1', env: testEnv, partBytes: storePartBytes }
    fs = await createS3FileSystem({ url: 's3://bucket/lake', ...how })
  })
  afterAll(async () => {
    await fs?.close()
    await bucket?.close()
    await server?.stop()
  })
  return { fs: () => fs, bucket: () => bucket }
}

const describeOver = (
  name: string,
  missing: string | undefined,
  start: () => Promise<StoreServer>,
  quirks: Pick<StoreSubject, 'impossibleNames' | 'isExact' | 'isAtomic' | 'isFlat' | 'tellsBegin'> = {},
): void =>
  describePart('s3', missing, name, () => {
    const { fs, bucket } = openFor(start)
    describeStore(name, {
      fs,
      put: (key, text) => bucket().put(key, text),
      begin: key => bucket().begin(key),
      look: () => bucket().look(),
      ...quirks,
    })
  })

// All of its uploads were begun in 2010, and its threads race between the look at a condition and the write.
const startIt = () => startMoto('python' in moto ? moto.python : '')
describeOver('moto', 'missing' in moto ? moto.missing : undefined, startIt, { isAtomic: false, tellsBegin: false })
// Its web server takes no escaped backslash; keys are ordered as Java orders texts, and writers race.
describeOver('S3Mock', await missingForS3Mock(), startS3Mock, {
  impossibleNames: ['back\\slash'],
  isExact: false,
  isAtomic: false,
})

// It takes minutes to build: `npm run nightly`.
if (process.env['SLUICE_TEST_VERSITYGW']) {
  const missing = await buildVersitygw()
  // Its keys are the paths of a directory.
  describeOver('versitygw', missing, () => startBuiltVersitygw(), { isFlat: false })
  describePart('s3', missing, 'versitygw without metadata', () => {
    const { fs, bucket } = openFor(() => startBuiltVersitygw('--nometa'))
    async function* text(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('text')
    }
    test('does not look at the condition, and gives objects no ETag: it is refused', async () => {
      await expect(fs().checkPublish?.('/e')).rejects.toThrow('does not honour If-None-Match')
      await expect(fs().publish('/e/f', text())).rejects.toThrow('does not honour If-None-Match')
      await bucket().put('e/there', 'text')
      await expect(fs().getFileStatus('/e/there')).rejects.toThrow('the answer has no ETag, so it is not of S3')
      const { keys, uploads } = await bucket().look()
      expect([keys.filter(key => !key.endsWith('/')), uploads]).toEqual([['e/there'], []])
    })
  })
}
