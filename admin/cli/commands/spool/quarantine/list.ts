import type { QuarantineView } from '../../../../../src/spool/tool/view.ts'
import { openDisk, SpoolCommand } from '../../../lib/spool-command.ts'
import { toBytes, toCount } from '../../../lib/units.ts'

export class SpoolQuarantineList extends SpoolCommand {
  static override readonly summary = 'What is in quarantine, and why.'
  static override readonly examples = ['sluice spool quarantine list', 'sluice spool quarantine list --json']

  async run(): Promise<{ readonly quarantine: readonly QuarantineView[] }> {
    const { flags } = await this.parse(SpoolQuarantineList)
    const { disk } = await openDisk(await this.directory(flags))
    const { viewSpool } = await import('../../../../../src/spool/tool/view.ts')
    const { quarantine } = await viewSpool(disk)
    if (quarantine.length === 0) this.log('Nothing is in quarantine.')
    else
      this.table(quarantine, [
        { title: 'NAME', cell: row => row.name, flexible: true },
        { title: 'KIND', cell: row => row.kind },
        { title: 'EVENTS', cell: row => (row.events > 0 ? toCount(row.events) : '–'), align: 'right' },
        { title: 'SIZE', cell: row => toBytes(row.bytes), align: 'right' },
        { title: 'REASON', cell: row => row.reason, flexible: true },
      ])
    return { quarantine }
  }
}
