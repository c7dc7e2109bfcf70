import { existsSync } from 'node:fs'
import type { ImportedFile, ImportReport } from '../import/import-spool.ts'
import { usageError } from './failure.ts'
import { withOfflineSpool } from './local-spool.ts'
import { withProgress } from './progress.ts'

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
  const { importSpool } = await import('../import/import-spool.ts')
  return withProgress({ label: directory === undefined ? 'Reading' : 'Importing' }, async onProgress => {
    if (directory === undefined) return importSpool({ spool: undefined, root, onProgress })
    return withOfflineSpool(directory, spool => importSpool({ spool, root, keep, onProgress }), { create: true })
  })
}

/** What became of a writer's files in one place. */
export type ImportSummary = {
  readonly writer: string
  readonly place: string
  readonly files: number
  readonly events: number
  readonly unreadable: number
  readonly bytes: number
  /** Files that an earlier run took, and files of which nothing could be taken. */
  readonly known: number
  readonly left: number
}

/** The files of a report by writer and place. */
export const summarizeImport = ({ files }: ImportReport): ImportSummary[] =>
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
