import { tmpdir } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { silenceMs } from '../../../src/compaction/files/beats.ts'
import type { CompactedBelow } from '../../../src/compaction/files/compact-below.ts'
import type { FinishOptions } from '../../../src/compaction/files/finish-claim.ts'
import { type FilesPlan, type PlanFilesOptions, planFiles } from '../../../src/compaction/files/plan-files.ts'
import type { UnmergedFile } from '../../../src/compaction/files/unmerged-file.ts'
import type { Settings } from '../../../src/config/table.ts'
import { appendsOf } from '../../../src/filesystem/facets.ts'
import { findStatus } from '../../../src/filesystem/find-status.ts'
import { isInside, parsePath } from '../../../src/filesystem/path.ts'
import type { CommandInput } from '../command/command.ts'
import { CliError } from '../command/failure.ts'
import { withProgress } from '../print/progress.ts'
import { marks } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural, toCount } from '../print/units.ts'
import { closedAfterMs, toHours } from './compact-hours.ts'
import { type CompactFlags, mebibyte } from './compact-table.ts'
import {
  type DirectoryRow,
  describeDirectories,
  printDirectories,
  sumDirectories,
  toCompactedDirectories,
  toPlannedDirectories,
} from './directory-rows.ts'
import { listLeft } from './list-left.ts'
import { createLocalWriters } from './local-writers.ts'
import type { Tables } from './open-tables.ts'
import { createToTrash, type ToTrash } from './to-trash.ts'
import { untilInterrupted } from './until-interrupted.ts'

type Input = Pick<
  CommandInput<CompactFlags, unknown>,
  'flags' | 'log' | 'logToStderr' | 'confirm' | 'fail' | 'table'
> & { readonly settings: Settings }

type PlanOptions = Omit<PlanFilesOptions, 'onFile' | 'signal'>

/** Compacts the files below a directory that is not a table. @returns the data of the command */
export const compactSmallFiles = async (tables: Tables, path: string, input: Input) => {
  const { fileSystem, now } = tables
  const { flags, settings, confirm } = input
  await checkDirectory(tables, path, settings)
  const { hasWriter, haveWriter } = createLocalWriters(fileSystem, now)
  const isClosed = async (file: string): Promise<boolean> =>
    isLocal(tables, file) ? !hasWriter(file) : await appendsOf(fileSystem).isClosed(file)
  const options: PlanOptions = {
    ...toHours(flags.from, flags.to, now()),
    fileSystem,
    now,
    closedAfterMs,
    targetBytes: flags['target-mib'] * mebibyte,
    isClosed,
  }
  const plan = await makePlan(options, path)
  const planned = toPlannedDirectories(plan)
  if (flags['dry-run'] || (plan.merges.length === 0 && plan.claimed.length === 0)) {
    const left = [...plan.left, ...plan.claimed.map(one => ({ path: one, reason: unfinished }))]
    return report(path, input, { rows: planned, left, isPlan: true })
  }
  const toTrash = await createToTrash(fileSystem, path, { settings, isSkipped: flags['skip-trash'] })
  await confirm(toQuestion(path, plan, planned) + (isLocal(tables, path) ? writersPause : ''), flags.yes)
  const areClosed = async (files: readonly string[]): Promise<boolean> => {
    const [first] = files
    if (first !== undefined && isLocal(tables, first)) return !haveWriter(files)
    for (const file of files) if (!(await isClosed(file))) return false
    return true
  }
  const work = { path, plan, options: { ...options, areClosed }, toTrash }
  const { done, finished, undone, failed, ...rest } = await merge(tables, work, input)
  for (const [what, all] of [['finished', finished] as const, ['undone', undone] as const])
    for (const one of all)
      input.logToStderr(`${marks.warn()} ${toSafeText(one)}: a compaction that was killed is ${what}`)
  const rows = toCompactedDirectories(done)
  const answer = report(path, input, { rows, left: [...rest.left, ...failed], isPlan: false, finished, undone })
  if (failed.length > 0) input.fail(`${plural(failed.length, 'path')} left as before`, 'left')
  return answer
}

const unfinished = 'a compaction is at work there, or was killed: the next one finds out'

