/** The real clusters of a test run, each started only when a selected test file asks for it. */
import type { TestProject } from 'vitest/node'
import { shareHdfs } from './hdfs.ts'
import { shareSecureHdfs } from './secure-hdfs.ts'

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const stops = await Promise.all([shareHdfs(project), shareSecureHdfs(project)])
  return async () => void (await Promise.all(stops.map(async stop => stop?.())))
}
