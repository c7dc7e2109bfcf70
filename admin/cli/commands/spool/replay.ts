import * as Args from '@oclif/core/args'
import type { Replayed } from '../../../../src/spool/tool/replay.ts'
import { CliError } from '../../lib/failure.ts'
import { createProgress } from '../../lib/progress.ts'
import { SpoolCommand, withOfflineSpool } from '../../lib/spool-command.ts'
import { marks } from '../../lib/style.ts'
import { toSafeText } from '../../lib/text-width.ts'
import { plural, toCount } from '../../lib/units.ts'

export class SpoolReplay extends SpoolCommand {
  static override readonly strict = false
  static override readonly summary = 'Append what can be read of damaged segments to the spool again.'
  static override readonly description =
    'The server must be stopped; its next start takes the events to the file system. A piece of which events are stored already is left alone, and so is what cannot be read. Exit code 1 when something was left.'
  static override readonly examples = ['sluice spool replay', 'sluice spool replay segment-7-4096.damaged --json']
  static override readonly args = {
    piece: Args.string({ description: 'names in quarantine; all damaged segments without' }),
  }

  async run(): Promise<{ readonly pieces: readonly Replayed[]; readonly events: number }> {
    const { argv, flags } = await this.parse(SpoolReplay)
    const { replayQuarantine } = await import('../../../../src/spool/tool/replay.ts')
    const only = argv.map(String).map(name => name.replace(/^_quarantine\//, ''))
    const progress = createProgress({ label: 'Replaying', format: toCount })
    const pieces = await withOfflineSpool(await this.directory(flags), spool =>
      replayQuarantine(spool, {
        ...(only.length > 0 ? { only } : {}),
        onProgress: (done, total, file) => progress.update(done, total, file),
      }),
    ).finally(() => progress.end())
    for (const { name, events, problem } of pieces) {
      const text = problem === '' ? plural(events, 'event') : problem
      this.log(`${problem === '' ? marks.ok() : marks.warn()} ${toSafeText(`${name}: ${text}`)}`)
    }
    const events = pieces.reduce((sum, piece) => sum + piece.events, 0)
    const left = pieces.filter(({ problem }) => problem !== '').length
    if (pieces.length === 0) this.log('There is no damaged segment.')
    else this.log(`${plural(events, 'event')} appended; the next start of the server takes them on.`)
    if (left > 0 && !this.jsonEnabled())
      throw new CliError(`${plural(left, 'piece')} left in quarantine`, { code: 'left' })
    if (left > 0) process.exitCode = 1
    return { pieces, events }
  }
}
