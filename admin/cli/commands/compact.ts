import { tmpdir } from 'node:os'
import * as Flags from '@oclif/core/flags'
import { settingsCommand } from '../command/command.ts'
import { CliError, exitCodes } from '../command/failure.ts'
import { withProgress } from '../print/progress.ts'
import { marks } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural, toBytes, toCount } from '../print/units.ts'
import { compactHours, toHours, toPlannedRows } from '../tables/compact-hours.ts'
import { listLeft } from '../tables/list-left.ts'
import { withTables } from '../tables/open-tables.ts'
import { tableArg } from '../tables/table-arg.ts'

const mebibyte = 1024 * 1024

export const commands = {
  compact: settingsCommand({
    summary: 'Make few large files of the many small ones of an Iceberg table, hour by hour.',
    description:
      'One snapshot replaces the files of an hour by one file, or several of the target size, sorted by date: readers see each row once at any time. A row that repeats an event of another one, by its date and `_eventId`, is dropped. Works beside running collectors and other writers. If one of them changes a file first, the hour stays as it is, with exit code 1; run it again. An hour is left alone until ten minutes after its end. The old files stay for earlier snapshots until the collector or `sluice table expire` removes these. Rows that exceed 64 MiB wait in a temporary file.',
    examples: ['sluice compact Order --dry-run', 'sluice compact /events/Order --from 2026-11-22 --to 2026-11-23'],
    args: { table: tableArg },
    flags: {
      from: Flags.string({
        summary: 'hours from this time on: a date, in UTC, or a span before now, such as 7d',
        helpValue: 'TIME',
      }),
      to: Flags.string({ summary: 'hours that end by this time', helpValue: 'TIME' }),
      'target-mib': Flags.integer({ summary: 'size of a file', helpValue: 'MIB', default: 512, min: 1, max: 65_536 }),
      'temp-dir': Flags.string({
        summary: 'local directory for the temporary file; that of the system without',
        helpValue: 'DIR',
      }),
      'dry-run': Flags.boolean<boolean>({ summary: 'only say what would be done', default: false }),
    },
    run: async ({ args, flags, settings, log, logToStderr, fail, table: print }) =>
      await withTables(await settings(), async ({ load, fileSystem, catalog, now, pause }) => {
        const table = await load(args.table)
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
              untilInterrupted(signal => compactHours({ ...options, signal }, table, plan, update)),
            )
        const left = [
          ...plan.left.map(
            ({ uri }) => `${uri}: it is not Parquet, rows of it were deleted, or it is in the table twice`,
          ),
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
      }),
  }),
}

/** A second interrupt ends the process at once, and leaves what it was writing. */
const untilInterrupted = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const stop = new AbortController()
  const onInterrupt = (): void =>
    stop.abort(
      new CliError('interrupted: finished hours stay compacted', {
        code: 'interrupted',
        exitCode: exitCodes.interrupted,
      }),
    )
  process.once('SIGINT', onInterrupt)
  try {
    return await work(stop.signal)
  } finally {
    process.off('SIGINT', onInterrupt)
  }
}
