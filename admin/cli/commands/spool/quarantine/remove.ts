import * as Args from '@oclif/core/args'
import type { QuarantineOutcome } from '../../../../../src/spool/tool/quarantine.ts'
import { yesFlag } from '../../../lib/base-command.ts'
import { CliError } from '../../../lib/failure.ts'
import { SpoolCommand, withOfflineSpool } from '../../../lib/spool-command.ts'
import { marks } from '../../../lib/style.ts'
import { toSafeText } from '../../../lib/text-width.ts'
import { plural } from '../../../lib/units.ts'

export class SpoolQuarantineRemove extends SpoolCommand {
  static override readonly strict = false
  static override readonly summary = 'Delete quarantined pieces for ever.'
  static override readonly description = 'The server must be stopped. Bucket files are deleted with the events in them.'
  static override readonly examples = [
    'sluice spool quarantine remove NAME',
    'sluice spool quarantine remove NAME NAME --json --yes',
  ]
  static override readonly args = { name: Args.string({ required: true, description: 'as `list` names them' }) }
  static override readonly flags = { yes: yesFlag }

  async run(): Promise<{ readonly outcomes: readonly QuarantineOutcome[] }> {
    const { argv, flags } = await this.parse(SpoolQuarantineRemove)
    const names = argv.map(String).map(name => name.replace(/^(_quarantine|_taken)\//, ''))
    await this.confirm(
      `Delete ${names.join(', ')} with the events in ${names.length === 1 ? 'it' : 'them'}?`,
      flags.yes,
    )
    const { removeQuarantined } = await import('../../../../../src/spool/tool/quarantine.ts')
    const outcomes = await withOfflineSpool(await this.directory(flags), spool => removeQuarantined(spool, names))
    for (const { name, done, detail } of outcomes)
      this.log(`${done ? marks.ok() : marks.bad()} ${toSafeText(`${name}: ${detail}`)}`)
    const done = outcomes.filter(outcome => outcome.done).length
    this.log(`${plural(done, 'piece')} deleted.`)
    if (done < names.length && !this.jsonEnabled())
      throw new CliError(`${plural(names.length - done, 'name')} left as they were`, { code: 'left' })
    if (done < names.length) process.exitCode = 1
    return { outcomes }
  }
}
