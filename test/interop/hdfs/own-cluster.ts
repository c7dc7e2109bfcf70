/** Real clusters of a test's own, and what the name node's own check and the disks of the data nodes say of files. */
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { missingForHdfs } from '../../../scripts/hdfs/artifacts.ts'
import { type Cluster, type ClusterOptions, startCluster } from '../../../scripts/hdfs/cluster.ts'
import { createFileSystem } from '../../../src/filesystem/create.ts'
import { describePart } from '../../suites/describe-part.ts'
import { type FlatFileSystem, flat } from '../../suites/flat-filesystem.ts'

/** Several daemons at once are slow to start on a machine with other work. */
export const slowStart = { startTimeoutMs: 280_000 } as const

/** Each block on three data nodes of three, whichever of them are busy. */
export const threeDataNodes: ClusterOptions = {
  ...slowStart,
  dataNodes: 3,
  properties: { 'dfs.replication': '3', 'dfs.namenode.redundancy.considerLoad': 'false' },
}

/** A `describe` with a cluster of its own; without Hadoop it is skipped and says why, or fails when `SLUICE_REQUIRE` has `hdfs`. */
export const describeOwnHdfs = async (
  name: string,
  options: ClusterOptions,
  body: (cluster: () => Cluster) => void,
): Promise<void> => {
  const missing = process.env['SLUICE_NO_HDFS']
    ? 'SLUICE_NO_HDFS is set'
    : await missingForHdfs(undefined, options.version)
  describePart('hdfs', missing, name, () => {
    let cluster: Cluster
    beforeAll(async () => {
      cluster = await startCluster(options)
    })
    afterAll(() => cluster?.stop())
    body(() => cluster)
  })
}

type NativeOptions = Parameters<typeof createFileSystem>[1] & { readonly namenodeUrl?: string }

/** By its own protocol alone. */
export const openNative = async (
  cluster: Cluster,
  { namenodeUrl, ...more }: NativeOptions = {},
): Promise<FlatFileSystem> =>
  flat(
    await createFileSystem(
      { url: namenodeUrl ?? cluster.namenodeUrl, webhdfs: [cluster.webhdfsUrl], protocol: 'native' },
      more,
    ),
  )

/** By WebHDFS: what somebody else sees. */
export const openWebHdfs = async ({ namenodeUrl, webhdfsUrl }: Cluster): Promise<FlatFileSystem> =>
  flat(await createFileSystem({ url: namenodeUrl, webhdfs: [webhdfsUrl], protocol: 'webhdfs' }))

/** What `hdfs fsck` prints of a directory, open files included: it is this page of the name node. */
export const fsck = async ({ webhdfsUrl, user }: Cluster, path: string): Promise<string> => {
  const query = new URLSearchParams({ ugi: user, path, files: '1', blocks: '1', openforwrite: '1' })
  return await (await fetch(`${webhdfsUrl}/fsck?${query.toString()}`)).text()
}

/** What is wrong by the words of {@link fsck}; empty when all is well and each block has all its replicas. */
export const findFaults = (report: string): readonly string[] => [
  ...(/Status: HEALTHY/.test(report) ? [] : [`not healthy: ${report.slice(-2_000)}`]),
  ...Array.from(
    report.matchAll(/^ *((?:Under-replicated|Mis-replicated|Corrupt|Missing) (?:blocks|replicas):\s+[1-9].*)$/gm),
    ([, line = '']) => line,
  ),
  ...Array.from(report.matchAll(/^.*OPENFORWRITE.*$/gm), ([line]) => line),
]

/** A block on the disk of one data node: its bytes, and the file with their checksums. */
export type Replica = { readonly bytes: Buffer; readonly sums: Buffer }

/** The replicas of each block that a report of {@link fsck} names, by the block's name. */
export const readReplicas = async (
  { dataNodes }: Cluster,
  report: string,
): Promise<ReadonlyMap<string, readonly Replica[]>> => {
  const paths = dataNodes.flatMap(({ data }) => globSync(join(data, 'current/*/current/finalized/**/blk_*')))
  const found = new Map<string, Replica[]>()
  for (const [, name = '', stamp = ''] of report.matchAll(/\b(blk_\d+)_(\d+) len=/g)) {
    const replicas = paths.filter(path => path.endsWith(`/${name}`))
    const read = replicas.map(async path => ({
      bytes: await readFile(path),
      sums: await readFile(`${path}_${stamp}.meta`),
    }))
    found.set(name, await Promise.all(read))
  }
  return found
}
