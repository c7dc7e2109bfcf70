import type { NamedCluster } from '../../../src/config/clusters.ts'
import type { MountTable } from '../../../src/filesystem/mounts.ts'

/**
 * Opens the file systems of clusters, as a server would, for as long as the work takes.
 * @param within bounds how long opening them may take @default for as long as it takes
 */
export const withNameSpace = async <T>(
  clusters: readonly [NamedCluster, ...NamedCluster[]],
  work: (fileSystem: MountTable) => Promise<T>,
  within: (opening: Promise<MountTable>) => Promise<MountTable> = opening => opening,
): Promise<T> => {
  const [{ createNameSpace, locateClusters }, { createClusterTokens }] = await Promise.all([
    import('../../../src/filesystem/name-space.ts'),
    import('../../../src/cluster-tokens/cluster-tokens.ts'),
  ])
  const located = await locateClusters(clusters)
  const tokens = await createClusterTokens(located, { info: () => {}, warn: () => {} })
  try {
    const fileSystem = await within(createNameSpace(located, tokens.of))
    try {
      return await work(fileSystem)
    } finally {
      await fileSystem.close()
    }
  } finally {
    await tokens.close()
  }
}
