/** Where the files of a trial are: in the embedded file system, in a real HDFS, or in an object store. */
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AwsV4Signer } from 'aws4fetch'
import type { Cluster } from '../../scripts/hdfs/cluster.ts'
import { hadoopOf } from '../../src/filesystem/facets.ts'
import { createS3FileSystem } from '../../src/filesystem/s3.ts'
import { createWebHdfsFileSystem } from '../../src/filesystem/webhdfs.ts'
import { testKeys } from '../suites/s3/fake-s3.ts'
import { hdfsSettings, startHdfs } from './hdfs.ts'
import { readCpuSeconds } from './proc.ts'
import { startStore, storeRegion, storeUrl } from './store.ts'
import { toUrl } from './transfer-run.ts'
import type { TrialOptions } from './trial.ts'

export type Place = {
  readonly options: TrialOptions
  /** Sluice's data directory. */
  readonly data: string
  /** What Sluice needs to find the place, as `key=value`. */
  readonly settings: readonly string[]
  /** The file on this machine that has or gets the bytes of the one at this path, which is below `/bench`. */
  readonly local: (path: string) => string
  /** Puts what {@link Place.local} names to where it is served from. */
  readonly publish: (path: string) => Promise<void>
  /** Bytes of the file at this path. */
  readonly lengthOf: (path: string) => Promise<number>
  /** CPU time that daemons of HDFS have taken so far. */
  readonly cpuSeconds: () => number
  readonly close: () => Promise<void>
}

export type HdfsPlace = Place & {
  readonly cluster: Cluster
  readonly dataNode: {
    /** `http://127.0.0.1:port` */
    readonly origin: string
    /** Where it sends a file from, as a NameNode redirects to. */
    readonly open: (path: string) => string
  }
}

export type StorePlace = Place & {
  /** The address of a file that anybody may read for an hour. */
  readonly presign: (path: string) => Promise<string>
}

export type OpenPlace<P extends Place> = (options: TrialOptions) => Promise<P>

export const openLocal: OpenPlace<Place> = async options => {
  const { data, local } = await makeData(options)
  return {
    options,
    data,
    settings: [],
    local,
    publish: async () => {},
    lengthOf: async path => (await stat(local(path))).size,
    cpuSeconds: () => 0,
    close: () => rm(data, { recursive: true, force: true }),
  }
}

/** Both sides and all rounds of a trial have the same cluster. @throws Skipped when this machine has no cluster */
export const openHdfs: OpenPlace<HdfsPlace> = async options => {
  const { data, local } = await makeData(options)
  const cluster = await startHdfs(join(data, 'cluster'))
  const { webhdfsUrl, user } = cluster
  const fileSystem = createWebHdfsFileSystem({ urls: [webhdfsUrl], user })
  return {
    options,
    data,
    settings: hdfsSettings(cluster),
    cluster,
    local,
    publish: path => hadoopOf(fileSystem).create(path, createReadStream(local(path)), { overwrite: true }),
    lengthOf: async path => (await fileSystem.getFileStatus(path)).length,
    cpuSeconds: () => cluster.pids().reduce((sum, pid) => sum + readCpuSeconds(pid), 0),
    dataNode: {
      origin: cluster.dataNodeUrl,
      open: path =>
        toUrl(cluster.dataNodeUrl, `/webhdfs/v1${path}`, {
          op: 'OPEN',
          'user.name': user,
          namenoderpcaddress: new URL(cluster.namenodeUrl).host,
          offset: '0',
        }),
    },
    close: async () => {
      await fileSystem.close()
      await cluster.stop()
      await rm(data, { recursive: true, force: true })
    },
  }
}

/** @throws Skipped when this machine has no such store */
export const openStore: OpenPlace<StorePlace> = async options => {
  const { data, local } = await makeData(options)
  const { endpoint, settings, stop } = await startStore()
  const fileSystem = await createS3FileSystem({ url: storeUrl, endpoint, region: storeRegion })
  return {
    options,
    data,
    settings,
    local,
    publish: path => hadoopOf(fileSystem).create(path, createReadStream(local(path)), { overwrite: true }),
    lengthOf: async path => (await fileSystem.getFileStatus(path)).length,
    cpuSeconds: () => 0,
    presign: async path => {
      const { host, pathname } = new URL(storeUrl)
      const url = `${endpoint}/${host}${pathname}${path}?X-Amz-Expires=3600`
      const signer = new AwsV4Signer({ url, ...testKeys, service: 's3', region: storeRegion, signQuery: true })
      return (await signer.sign()).url.href
    },
    close: async () => {
      await fileSystem.close()
      await stop()
      await rm(data, { recursive: true, force: true })
    },
  }
}

const makeData = async ({ directory }: TrialOptions): Promise<Pick<Place, 'data' | 'local'>> => {
  const data = await mkdtemp(join(directory, 'data-'))
  await mkdir(join(data, 'fs', 'bench'), { recursive: true })
  return { data, local: path => join(data, 'fs', path) }
}
