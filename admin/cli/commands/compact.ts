import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { settingsCommand, yesFlag } from '../command/command.ts'
import { compactTable } from '../tables/compact-table.ts'
import { withTables } from '../tables/open-tables.ts'

export const commands = {
  compact: settingsCommand({
    summary: 'Make few large files of the many small ones of an Iceberg table, or below a directory, hour by hour.',
    description:
      'Of a table: one snapshot replaces the files of an hour by one file, or several of the target size, sorted by date: readers see each row once at any time. A row that repeats an event of another one, by its date and `_eventId`, is dropped. Works beside running collectors and other writers. If one of them changes a file first, the hour stays as it is, with exit code 1; run it again. An hour is left alone until ten minutes after its end. The old files stay for earlier snapshots until the collector or `sluice table expire` removes these. Rows that exceed 64 MiB wait in a temporary file.\n\nOf a directory: in each directory below it, small files of JSON lines, Thrift, Smile or Parquet, or sequence files, become one, or several of the target size. Readers must pause: until it is done they can find rows twice, or miss some. The new file is read back and counted before its sources go to the trash. After `kill -9` the next run finishes or undoes what was begun.',
    examples: [
      'sluice compact Order --dry-run',
      'sluice compact /events/Order --from 2026-11-22 --to 2026-11-23',
      'sluice compact /logs/web --yes',
    ],
    args: {
      path: Args.string({
        required: true,
        description: 'path of a table or a directory, or an event type: Order is /events/Order, by the settings',
      }),
    },
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
      'skip-trash': Flags.boolean<boolean>({ summary: 'delete the sources of a directory for good', default: false }),
      'dry-run': Flags.boolean<boolean>({ summary: 'only say what would be done', default: false }),
      yes: yesFlag,
    },
    run: async ({ args, settings, ...input }) => {
      const all = await settings()
      return await withTables(all, async tables => {
        const { path } = tables.placeOf(args.path)
        const table = await tables.catalog.load(path)
        if (table) return await compactTable(tables, table, input)
        const { compactSmallFiles } = await import('../tables/compact-small-files.ts')
        return await compactSmallFiles(tables, path, { ...input, settings: all })
      })
    },
  }),
}
