import { existsSync } from 'node:fs'
import type { ImportedFile, ImportReport } from '../import/import-spool.ts'
import { usageError } from './failure.ts'
import { withOfflineSpool } from './local-spool.ts'
import { withProgress } from './progress.ts'

/** Imports the predecessor's spool with a progress bar; without a directory of ours it only looks. @throws CliError `usage`, SpoolLocked */
export const runImport = async (root: string, directory: string | undefined, keep: boolean): Promise<ImportReport> => {
  if (!existsSync(root)) throw usageError(`There is no directory ${root}`)
  const { importSpool } = await import('../import/import-spool.ts')
  return withProgress({ label: directory === undefined ? 'Reading' : 'Importing' }, async onProgress => {
    if (directory === undefined) return importSpool({ spool: undefined, root, onProgress })
    return withOfflineSpool(directory, spool => importSpool({ spool, root, keep, onProgress }), { create: true })
  })
}

/** What became of each writer's files in each place; `known`: an earlier run took them, `left`: nothing of them could be taken. */
export const summarizeImport = ({ files }: ImportReport) =>
  Array.from(Map.groupBy(files, ({ file, place }) => `${writerOf(file)}/${place}`).values(), group => {
    const sum = (count: (file: ImportedFile) => number): number => group.reduce((total, file) => total + count(file), 0)
    return {
      writer: writerOf(group[0]?.file ?? ''),
      place: group[0]?.place ?? '',
      files: group.length,
      events: sum(file => file.events),
      unreadable: sum(file => file.unreadable),
      bytes: sum(file => file.bytes),
      known: sum(({ outcome }) => Number(outcome === 'known')),
      left: sum(({ outcome }) => Number(outcome === 'left')),
    }
  })

const writerOf = (file: string): string => file.split('/', 1).join('')

/**
 * Events, or stretches of bytes, that should have been readable. A file that was being written may end within an event:
 * that was never complete, and nothing can be done about it.
 */
export const countLost = ({ files }: ImportReport): number =>
  files
    .filter(({ place, outcome, unreadable }) => place !== '_tmp' || outcome === 'left' || unreadable > 1)
    .reduce((sum, { unreadable }) => sum + unreadable, 0)
