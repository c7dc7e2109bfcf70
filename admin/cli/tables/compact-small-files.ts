import { setTimeout as wait } from 'node:timers/promises'
import type { CompactedBelow } from '../../../src/compaction/files/compact-below.ts'
import type { LeftFile } from '../../../src/compaction/files/left-file.ts'
import type { FilesPlan } from '../../../src/compaction/files/plan-files.ts'
import type { Settings } from '../../../src/config/table.ts'
import { appendsOf } from '../../../src/filesystem/facets.ts'
import { findStatus } from '../../../src/filesystem/find-status.ts'
import type { CommandInput } from '../command/command.ts'
import { CliError } from '../command/failure.ts'
import { withProgress } from '../print/progress.ts'
import { marks } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural, toBytes, toCount } from '../print/units.ts'
import { closedAfterMs, toHours } from './compact-hours.ts'
import { type CompactFlags, mebibyte } from './compact-table.ts'
import { listLeft } from './list-left.ts'
import type { Tables } from './open-tables.ts'
import { createToTrash } from './to-trash.ts'
import { untilInterrupted } from './until-interrupted.ts'

type Input = Pick<
  CommandInput<CompactFlags, unknown>,
  'flags' | 'log' | 'logToStderr' | 'confirm' | 'fail' | 'table'
> & {
  readonly settings: Settings
}

/** What became, or would become, of the files of a directory. */
type DirectoryRow = {
  readonly directory: string
  readonly files: number
  readonly becomes: number
  /** Null before they are read. */
  readonly rows: number | null
  readonly bytes: number
}

/** Compacts the files below a directory that is not a table. @returns the data of the command */
export const compactSmallFiles = async (tables: Tables, path: string, input: Input) => {
  const { fileSystem, now } = tables
  const { flags, settings, log, logToStderr, confirm, fail, table: print } = input
  const url = fileSystem.urlOf(path)
  if (url.startsWith('s3:'))
    throw new CliError(`Cannot compact files of ${url}: an object store does not rename`, {
      code: 'unsupported',
      hint: 'Compact tables there.',
    })
  if (!(await findStatus(fileSystem, path))?.isDirectory)
    throw new CliError(`${path} is not a table, and not a directory`, {
      code: 'not-found',
      hint: 'See `sluice table list`.',
    })
  const isDryRun = flags['dry-run']
  const [{ planFiles }, { compactBelow }, { silenceMs }] = await Promise.all([
    import('../../../src/compaction/files/plan-files.ts'),
    import('../../../src/compaction/files/compact-below.ts'),
    import('../../../src/compaction/files/beats.ts'),
  ])
  let looked = 0
  let update: (done: number, total?: number, detail?: string) => void = () => {}
  const planOptions = {
    ...toHours(flags.from, flags.to, now()),
    fileSystem,
    now,
    closedAfterMs,
    targetBytes: flags['target-mib'] * mebibyte,
    // Of a local file nobody can say: one that has not changed for so long counts as closed.
    isClosed: async (file: string) =>
      fileSystem.urlOf(file).startsWith('file:') || (await appendsOf(fileSystem).isClosed(file)),
    onFile: (file: string) => update(++looked, undefined, file),
  }
  const plan = await withProgress({ label: 'Looking at files', format: toCount }, show => {
    update = show
    return untilInterrupted('directories', signal => planFiles({ ...planOptions, signal }, path))
  })
  const planned = toPlanned(plan)
  const nothing = `${marks.ok()} ${toSafeText(path)} has no closed hour with files to compact`
  if (isDryRun || (plan.merges.length === 0 && plan.claimed.length === 0)) {
    printRows(print, planned, true)
    const left = toLeft([...plan.left, ...plan.claimed.map(one => ({ path: one, reason: unfinished }))])
    log(planned.length === 0 ? nothing : `${toBefore(planned)} would become ${toCount(sumOf(planned, 'becomes'))}`)
    listLeft(left, logToStderr)
    return { path, isDryRun, ...toSums(planned), directories: planned, finished: [], undone: [], left }
  }
  const toTrash = await createToTrash(fileSystem, path, { settings, isSkipped: flags['skip-trash'] })
  await confirm(toQuestion(path, plan, planned), flags.yes)
  const below: CompactedBelow = await withProgress({ label: 'Compacting' }, show => {
    update = () => {}
    const progress = { done: 0, total: 0, directory: '' }
    return untilInterrupted('directories', signal =>
      compactBelow(
        {
          ...planOptions,
          toTrash,
          signal,
          pause: tables.pause,
          waitForBeat: async () => {
            logToStderr(`Waiting ${silenceMs / 1_000} s for signs of life of other compactions`)
            await wait(silenceMs, undefined, { signal })
          },
          // Each byte is read, and read back.
          onPlan: ({ merges }, directory) => {
            progress.total = 2 * merges.reduce((sum, { bytes }) => sum + bytes, 0)
            progress.directory = directory
          },
          onBytes: bytes => {
            progress.done += bytes
            show(progress.done, Math.max(progress.total, progress.done), progress.directory)
          },
        },
        path,
        plan,
      ),
    )
  })
  const { done, finished, undone, failed } = below
  const rows = done.map(({ directory, files, merged }) => ({
    directory,
    files,
    becomes: 1,
    rows: merged?.rows ?? 0,
    bytes: merged?.bytes ?? 0,
  }))
  const directories = byDirectory(rows)
  printRows(print, directories, false)
  for (const [what, all] of [
    ['finished', finished],
    ['undone', undone],
  ] as const)
    for (const one of all) logToStderr(`${marks.warn()} ${toSafeText(one)}: a compaction that was killed is ${what}`)
  const left = toLeft([...below.left, ...failed])
  log(
    directories.length === 0
      ? nothing
      : `${marks.ok()} ${toBefore(directories)} became ${toCount(sumOf(directories, 'becomes'))}`,
  )
  listLeft(left, logToStderr)
  if (failed.length > 0)
    fail(`${plural(failed.length, 'path')} left as before`, 'left')
  return { path, isDryRun, ...toSums(directories), directories, finished, undone, left }
}

