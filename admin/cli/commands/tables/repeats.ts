import { tmpdir } from 'node:os'
import * as Flags from '@oclif/core/flags'
import type { FindRepeatsOptions } from '../../../../src/compaction/repeats/find-repeats.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { settingsCommand } from '../../command/command.ts'
import { withProgress } from '../../print/progress.ts'
import { marks } from '../../print/style.ts'
import { toSafeText } from '../../print/text-width.ts'
import { plural, toCount, toDateText } from '../../print/units.ts'
import { toHours } from '../../tables/compact-hours.ts'
import { findSnapshot, listDropped } from '../../tables/dropped-rows.ts'
import { listLeft } from '../../tables/list-left.ts'
import { withTables } from '../../tables/open-tables.ts'
import { listPlanned } from '../../tables/planned-rows.ts'
import { type ListedRepeats, toRepeatColumns } from '../../tables/repeat-rows.ts'
import { tableArg } from '../../tables/table-arg.ts'

export const commands = {
  'table:repeats': settingsCommand({
    listsRows: true,
    summary: 'Rows that repeat an event: those that the next compaction drops, or that a snapshot dropped.',
    description:
      'A row repeats another one that has its date and `_eventId`; the first one stays. Each is listed with its file and its number in it, from 0, beside those of the row that stays. Hours that are not closed are left out, as by `sluice compact`. With --snapshot: what a compaction dropped, by the files of the snapshot before; once that has expired they are gone, with exit code 1. Reads date and id of all rows, and of the first ones the whole row. Changes nothing. What exceeds 64 MiB waits in a temporary file.',
    examples: [
      'sluice table repeats Order',
      'sluice table repeats Order --snapshot latest --output ndjson',
      'sluice table repeats /events/Order --from 7d --limit 1000 --json',
    ],
    args: { table: tableArg },
    flags: {
      snapshot: Flags.string({
        summary: 'what this snapshot dropped: an id of `sluice table history`, or latest',
        helpValue: 'ID',
      }),
      from: Flags.string({
        summary: 'hours from this time on: a date, in UTC, or a span before now, such as 7d',
        helpValue: 'TIME',
        exclusive: ['snapshot'],
      }),
      to: Flags.string({ summary: 'hours that end by this time', helpValue: 'TIME', exclusive: ['snapshot'] }),
      limit: Flags.integer({
        summary: 'rows that are listed; all are counted',
        helpValue: 'N',
        default: 100,
        min: 1,
        max: 10_000,
      }),
      'temp-dir': Flags.string({
        summary: 'local directory for the temporary file; that of the system without',
        helpValue: 'DIR',
      }),
    },
    run: async ({ args, flags, settings, log, logToStderr, fail, table: print }) =>
      await withTables(await settings(), async ({ load, fileSystem, now }) => {
        const { limit, snapshot: id } = flags
        const table = await load(args.table)
        const { place } = table
        const name = toSafeText(place.path)
        const reading = toReading(fileSystem, flags['temp-dir'] ?? tmpdir())
        const show = ({ rows, repeats }: ListedRepeats): string => {
          if (rows.length > 0) print(rows, toRepeatColumns(place))
          return `${plural(repeats, 'row')}${rows.length < repeats ? `, of which ${toCount(rows.length)} are listed,` : ''}`
        }
        if (id === undefined) {
          const hours = toHours(flags.from, flags.to, now())
          const { left, reason, ...found } = await reading(options => listPlanned(options, table, { hours, limit }))
          const what = show(found)
          if (found.repeats > 0) log(`${what} will be dropped by the next compaction`)
          else if (left.length === 0)
            log(`${marks.ok()} ${name} has no row to drop${reason === undefined ? '' : `: ${reason}`}`)
          listLeft(left, logToStderr)
          if (left.length > 0) fail(`${plural(left.length, 'hour')} left out`, 'left')
          return { path: place.path, snapshotId: null, ...found, left }
        }
        const snapshot = findSnapshot(table, id)
        if (!snapshot) {
          log(`${marks.ok()} no snapshot of ${name} dropped rows`)
          return { path: place.path, snapshotId: null, repeats: 0, rows: [] }
        }
        const { gone, ...found } = await reading(options => listDropped(options, table, snapshot, limit))
        const what = show(found)
        const by = `the snapshot ${snapshot.id} of ${toDateText(snapshot.timestampMs)}`
        if (gone !== undefined)
          fail(`${plural(found.repeats, 'row')} that ${by} dropped are gone: ${toSafeText(gone)}`, 'gone')
        else log(found.repeats > 0 ? `${what} dropped by ${by}` : `${marks.ok()} ${by} dropped no row`)
        const parent = { parent: snapshot.parentId ?? null, ...(gone === undefined ? {} : { gone }) }
        return { path: place.path, snapshotId: snapshot.id, ...parent, ...found }
      }),
  }),
}

/** Shows how many rows were read for as long as the work takes. */
const toReading =
  (fileSystem: FileSystem, temporaryDirectory: string) =>
  async <T>(work: (options: FindRepeatsOptions) => Promise<T>): Promise<T> =>
    await withProgress({ label: 'Reading', format: toCount }, async update => {
      let read = 0
      const onRows = (rows: number): void => {
        read += rows
        update(read, undefined)
      }
      return await work({ fileSystem, temporaryDirectory, onRows })
    })
