/**
 * An object store that speaks S3: files are objects, a path is a key below a prefix, and directories are what keys have in
 * common.
 *
 *     names    HEAD an object, ListObjectsV2 a page of keys
 *     bytes    GET with a range; PUT, or an upload in parts
 *
 * What it lacks (permissions, owners, times, appends) is refused as `facets.ts` does.
 */

import type { FailoverOptions } from './cluster/failover.ts'
import type { FileSystem } from './filesystem.ts'
import { toDirectoryStatus } from './find-status.ts'
import type { HadoopVerbs } from './hadoop-verbs.ts'
import { checkAction, checkPermission, checkRange } from './options.ts'
import { parsePath } from './path.ts'
import { createS3Client, type S3Client } from './s3/client.ts'
import { createConditionProof } from './s3/condition.ts'
import { createSummary } from './s3/content-summary.ts'
import { type Environment, processEnvironment } from './s3/credentials/environment.ts'
import { toKeySources } from './s3/credentials/find-keys.ts'
import { createKeptKeys } from './s3/credentials/kept-keys.ts'
import { findRegion } from './s3/credentials/region.ts'
import { createDeleter } from './s3/delete-keys.ts'
import { createS3Directories } from './s3/directories.ts'
import { listKeyPage } from './s3/list-keys.ts'
import { createS3Listing } from './s3/listing.ts'
import { needEntry } from './s3/objects.ts'
import { createOpener } from './s3/open-object.ts'
import { toS3Place } from './s3/place.ts'
import { createTrySweep, createUploads } from './s3/write/left-over.ts'
import { createS3Publisher } from './s3/write/publisher.ts'
import { type Ask, createAsk } from './webhdfs/transport/ask.ts'

export type S3Options = FailoverOptions & {
  /** `s3://bucket` or `s3://bucket/prefix`. */
  readonly url: string
  /** `http(s)://host:port` of the store. @default AWS' own of the region */
  readonly endpoint?: string | undefined
  /** @default as the environment or the profile says, else `us-east-1` */
  readonly region?: string | undefined
  readonly pathStyle?: boolean | undefined
  /** Where keys are. @default the environment, a profile, a web identity, the instance's role, in that order */
  readonly profile?: string | undefined
  /** @default that of this process */
  readonly env?: Environment
  /** How stores are asked. @default over connections that are kept */
  readonly ask?: Ask
  /** ms since the epoch. @default Date.now */
  readonly clock?: () => number
  /** How long a store may take to answer. @default 30 000 */
  readonly timeoutMs?: number
  /** How long it may neither take nor send bytes. @default 60 000 */
  readonly idleTimeoutMs?: number
  /** Bytes of a part, and of what goes by one PUT. @default 8 MiB */
  readonly partBytes?: number
}

const defaultPartBytes = 8 * 2 ** 20

/**
 * A file system in an object store. Nothing is asked of the store before the first call.
 * @throws TypeError for a URL or an endpoint that cannot be used
 */
export const createS3FileSystem = async (options: S3Options): Promise<FileSystem> => {
  const { url, endpoint, pathStyle, profile, env = processEnvironment(), timeoutMs = 30_000 } = options
  const own = createAsk()
  const { ask = own.ask } = options
  const region = options.region ?? (await findRegion(profile, env))
  const place = toS3Place(url, { endpoint: endpoint ?? endpointOf(env), region, pathStyle })
  const keys = createKeptKeys(toKeySources(profile, { ask, env, region, timeoutMs }))
  return createOver(createS3Client({ ...options, place, keys, ask, timeoutMs }), options, () => own.close())
}

const endpointOf = (env: Environment): string | undefined =>
  env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'] || undefined

const createOver = (client: S3Client, options: S3Options, close: () => Promise<void>): FileSystem => {
  const { idleTimeoutMs = 60_000, partBytes = defaultPartBytes } = options
  const uploads = createUploads(client)
  const sweep = createTrySweep(uploads)
  const proof = createConditionProof(client, sweep.start)
  const opener = createOpener(client, idleTimeoutMs)
  const list = createS3Listing(client)
  const remove = createDeleter(client)
  const directories = createS3Directories(client, proof)
  const summarize = createSummary(client)
  const getFileStatus: FileSystem['getFileStatus'] = async text => {
    const path = parsePath(text)
    return path === '/' ? toDirectoryStatus(path) : await needEntry(client, path, 'look at')
  }
  const open: FileSystem['open'] = async (path, given = {}) => {
    checkRange(given)
    return await opener.open(parsePath(path), given)
  }
  const publisher = createS3Publisher(client, { open, proof, partBytes })

  const hadoop: Partial<HadoopVerbs> = {
    async create(path, source, given = {}) {
      checkPermission(given.permission)
      await publisher.publish(path, source, given)
    },
    getContentSummary: async (path, given) => await summarize(parsePath(path), given),
    // Permissions show only when they are used.
    async access(path, action) {
      checkAction(action)
      await getFileStatus(path)
    },
  }

  return {
    url: client.place.url,
    ...publisher,
    open,
    openFile: async path => await opener.openFile(parsePath(path)),
    getFileStatus,
    listStatus: (path, given) => list(parsePath(path), given),
    delete: async (path, given) => await remove(parsePath(path), given),
    directories: {
      async mkdirs(path, { permission } = {}) {
        checkPermission(permission)
        await directories.mkdirs(parsePath(path))
      },
      rename: async (source, target, given) => await directories.rename(parsePath(source), parsePath(target), given),
    },
    hadoop,
    uploads,
    checkPublish: async directory => await proof.check(parsePath(directory)),

    async probe() {
      const how = { path: '/', action: 'reach', maxRetries: 0 }
      await listKeyPage(client, { prefix: client.place.prefix, maxKeys: 1, ...how })
    },

    close: async () => {
      sweep.stop()
      await close()
    },
  }
}
