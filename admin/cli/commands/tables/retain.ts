import * as Flags from '@oclif/core/flags'
import { hourText } from '../../../../src/compaction/closed-hour.ts'
import { settingsCommand, yesFlag } from '../../command/command.ts'
import { marks } from '../../print/style.ts'
import { toSafeText } from '../../print/text-width.ts'
import { plural, toBytes, toCount } from '../../print/units.ts'
import { listLeft } from '../../tables/list-left.ts'
import { withTables } from '../../tables/open-tables.ts'
import { tableArg } from '../../tables/table-arg.ts'

export const commands = {
  'table:retain': settingsCommand({
    summary: 'Remove the rows of an Iceberg table that are older than so many days, hour by hour.',
    description:
      'One snapshot removes the files of the hours that lie wholly before, also those of other programs, by their partitions. The days count from the newest hour of the table, or from now if that is earlier: a clock that is far ahead removes nothing more. Rows that are added meanwhile stay. Earlier snapshots have the rows until the collector or `sluice table expire` removes these. Files with deleted rows stay, with exit code 1; so do all where another writer was faster.',
    examples: ['sluice table retain Order --days 30 --dry-run', 'sluice table retain /events/Order --days 30 --yes'],
    args: { table: tableArg },
    flags: {
      days: Flags.integer({ summary: 'how long rows stay', helpValue: 'DAYS', required: true, min: 1, max: 36_500 }),
      'dry-run': Flags.boolean<boolean>({ summary: 'only say what would be done', default: false }),
      yes: yesFlag,
    },
    run: async ({ args, flags, settings, log, logToStderr, confirm, fail, table: print }) =>
      await withTables(await settings(), async ({ load, fileSystem, catalog, now, pause }) => {
        const { days, 'dry-run': isDryRun } = flags
        const { planRetention, removeOld, sumOld } = await import('../../../../src/compaction/plan-retention.ts')
        const table = await load(args.table)
        const { path } = table.place
        const plan = await planRetention(fileSystem, table, { days, now: now() })
        const { files, rows, bytes } = sumOld(plan.hours)
        const hours = plan.hours.map(old => {
          const { from, to: _, hours: __, ...sums } = sumOld([old])
          return { hour: hourText(from), ...sums }
        })
        if (hours.length > 0)
          print(hours, [
            { title: 'HOUR', cell: row => row.hour },
            { title: 'FILES', cell: row => toCount(row.files), align: 'right' },
            { title: 'ROWS', cell: row => toCount(row.rows), align: 'right' },
            { title: 'SIZE', field: 'bytes', cell: row => toBytes(row.bytes), align: 'right' },
          ])
        const left = plan.left.map(({ uri }) => uri)
        listLeft(
          left.map(uri => `${uri} stays: rows of it were deleted`),
          logToStderr,
        )
        const what = `${plural(files, 'file')} with ${plural(rows, 'row')}, ${toBytes(bytes)}, of ${plural(hours.length, 'hour')}`
        const answer = { path, days, isDryRun, files, rows, bytes, hours, left }
        let snapshotId: bigint | null = null
        if (hours.length === 0) log(`${marks.ok()} ${toSafeText(path)} has no hour to remove`)
        else if (isDryRun) log(`${what} would be removed`)
        else {
          await confirm(`Remove ${what} from ${path}?`, flags.yes)
          const removed = await removeOld({ fileSystem, catalog, now, pause }, table, plan.hours)
          if (removed.outcome === 'refused') {
            fail(`nothing was removed: ${removed.reason}`, 'left')
            return { ...answer, snapshotId, reason: removed.reason }
          }
          log(`${marks.ok()} ${what} removed`)
          snapshotId = removed.snapshotId
        }
        if (left.length > 0 && !isDryRun) fail(`${plural(left.length, 'file')} left`, 'left')
        return { ...answer, snapshotId }
      }),
  }),
}
