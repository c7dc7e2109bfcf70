import { readFile } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'

/**
 * Why a cluster of HDFS is not started for this test run: no selected test file imports what `usedBy` finds, or
 * `SLUICE_NO_HDFS` is set. Undefined when it is wanted.
 */
export const reasonToSkip = async (project: TestProject, usedBy: RegExp, what: string): Promise<string | undefined> => {
  if (process.env['SLUICE_NO_HDFS']) return 'SLUICE_NO_HDFS is set'
  // Not in vitest's typed surface; where it is missing, all test files count as selected.
  const filters: unknown = Reflect.get(project.vitest, 'filenamePattern')
  // The setup is of the root, which finds the files of every project, those that `--project` left out among them.
  const found = await Promise.all(
    project.vitest.projects.map(one => one.globTestFiles(Array.isArray(filters) ? filters.map(String) : undefined)),
  )
  const texts = await Promise.all(found.flatMap(({ testFiles }) => testFiles).map(file => readFile(file, 'utf8')))
  return texts.some(text => usedBy.test(text)) ? undefined : `no selected test file uses ${what}`
}
