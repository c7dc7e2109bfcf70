/** An object store with a proxy before it, in place of HDFS. */
import type { IncomingMessage } from 'node:http'
import { resolve } from 'node:path'
import { startMoto } from '../../scripts/s3/stores.ts'
import { createS3FileSystem } from '../../src/filesystem/s3.ts'
import { isTemporaryName } from '../../src/filesystem/temporary-name.ts'
import { makePythonEnvironment } from '../interop/python-environment.ts'
import { toErrorXml } from '../suites/s3/answer-s3.ts'
import { testEnv } from '../suites/s3/fake-s3.ts'
import { createBucket } from '../suites/s3/raw-store.ts'
import { storeOf } from '../suites/store-of.ts'
import { type Dialect, startFaultProxy } from './fault-proxy.ts'
import type { Files, OnStart } from './stage.ts'

const findMoto = () => makePythonEnvironment('s3', resolve('test/interop/s3/python/requirements.txt'))

/** What this machine lacks for it, as a sentence; undefined when nothing. */
export const missingForObjects = async (): Promise<string | undefined> => {
  const moto = await findMoto()
  return 'missing' in moto ? moto.missing : undefined
}

/** Methods of the steps of a commit, which have names of WebHDFS elsewhere. */
const methods: Readonly<Record<string, readonly string[]>> = {
  RENAME: ['PUT', 'POST'],
  CREATE: ['PUT'],
  GETFILESTATUS: ['HEAD', 'GET'],
}

const s3: Dialect = {
  isOf: ({ method = '' }: IncomingMessage, operation) => methods[operation]?.includes(method) ?? false,
  isUpload: ({ method }) => method === 'PUT',
  keepsHost: true,
  textOf: status => toErrorXml(status === 500 ? 'InternalError' : 'SlowDown', 'not now'),
}

const place = { url: 's3://bucket/lake', region: 'us-east-1' }

/** Starts moto, which keeps all in its memory, and never stops it: what a network does to it is as bad. */
export const startObjects = async (onStart: OnStart): Promise<Files> => {
  const moto = await findMoto()
  if ('missing' in moto) throw new Error(moto.missing)
  const store = await startMoto(moto.python)
  onStart(() => store.stop())
  const bucket = await createBucket(store.endpoint, 'bucket', 'lake')
  onStart(() => bucket.close())
  const proxy = await startFaultProxy(store.endpoint, { dialect: s3 })
  onStart(() => proxy.close())
  const fileSystem = await createS3FileSystem({ ...place, endpoint: store.endpoint, env: testEnv })
  onStart(() => fileSystem.close())
  return {
    hdfs: undefined,
    objects: proxy,
    settings: [`clusters=${JSON.stringify([{ path: '/', ...place, endpoint: proxy.url }])}`],
    env: testEnv,
    network: proxy,
    fileSystem,
    openStore: async () => storeOf(fileSystem),
    leftOver: async directory => {
      const { keys, uploads } = await bucket.look()
      const tries = keys.filter(key => isTemporaryName(key.replace(/.*\//, '')))
      return [...tries, ...uploads].filter(key => key.includes(`${directory}/`))
    },
    realm: undefined,
    mend: () => proxy.set('none'),
  }
}
