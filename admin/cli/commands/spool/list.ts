import { openDisk, SpoolCommand } from '../../lib/spool-command.ts'
import { listSpool, type SpoolListing } from '../../lib/spool-listing.ts'
import { marks, style } from '../../lib/style.ts'
import { toBytes, toCount, toDateText } from '../../lib/units.ts'

export class SpoolList extends SpoolCommand {
  static override readonly summary = 'What a spool holds: segments, bucket files, quarantine.'
  static override readonly description = 'Changes nothing; works beside a running server.'
  static override readonly examples = [
    'sluice spool list',
    'sluice spool list --spool /var/lib/sluice/.diskpool --json',
  ]

  async run(): Promise<SpoolListing> {
    const { flags } = await this.parse(SpoolList)
    const { disk, holder } = await openDisk(await this.directory(flags))
    const listing = await listSpool(disk, holder)
    this.log(`${listing.directory}  ${style('dim', `collector ${listing.collectorId ?? '–'}`)}`)
    this.log(holder === undefined ? style('dim', 'no server runs on it') : `${marks.ok()} in use by ${holder}`)
    if (!listing.flushEnabled) this.log(`${marks.warn()} flushing is disabled`)
    this.log('')
    if (listing.entries.length === 0) this.log('Nothing waits.')
    else
      this.table(listing.entries, [
        {
          title: 'STATE',
          cell: row => row.state,
          paint: (text, row) => (row.state === 'quarantined' || row.state === 'taken' ? style('yellow', text) : text),
        },
        { title: 'EVENTS', cell: row => (row.events === null ? '–' : toCount(row.events)), align: 'right' },
        { title: 'SIZE', cell: row => toBytes(row.bytes), align: 'right' },
        { title: 'SINCE', cell: row => (row.since === null ? '–' : toDateText(row.since)) },
        { title: 'FILE', cell: row => row.file.slice(row.file.indexOf('/') + 1), flexible: true },
        {
          title: 'GOES TO, OR WHY NOT',
          cell: row => row.reason ?? row.target?.slice(0, row.target.lastIndexOf('/')) ?? '',
          flexible: true,
        },
      ])
    return listing
  }
}
