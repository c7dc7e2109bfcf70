/** One real HDFS for the whole test run. */
import type { TestProject } from 'vitest/node'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { startCluster } from '../../scripts/hdfs/cluster.ts'
import { reasonToSkip } from './selected.ts'

/** Where the shared HDFS is, or why it is missing. */
export type SharedHdfs = { readonly namenodeUrl: string; readonly webhdfsUrl: string } | { readonly skipped: string }

declare module 'vitest' {
  interface ProvidedContext {
    hdfs: SharedHdfs
  }
}

export const shareHdfs = async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const skipped = (await reasonToSkip(project, /suites\/hdfs\.ts|\.\/doors\.ts/, 'HDFS')) ?? (await missingForHdfs())
  if (skipped !== undefined) {
    project.provide('hdfs', { skipped })
    return undefined
  }
  try {
    const cluster = await startCluster({ properties, log: line => console.log(`hdfs: ${line}`) })
    project.provide('hdfs', { namenodeUrl: cluster.namenodeUrl, webhdfsUrl: cluster.webhdfsUrl })
    return () => cluster.stop()
  } catch (error) {
    project.provide('hdfs', { skipped: error instanceof Error ? error.message : String(error) })
    return undefined
  }
}

const properties = {
  // No 400 ms of sleep where the NameNode does not know of a block yet, which befalls some files and not others.
  'dfs.client.block.write.locateFollowingBlock.initial.delay.ms': '5',
  // The user `proxy` may act for others.
  'hadoop.proxyuser.proxy.hosts': '*',
  'hadoop.proxyuser.proxy.users': '*',
}
