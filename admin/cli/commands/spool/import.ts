import { resolve } from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { ImportReport } from '../../import/import-spool.ts'
import { CliError } from '../../lib/failure.ts'
import { countLost, runImport, summarizeImport } from '../../lib/import-run.ts'
import { SpoolCommand } from '../../lib/spool-command.ts'
import { marks } from '../../lib/style.ts'
import { toSafeText } from '../../lib/text-width.ts'
import { plural, toBytes, toCount } from '../../lib/units.ts'

export class SpoolImport extends SpoolCommand {
  static override readonly summary = "Take the events of a predecessor's spool."
  static override readonly description =
    'Reads committed, _lock and _quarantine files, and what is readable of _tmp: Smile, JSON and Thrift, LZF or not. Events keep their own dates. Files that were taken are moved to _imported/ beside them; an import that was cut short can be run again. The server must be stopped. Exit code 1 when something could not be read; the cut end of a file in _tmp is told, but is no failure.'
  static override readonly examples = [
    'sluice spool import /var/lib/collector/.diskspool --dry-run',
    'sluice spool import /var/lib/collector/.diskspool --spool ./data/.diskpool',
  ]
  static override readonly args = {
    directory: Args.string({ required: true, description: "the old spool, or one of its writers' directories" }),
  }
  static override readonly flags = {
    'dry-run': Flags.boolean({ summary: 'read everything, change nothing', default: false }),
    keep: Flags.boolean({ summary: 'leave the files where they are; for a day they are known again', default: false }),
  }

  async run(): Promise<ImportReport> {
    const { args, flags } = await this.parse(SpoolImport)
    const report = await runImport({
      root: resolve(args.directory),
      directory: flags['dry-run'] ? undefined : await this.directory(flags),
      keep: flags.keep,
    })
    const shown = report.files.filter(({ details }) => details.length > 0)
    if (report.files.length > 0) {
      this.table(summarizeImport(report), [
        { title: 'PLACE', cell: row => row.place },
        { title: 'FILES', cell: row => toCount(row.files), align: 'right' },
        { title: 'SIZE', cell: row => toBytes(row.bytes), align: 'right' },
        { title: 'EVENTS', cell: row => toCount(row.events), align: 'right' },
        { title: 'UNREADABLE', cell: row => (row.unreadable > 0 ? toCount(row.unreadable) : ''), align: 'right' },
        { title: 'TAKEN BEFORE', cell: row => (row.known > 0 ? plural(row.known, 'file') : ''), align: 'right' },
        { title: 'WRITER', cell: row => row.writer, flexible: true },
      ])
      this.log('')
    }
    for (const { file, details } of shown)
      for (const detail of details) this.log(`${marks.warn()} ${toSafeText(`${file}: ${detail}`)}`)
    for (const name of report.skipped)
      this.log(`${marks.warn()} ${toSafeText(name)}: its name is not that of a spool directory`)
    const verb = flags['dry-run'] ? 'can be taken' : 'taken; the next start of the server takes them on'
    this.log(`${marks.ok()} ${plural(report.events, 'event')} of ${plural(report.files.length, 'file')} ${verb}`)
    const lost = countLost(report)
    if (lost > 0 && !this.jsonEnabled()) {
      throw new CliError(`${plural(lost, 'event')} or parts of files could not be read`, { code: 'unreadable' })
    }
    if (lost > 0) process.exitCode = 1
    return report
  }
}
