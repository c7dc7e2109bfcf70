/** A pass as the collector makes it, over the tables of a data directory. */
import { createStartPassProcess } from '../../../src/compaction/hourly/pass-process.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { silentLogger } from '../../../src/log/log.ts'

export type Pass = {
  /** Resolves when its process has ended. @throws Error when a table failed */
  readonly done: Promise<void>
}

/** Larger than all files of an hour: one file. */
const targetBytes = 2 ** 40

/** Starts its process, which ends with this one. */
export const startPass = (dataDirectory: string): Pass => {
  const argv = ['--set', `data.dir=${dataDirectory}`]
  const { settings } = loadConfig({ argv, env: {}, cwd: '/', readFile: () => '' })
  const module = new URL('../../../src/app/compaction/compaction-process.ts', import.meta.url)
  const start = createStartPassProcess({ module, setup: () => settings, logger: silentLogger })
  const failures: string[] = []
  const scope = { merges: true, retention: new Map<string, number>(), afterMs: 0, targetBytes, skip: [], last: [] }
  const { ended } = start(scope, news => void (news.kind === 'failed' && failures.push(news.reason)))
  const fail = (): void => {
    if (failures.length > 0) throw new Error(failures.join('\n'))
  }
  return { done: ended.then(fail) }
}
