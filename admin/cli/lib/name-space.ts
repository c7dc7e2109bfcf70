import type { Settings } from '../../../src/config/table.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'

/** Opens the file systems of the settings, as a server would, for as long as the work takes. */
export const withNameSpace = async <T>(
  settings: Settings,
  work: (fileSystem: FileSystem) => Promise<T>,
): Promise<T> => {
  const [{ createNameSpace }, { createClusterTokens }] = await Promise.all([
    import('../../../src/filesystem/name-space.ts'),
    import('../../../src/kerberos/cluster-tokens.ts'),
  ])
  const tokens = await createClusterTokens(settings, { info: () => {}, warn: () => {} })
  try {
    const fileSystem = await createNameSpace(settings, tokens.of)
    try {
      return await work(fileSystem)
    } finally {
      await fileSystem.close()
    }
  } finally {
    await tokens.close()
  }
}
