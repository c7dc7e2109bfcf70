import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hadoopVersion, missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { startCluster } from '../../scripts/hdfs/cluster.ts'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { createLocalFileSystem } from '../../src/filesystem/local.ts'
import { createWebHdfsFileSystem } from '../../src/filesystem/webhdfs.ts'

/** The file system behind the server. */
export type Backend = {
  /** The settings that point the server to it. */
  readonly settings: readonly string[]
  /** The same one, for those who look at it without the server. */
  readonly fileSystem: FileSystem
  /** For people. */
  readonly description: string
  close(): Promise<void>
}

/** A real HDFS, or, where this machine cannot run one, the embedded file system; its files are in `directory`. */
export const openBackend = async (directory: string, log: (line: string) => void): Promise<Backend> => {
  const missing = await missingForHdfs()
  if (missing !== undefined) {
    log(`No HDFS (${missing}): the embedded file system is used`)
    const root = join(directory, 'fs')
    await mkdir(root, { recursive: true })
    const fileSystem = await createLocalFileSystem({ root })
    return { settings: [], fileSystem, description: 'the embedded file system', close: () => fileSystem.close() }
  }
  const cluster = await startCluster({ directory: join(directory, 'hdfs'), log })
  const fileSystem = createWebHdfsFileSystem({ urls: [cluster.webhdfsUrl] })
  return {
    settings: [`namenode.url=${cluster.namenodeUrl}`, `namenode.webhdfs.url=${cluster.webhdfsUrl}`],
    fileSystem,
    description: `HDFS ${hadoopVersion()}, one NameNode and one DataNode`,
    close: async () => {
      await fileSystem.close()
      await cluster.stop()
    },
  }
}
