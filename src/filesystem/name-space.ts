import { createFileSystem, type FileSystemSettings, locateWebHdfs } from './create.ts'
import { type FileSystem, FileSystemError, withSetting } from './filesystem.ts'
import type { MountedFileSystem } from './mounts/routes.ts'
import { createMountTable, type MountTable } from './mounts.ts'
import type { WayLog } from './way.ts'
import type { HeldTokens } from './webhdfs/credentials.ts'

/** A cluster of the one name space, and which settings name it. */
export type NameSpaceCluster = FileSystemSettings & {
  /** Where it appears; `/` for the default one. */
  readonly path: string
  readonly webhdfs: readonly string[]
  readonly kerberos?: { readonly principal: string; readonly keytab: string } | undefined
  readonly doas: 'server' | 'caller'
  readonly from: 'namenode' | 'clusters'
}

/** The default cluster, and the others. */
export type Clusters = readonly [NameSpaceCluster, ...NameSpaceCluster[]]

/** The same clusters with the addresses that Hadoop's own configuration says. Rejects as {@link createNameSpace}. */
export const locateClusters = async <C extends NameSpaceCluster>([first, ...others]: readonly [C, ...C[]]): Promise<
  readonly [C, ...C[]]
> => [await locateWebHdfs(first), ...(await Promise.all(others.map(locateWebHdfs)))]

/** Tokens for the cluster with Kerberos at a mount point, `/` for the default one. */
export type TokensOf = (mountPoint: string) => HeldTokens

/**
 * How long a mounted cluster may take, in ms: it answers, or its paths fail. Shorter than for the default cluster, which
 * the collector waits for.
 */
const mountLimits = { timeoutMs: 10_000, maxRetries: 1, maxRetryMs: 10_000 } as const

/**
 * The one name space: the default file system, and the other clusters at their places.
 * @param tokensOf for clusters with Kerberos
 * @param log hears which way a cluster is spoken to, where that is chosen
 * @throws TypeError, FileSystemError naming what cannot be used; nothing stays open then
 */
export const createNameSpace = async (
  [first, ...others]: Clusters,
  tokensOf: TokensOf,
  log?: WayLog,
): Promise<MountTable> => {
  const open = (cluster: NameSpaceCluster, limits = {}): Promise<FileSystem> =>
    createFileSystem(cluster, {
      ...limits,
      log,
      actsForOthers: cluster.doas === 'caller',
      ...(cluster.kerberos && { tokens: tokensOf(cluster.path) }),
    })
  const root = await open(first).catch((error: unknown) => {
    throw error instanceof FileSystemError ? withSetting(error, toSetting(first)) : error
  })
  const mounted: MountedFileSystem[] = []
  try {
    for (const cluster of others) mounted.push({ path: cluster.path, fileSystem: await open(cluster, mountLimits) })
  } catch (error) {
    await createMountTable(root, mounted).close()
    throw error
  }
  return createMountTable(root, mounted)
}

/** The setting that says where the default file system is. */
const toSetting = ({ from, url }: NameSpaceCluster): string => {
  if (from !== 'namenode') return from
  return url.startsWith('file:') ? 'data.dir' : 'namenode.url'
}
