import { existsSync } from 'node:fs'
import type { ImportReport } from '../../../src/spool/tool/import/import-spool.ts'
import { usageError } from './failure.ts'
import { createProgress } from './progress.ts'
import { withOfflineSpool } from './spool-command.ts'

export type ImportRun = {
  /** The predecessor's spool. */
  readonly root: string
  /** Ours; undefined: only look. */
  readonly directory: string | undefined
  readonly keep: boolean
}

/** Imports with a progress bar. @throws CliError `usage`, SpoolLocked */
export const runImport = async ({ root, directory, keep }: ImportRun): Promise<ImportReport> => {
  if (!existsSync(root)) throw usageError(`There is no directory ${root}`)
  const { importSpool } = await import('../../../src/spool/tool/import/import-spool.ts')
  const progress = createProgress({ label: directory === undefined ? 'Reading' : 'Importing' })
  const onProgress = (done: number, total: number, file: string): void => progress.update(done, total, file)
  try {
    if (directory === undefined) return await importSpool({ spool: undefined, root, onProgress })
    return await withOfflineSpool(directory, spool => importSpool({ spool, root, keep, onProgress }), { create: true })
  } finally {
    progress.end()
  }
}
