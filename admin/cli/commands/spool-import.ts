import { resolve } from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { spoolCommand } from '../command/command.ts'
import { countLost, runImport, summarizeImport, toImportLine } from '../import/import-run.ts'
import { marks } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural, toBytes, toCount } from '../print/units.ts'

export const commands = {
  'spool:import': spoolCommand({
    summary: "Take the events of a predecessor's spool.",
    description:
      'Reads committed, _lock and _quarantine files, and the readable part of _tmp: Smile, JSON and Thrift, LZF or not. Events keep their dates. Imported files are moved to _imported/ beside them; an interrupted import can be repeated. The server must be stopped. Exit code 1 when something could not be read; a truncated file in _tmp is reported, but is not a failure.',
    examples: [
      'sluice spool import /var/lib/collector/.diskspool --dry-run',
      'sluice spool import /var/lib/collector/.diskspool --spool ./data/.diskpool',
    ],
    args: {
      directory: Args.string({ required: true, description: "the old spool, or one of its writers' directories" }),
    },
    flags: {
      'dry-run': Flags.boolean<boolean>({ summary: 'read everything, change nothing', default: false }),
      keep: Flags.boolean<boolean>({
        summary: 'leave the files where they are; for a day they are known again',
        default: false,
      }),
    },
    run: async ({ args, flags, directory, settings, log, table, fail }) => {
      const report = await runImport(
        resolve(args.directory),
        flags['dry-run'] ? undefined : { directory, settings },
        flags.keep,
      )
      if (report.files.length > 0) {
        table(summarizeImport(report), [
          { title: 'PLACE', cell: row => row.place },
          { title: 'FILES', cell: row => toCount(row.files), align: 'right' },
          { title: 'SIZE', cell: row => toBytes(row.bytes), align: 'right' },
          { title: 'EVENTS', cell: row => toCount(row.events), align: 'right' },
          { title: 'UNREADABLE', cell: row => (row.unreadable > 0 ? toCount(row.unreadable) : ''), align: 'right' },
          { title: 'TAKEN BEFORE', cell: row => (row.known > 0 ? plural(row.known, 'file') : ''), align: 'right' },
          { title: 'WRITER', cell: row => row.writer, flexible: true },
        ])
        log('')
      }
      for (const { file, details } of report.files)
        for (const detail of details) log(`${marks.warn()} ${toSafeText(`${file}: ${detail}`)}`)
      for (const name of report.skipped)
        log(`${marks.warn()} ${toSafeText(name)}: its name is not that of a spool directory`)
      log(`${marks.ok()} ${toImportLine(report, flags['dry-run'])}`)
      const lost = countLost(report)
      if (lost > 0) fail(`${plural(lost, 'event')} or parts of files could not be read`, 'unreadable')
      return report
    },
  }),
}
