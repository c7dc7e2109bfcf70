import { createS3Client, type S3Client } from '../../../src/filesystem/s3/client.ts'
import { createEnvironmentSource } from '../../../src/filesystem/s3/credentials/environment.ts'
import { createKeptKeys } from '../../../src/filesystem/s3/credentials/kept-keys.ts'
import { decodeKey, listKeyPages } from '../../../src/filesystem/s3/list-keys.ts'
import { toS3Place } from '../../../src/filesystem/s3/place.ts'
import { createAsk } from '../../../src/filesystem/webhdfs/transport/ask.ts'
import { childrenOf, childText } from '../../../src/formats/xml/xml-element.ts'
import type { StoreSubject } from './describe-store.ts'
import { testEnv } from './fake-s3.ts'

/** A bucket of a real store, beside the file system over it. */
export type RawStore = Pick<StoreSubject, 'put' | 'begin' | 'look'> & { close(): Promise<void> }

const how = { path: '/', action: 'use', repeatable: true } as const

/** Makes a bucket, and looks into it by its keys. @param prefix what counts of it, with a slash at the end */
export const createBucket = async (endpoint: string, bucket: string, prefix: string): Promise<RawStore> => {
  const own = createAsk()
  const place = toS3Place(`s3://${bucket}`, { endpoint, region: 'us-east-1' })
  const keys = createKeptKeys([createEnvironmentSource(testEnv)])
  const client = createS3Client({ place, keys, ask: own.ask })
  await client.call({ method: 'PUT', ...how }, ({ body }) => body.cancel())
  return {
    put: (key, text) =>
      client.call({ method: 'PUT', key: `${prefix}${key}`, body: Buffer.from(text), ...how }, ({ body }) =>
        body.cancel(),
      ),
    begin: key =>
      client.call({ method: 'POST', key: `${prefix}${key}`, query: { uploads: '' }, ...how }, ({ body }) =>
        body.cancel(),
      ),
    look: async () => ({ keys: await keysOf(client, prefix), uploads: await uploadsOf(client) }),
    close: () => own.close(),
  }
}

const keysOf = async (client: S3Client, prefix: string): Promise<string[]> => {
  const pages = await Array.fromAsync(listKeyPages(client, { prefix, ...how }))
  return pages.flatMap(({ keys }) => keys.map(({ key }) => key.slice(prefix.length)))
}

const uploadsOf = async (client: S3Client): Promise<string[]> => {
  const list = await client.xml({ method: 'GET', query: { uploads: '' }, ...how })
  return list ? childrenOf(list, 'Upload').map(upload => decodeKey(childText(upload, 'Key') ?? '')) : []
}
