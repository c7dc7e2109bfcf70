import * as Args from '@oclif/core/args'
import { yesFlag } from '../../../lib/base-command.ts'
import { SpoolCommand } from '../../../lib/spool-command.ts'
import { withStrays } from '../../../lib/strays.ts'
import { marks } from '../../../lib/style.ts'

export class SpoolStraysRemove extends SpoolCommand {
  static override readonly summary = 'Delete the temporary directory of a collector that is gone.'
  static override readonly description =
    'Whether its owner lives cannot be known from here. One that lives sends what it had there again from its own disk; one that is gone for good, with its disk, leaves nothing else of these files.'
  static override readonly examples = ['sluice spool strays remove 0123456789abcdef0123456789abcdef --yes']
  static override readonly args = { id: Args.string({ required: true, description: 'as `strays` lists it' }) }
  static override readonly flags = { yes: yesFlag }

  async run(): Promise<{ readonly removed: string }> {
    const { args, flags } = await this.parse(SpoolStraysRemove)
    await this.confirm(
      `Delete the temporary directory of collector ${args.id}? Whether that one lives cannot be known from here.`,
      flags.yes,
    )
    const { removeStray } = await import('../../../../../src/spool/tool/strays.ts')
    const { path } = await withStrays(await this.directory(flags), flags, options => removeStray(options, args.id))
    this.log(`${marks.ok()} ${path} deleted`)
    return { removed: path }
  }
}
