import { tmpdir } from 'node:os'
import type { LoadedTable } from '../../../src/tables/catalog.ts'
import type { CommandInput } from '../command/command.ts'
import { withProgress } from '../print/progress.ts'
import { marks } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural, toBytes, toCount } from '../print/units.ts'
import { compactHours, toHours, toPlannedRows } from './compact-hours.ts'
import { listLeft } from './list-left.ts'
import type { Tables } from './open-tables.ts'
import { untilInterrupted } from './until-interrupted.ts'

export const mebibyte = 1024 * 1024

/** What both forms of the command take. */
export type CompactFlags = {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly 'target-mib': number
  readonly 'temp-dir'?: string | undefined
  readonly 'skip-trash': boolean
  readonly 'dry-run': boolean
  readonly yes: boolean
}

type Input = Pick<CommandInput<CompactFlags, unknown>, 'flags' | 'log' | 'logToStderr' | 'fail' | 'table'>

/** Compacts the closed hours of a table. @returns the data of the command */
export const compactTable = async (
  { fileSystem, catalog, now, pause }: Tables,
  table: LoadedTable,
  { flags, log, logToStderr, fail, table: print }: Input,
) => {
  const { path } = table.place
  const { planCompaction } = await import('../../../src/compaction/plan-compaction.ts')
  const targetBytes = flags['target-mib'] * mebibyte
  const plan = await planCompaction(fileSystem, table, { ...toHours(flags.from, flags.to, now()), targetBytes })
  const isDryRun = flags['dry-run']
  const temporaryDirectory = flags['temp-dir'] ?? tmpdir()
  const options = { fileSystem, catalog, targetBytes, temporaryDirectory, now, pause }
  const { done: hours, left: unlike } = isDryRun
    ? { done: toPlannedRows(plan, targetBytes), left: [] }
    : await withProgress({ label: 'Compacting', format: toCount }, update =>
        untilInterrupted('hours', signal => compactHours({ ...options, signal }, table, plan, update)),
      )
  const left = [
    ...plan.left.map(({ uri }) => `${uri}: it is not Parquet, rows of it were deleted, or it is in the table twice`),
    ...unlike,
  ]
  if (hours.length > 0)
    print(hours, [
      { title: 'HOUR', cell: row => row.hour },
      { title: 'FILES', cell: row => toCount(row.files), align: 'right' },
      { title: isDryRun ? 'ABOUT' : 'NOW', field: 'becomes', cell: row => toCount(row.becomes), align: 'right' },
      { title: 'ROWS', cell: row => toCount(row.rows), align: 'right' },
      { title: 'SIZE', field: 'bytes', cell: row => toBytes(row.bytes), align: 'right' },
    ])
  const sumOf = (name: 'files' | 'becomes' | 'rows' | 'repeats'): number =>
    hours.reduce((sum, row) => sum + row[name], 0)
  const [files, becomes, rows, repeats] = [sumOf('files'), sumOf('becomes'), sumOf('rows'), sumOf('repeats')]
  const before = `${plural(files, 'file')} with ${plural(rows, 'row')}`
  if (hours.length === 0) log(`${marks.ok()} ${toSafeText(path)} has no closed hour with files to compact`)
  else
    log(
      isDryRun
        ? `${before} would become about ${toCount(becomes)}`
        : `${marks.ok()} ${before} became ${toCount(becomes)}${repeats > 0 ? `, without ${plural(repeats, 'repeat')}` : ''}`,
    )
  listLeft(left, logToStderr)
  if (unlike.length > 0) fail(`${plural(unlike.length, 'hour')} left as before`, 'left')
  return { path, isDryRun, files, becomes, rows, repeats, hours, left }
}
