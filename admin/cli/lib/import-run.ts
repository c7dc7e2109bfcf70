import { existsSync } from 'node:fs'
import type { ImportReport } from '../import/import-spool.ts'
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
  const { importSpool } = await import('../import/import-spool.ts')
  const progress = createProgress({ label: directory === undefined ? 'Reading' : 'Importing' })
  const onProgress = (done: number, total: number, file: string): void => progress.update(done, total, file)
  try {
    if (directory === undefined) return await importSpool({ spool: undefined, root, onProgress })
    return await withOfflineSpool(directory, spool => importSpool({ spool, root, keep, onProgress }), { create: true })
  } finally {
    progress.end()
  }
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
export const summarizeImport = ({ files }: ImportReport): ImportSummary[] => {
  const summaries = new Map<string, ImportSummary>()
  for (const { file, place, events, unreadable, bytes, outcome } of files) {
    const [writer = ''] = file.split('/')
    const key = `${writer}/${place}`
    const before = summaries.get(key) ?? {
      writer,
      place,
      files: 0,
      events: 0,
      unreadable: 0,
      bytes: 0,
      known: 0,
      left: 0,
    }
    summaries.set(key, {
      ...before,
      files: before.files + 1,
      events: before.events + events,
      unreadable: before.unreadable + unreadable,
      bytes: before.bytes + bytes,
      known: before.known + (outcome === 'known' ? 1 : 0),
      left: before.left + (outcome === 'left' ? 1 : 0),
    })
  }
  return [...summaries.values()]
}

/**
 * Events, or stretches of bytes, that should have been readable. A file that was being written may end within an event:
 * that was never complete, and nothing can be done about it.
 */
export const countLost = ({ files }: ImportReport): number =>
  files
    .filter(({ place, outcome, unreadable }) => place !== '_tmp' || outcome === 'left' || unreadable > 1)
    .reduce((sum, { unreadable }) => sum + unreadable, 0)
