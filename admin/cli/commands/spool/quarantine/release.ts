import * as Args from '@oclif/core/args'
import type { QuarantineOutcome } from '../../../../../src/spool/tool/quarantine.ts'

import { CliError } from '../../../lib/failure.ts'
import { SpoolCommand, withOfflineSpool } from '../../../lib/spool-command.ts'
import { marks } from '../../../lib/style.ts'
import { toSafeText } from '../../../lib/text-width.ts'
import { plural } from '../../../lib/units.ts'

export class SpoolQuarantineRelease extends SpoolCommand {
  static override readonly strict = false
  static override readonly summary = 'Put bucket files that were set aside back into the queue.'
  static override readonly description =
    'The server must be stopped; its next start commits them. A running server does the same with `sluice flush now`, but ' +
    'never with files in _taken/: whoever releases one knows that the file system does not have it.'
  static override readonly examples = [
    'sluice spool quarantine release NAME',
    'sluice spool quarantine release NAME NAME --json',
  ]
  static override readonly args = { name: Args.string({ required: true, description: 'as `list` names them' }) }

  async run(): Promise<{ readonly outcomes: readonly QuarantineOutcome[] }> {
    const { argv, flags } = await this.parse(SpoolQuarantineRelease)
    const names = argv.map(String).map(name => name.replace(/^(_quarantine|_taken)\//, ''))
    const { releaseFiles } = await import('../../../../../src/spool/tool/quarantine.ts')
    const outcomes = await withOfflineSpool(await this.directory(flags), spool => releaseFiles(spool, names))
    for (const { name, done, detail } of outcomes)
      this.log(`${done ? marks.ok() : marks.bad()} ${toSafeText(`${name}: ${detail}`)}`)
    const done = outcomes.filter(outcome => outcome.done).length
    this.log(`${plural(done, 'file')} released; the next start of the server commits them.`)
    if (done < names.length && !this.jsonEnabled())
      throw new CliError(`${plural(names.length - done, 'name')} left as they were`, { code: 'left' })
    if (done < names.length) process.exitCode = 1
    return { outcomes }
  }
}
