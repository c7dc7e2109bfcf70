import { existsSync } from 'node:fs'
import { usageError } from '../command/failure.ts'
import { withProgress } from '../print/progress.ts'
import { plural } from '../print/units.ts'
import { type NamedSpool, withOfflineSpool } from '../spool/local-spool.ts'
import type { ImportedFile, ImportReport } from './import-spool.ts'

/** Imports the predecessor's spool with a progress bar; without a spool of ours it only looks. @throws CliError `usage`, SpoolLocked */
export const runImport = async (root: string, spool: NamedSpool | undefined, keep: boolean): Promise<ImportReport> => {
  if (!existsSync(root)) throw usageError(`There is no directory ${root}`)
  const { importSpool } = await import('./import-spool.ts')
  return withProgress({ label: spool === undefined ? 'Reading' : 'Importing' }, async onProgress => {
    if (spool === undefined) return importSpool({ spool, root, onProgress })
    return withOfflineSpool(spool, held => importSpool({ spool: held, root, keep, onProgress }), { create: true })
  })
}

/**
 * The outcome for each writer's files in each place; `known`: an earlier run took them, `left`: nothing of them could
 * be taken.
 */
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

/**
 * The outcome for the files, each of them in one part: those that were taken, taken before, and left where they are.
 */
export const toImportLine = ({ files, events }: ImportReport, isDryRun: boolean): string => {
  const count = (outcome: ImportedFile['outcome']): number => files.filter(file => file.outcome === outcome).length
  const [known, left] = [count('known'), count('left')]
  const verb = isDryRun ? 'can be taken' : 'taken; the next start of the server takes them on'
  return [
    `${plural(events, 'event')} of ${plural(count('imported'), 'file')} ${verb}`,
    ...(known > 0 ? [`${plural(known, 'file')} taken before`] : []),
    ...(left > 0 ? [`${plural(left, 'file')} not taken`] : []),
  ].join('; ')
}

const writerOf = (file: string): string => file.split('/', 1).join('')

/**
 * Events, or stretches of bytes, that should have been readable. A file that was being written may end within an event:
 * that was never complete, and nothing can be done about it.
 */
export const countLost = ({ files }: ImportReport): number =>
  files
    .filter(({ place, outcome, unreadable }) => place !== '_tmp' || outcome === 'left' || unreadable > 1)
    .reduce((sum, { unreadable }) => sum + unreadable, 0)
