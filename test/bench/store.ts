/** An object store of other make, S3Mock, as the default cluster of the servers that are measured. */
import { missingForS3Mock, startS3Mock } from '../../scripts/s3/stores.ts'
import { testKeys } from '../suites/s3/fake-s3.ts'
import { createBucket } from '../suites/s3/raw-store.ts'
import { Skipped } from './trial.ts'

export const storeRegion = 'us-east-1'
export const storeUrl = 's3://bucket'

export type BenchStore = {
  /** `http://host:port`, with the bucket in the path. */
  readonly endpoint: string
  /** What Sluice needs to find it, as `key=value`; its keys are in the environment, which servers inherit. */
  readonly settings: readonly string[]
  readonly stop: () => Promise<void>
}

/** @throws Skipped when this machine has no such store */
export const startStore = async (): Promise<BenchStore> => {
  const missing = await missingForS3Mock()
  if (missing !== undefined) throw new Skipped(`no S3Mock, ${missing}`)
  const store = await startS3Mock()
  const { endpoint } = store
  const bucket = await createBucket(endpoint, 'bucket', '')
  await bucket.close()
  process.env['AWS_ACCESS_KEY_ID'] = testKeys.accessKeyId
  process.env['AWS_SECRET_ACCESS_KEY'] = testKeys.secretAccessKey
  return {
    endpoint,
    settings: [`clusters=${JSON.stringify([{ path: '/', url: storeUrl, endpoint, region: storeRegion }])}`],
    stop: () => store.stop(),
  }
}
