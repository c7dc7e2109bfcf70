import * as Args from '@oclif/core/args'
import { type QuarantineDetail, showQuarantined } from '../../../lib/quarantine.ts'
import { openDisk, SpoolCommand } from '../../../lib/spool-command.ts'
import { toSafeText } from '../../../lib/text-width.ts'
import { plural, toBytes } from '../../../lib/units.ts'

export class SpoolQuarantineShow extends SpoolCommand {
  static override readonly summary = 'One quarantined piece: the reason, and what can be read of it.'
  static override readonly examples = ['sluice spool quarantine show segment-7-4096.damaged']
  static override readonly args = { name: Args.string({ required: true, description: 'as `list` names it' }) }

  async run(): Promise<QuarantineDetail> {
    const { args, flags } = await this.parse(SpoolQuarantineShow)
    const { disk } = await openDisk(await this.directory(flags))
    const detail = await showQuarantined(disk, args.name)
    this.log(`${detail.name}  ${toBytes(detail.bytes)}`)
    this.log(`  ${toSafeText(detail.reason)}`)
    if (detail.target !== null) this.log(`  goes to ${toSafeText(detail.target)}`)
    this.log(`  ${plural(detail.readableEvents, 'event')} can be read${detail.sample.length > 0 ? ', such as' : ''}`)
    for (const line of detail.sample) this.log(`    ${toSafeText(line)}`)
    for (const problem of detail.problems) this.log(`  ${toSafeText(problem)}`)
    return detail
  }
}