const unfinished = 'a compaction is at work there, or was killed: the next one finds out'

const toQuestion = (path: string, plan: FilesPlan, planned: readonly DirectoryRow[]): string => {
  const what = plan.merges.length > 0 ? toBefore(planned) : 'what a killed compaction has left'
  return `Compact ${what} below ${toSafeText(path)}? Readers must pause: until it is done they can find rows twice, or miss some.`
}

const toPlanned = ({ merges }: FilesPlan): readonly DirectoryRow[] =>
  byDirectory(
    merges.map(({ directory, files, bytes }) => ({ directory, files: files.length, becomes: 1, rows: null, bytes })),
  )

const byDirectory = (rows: readonly DirectoryRow[]): readonly DirectoryRow[] =>
  [...Map.groupBy(rows, ({ directory }) => directory)].map(([directory, all]) => ({ directory, ...toSums(all) }))

const sumOf = (rows: readonly DirectoryRow[], name: 'files' | 'becomes' | 'rows' | 'bytes'): number =>
  rows.reduce((sum, row) => sum + (row[name] ?? 0), 0)

const toSums = (rows: readonly DirectoryRow[]): Omit<DirectoryRow, 'directory'> => ({
  files: sumOf(rows, 'files'),
  becomes: sumOf(rows, 'becomes'),
  rows: rows.some(row => row.rows === null) ? null : sumOf(rows, 'rows'),
  bytes: sumOf(rows, 'bytes'),
})

const toBefore = (rows: readonly DirectoryRow[]): string => {
  const { files, rows: count, bytes } = toSums(rows)
  return `${plural(files, 'file')} with ${count === null ? toBytes(bytes) : plural(count, 'row')}`
}

const toLeft = (left: readonly LeftFile[]): readonly string[] => left.map(({ path, reason }) => `${path}: ${reason}`)

const printRows = (print: Input['table'], rows: readonly DirectoryRow[], isDryRun: boolean): void => {
  if (rows.length === 0) return
  print(rows, [
    { title: 'DIRECTORY', cell: row => toSafeText(row.directory) },
    { title: 'FILES', cell: row => toCount(row.files), align: 'right' },
    { title: isDryRun ? 'ABOUT' : 'NOW', field: 'becomes', cell: row => toCount(row.becomes), align: 'right' },
    ...(isDryRun
      ? []
      : [{ title: 'ROWS', cell: (row: DirectoryRow) => toCount(row.rows ?? 0), align: 'right' } as const]),
    { title: 'SIZE', field: 'bytes', cell: row => toBytes(row.bytes), align: 'right' },
  ])
}
