/** One real HDFS for the whole test run, started only when a selected test file asks for it. */
import { readFile } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { startCluster } from '../../scripts/hdfs/cluster.ts'

/** Where the shared HDFS is, or why there is none. */
export type SharedHdfs = { readonly namenodeUrl: string; readonly webhdfsUrl: string } | { readonly skipped: string }

declare module 'vitest' {
  interface ProvidedContext {
    hdfs: SharedHdfs
  }
}

export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const skipped = (await reasonToSkip(project)) ?? (await missingForHdfs())
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

/** No 400 ms of sleep where the NameNode does not know of a block yet, which befalls some files and not others. */
const properties = { 'dfs.client.block.write.locateFollowingBlock.initial.delay.ms': '5' }

const reasonToSkip = async (project: TestProject): Promise<string | undefined> => {
  if (process.env['SLUICE_NO_HDFS']) return 'SLUICE_NO_HDFS is set'
  // Not in vitest's typed surface; where it is missing, all test files count as selected.
  const filters: unknown = Reflect.get(project.vitest, 'filenamePattern')
  const { testFiles } = await project.globTestFiles(Array.isArray(filters) ? filters.map(String) : undefined)
  const texts = await Promise.all(testFiles.map(file => readFile(file, 'utf8')))
  return texts.some(text => /suites\/hdfs\.ts|\.\/doors\.ts/.test(text)) ? undefined : 'no selected test file uses HDFS'
}