/** @throws CliError */
const checkDirectory = async ({ fileSystem }: Tables, path: string, settings: Settings): Promise<void> => {
  const url = fileSystem.urlOf(path)
  if (url.startsWith('s3:'))
    throw new CliError(`Cannot compact files of ${url}: an object store does not rename`, {
      code: 'unsupported',
      hint: 'Compact tables there.',
    })
  const events = parsePath(settings['collector.event-output-directory'])
  const hasTables = settings['collector.output.table'] === 'iceberg' || settings['collector.output.catalog'] !== 'none'
  if (hasTables && (isInside(path, events) || isInside(events, path)))
    throw new CliError(
      `Cannot compact files of ${path}: by the settings the collector writes tables below ${events}, and their metadata may be elsewhere`,
      { code: 'unsupported', hint: 'Compact each table by its own path, or a directory apart from them.' },
    )
  if ((await findStatus(fileSystem, path))?.isDirectory) return
  const hint = 'See `sluice table list`.'
  throw new CliError(`${path} is not a table, and not a directory`, { code: 'not-found', hint })
}

const makePlan = async (options: PlanOptions, path: string): Promise<FilesPlan> =>
  await withProgress({ label: 'Looking at files', format: toCount }, update => {
    let looked = 0
    const onFile = (file: string): void => update(++looked, undefined, file)
    return untilInterrupted('directories', signal => planFiles({ ...options, onFile, signal }, path))
  })

const toQuestion = (path: string, plan: FilesPlan, planned: readonly DirectoryRow[]): string => {
  const what = plan.merges.length > 0 ? describeDirectories(planned) : 'what a killed compaction has left'
  return `Compact ${what} below ${toSafeText(path)}? Readers must pause: until it is done they can find rows twice, or miss some.`
}

const isLocal = ({ fileSystem }: Tables, path: string): boolean => fileSystem.urlOf(path).startsWith('file:')

const writersPause = ' So must writers of other users: what they add to a file that they have open is in the trash.'

type Merging = {
  readonly path: string
  readonly plan: FilesPlan
  readonly options: PlanOptions & Pick<FinishOptions, 'areClosed'>
  readonly toTrash: ToTrash
}

const merge = async (
  { pause }: Tables,
  { path, plan, options, toTrash }: Merging,
  { flags, logToStderr }: Input,
): Promise<CompactedBelow> => {
  const { compactBelow } = await import('../../../src/compaction/files/compact-below.ts')
  let [done, total, at] = [0, 0, path]
  return await withProgress({ label: 'Compacting' }, update =>
    untilInterrupted('directories', signal => {
      const waitForBeat = async (): Promise<void> => {
        logToStderr(`Waiting ${silenceMs / 1_000} s for a sign of life of another compaction`)
        await wait(silenceMs, undefined, { signal })
      }
      const onPlan = ({ merges }: FilesPlan): void => {
        // Each byte is read, and read back.
        total = 2 * merges.reduce((sum, { bytes }) => sum + bytes, 0)
      }
      const onDirectory = (directory: string): void => {
        at = directory
      }
      const onBytes = (bytes: number): void => {
        done += bytes
        update(done, Math.max(total, done + 1), at)
      }
      const temporaryDirectory = flags['temp-dir'] ?? tmpdir()
      const more = { toTrash, temporaryDirectory, pause, waitForBeat, onPlan, onBytes, signal }
      return compactBelow({ ...options, ...more, onDirectory, onFile: () => {} }, path, plan)
    }),
  )
}

type Report = {
  readonly rows: readonly DirectoryRow[]
  readonly left: readonly UnmergedFile[]
  readonly isPlan: boolean
  readonly finished?: readonly string[]
  readonly undone?: readonly string[]
}

const report = (
  path: string,
  { flags, log, logToStderr, table }: Input,
  { rows, left: unmerged, isPlan, finished = [], undone = [] }: Report,
) => {
  const sums = sumDirectories(rows)
  printDirectories(table, rows, isPlan)
  if (rows.length === 0) log(`${marks.ok()} ${toSafeText(path)} has no closed hour with files to compact`)
  else if (isPlan) log(`${describeDirectories(rows)} would become ${toCount(sums.becomes)}`)
  else log(`${marks.ok()} ${describeDirectories(rows)} became ${toCount(sums.becomes)}`)
  const left = unmerged.map(one => `${one.path}: ${one.reason}`)
  listLeft(left, logToStderr)
  return { path, isDryRun: flags['dry-run'], ...sums, directories: rows, finished, undone, left }
}
