import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { yesFlag } from '../../lib/base-command.ts'
import { deletePath } from '../../lib/files.ts'
import { GatewayCommand } from '../../lib/server-command.ts'
import { marks } from '../../lib/style.ts'
import { toSafeText } from '../../lib/text-width.ts'

export class FsRm extends GatewayCommand {
  static override readonly summary = 'Delete a file or directory. There is no trash.'
  static override readonly examples = ['sluice fs rm /data/words.txt', 'sluice fs rm /data/old --recursive --yes']
  static override readonly args = { path: Args.string({ required: true, description: 'what to delete' }) }
  static override readonly flags = {
    recursive: Flags.boolean({ char: 'R', summary: 'with everything below', default: false }),
    yes: yesFlag,
  }

  async run(): Promise<{ readonly path: string; readonly deleted: true }> {
    const { args, flags } = await this.parse(FsRm)
    await this.confirm(`Delete ${toSafeText(args.path)}${flags.recursive ? ' and everything below' : ''}?`, flags.yes)
    const path = await deletePath(await this.gateway(flags), args.path, flags.recursive)
    this.log(`${marks.ok()} ${toSafeText(path)} is deleted`)
    return { path, deleted: true }
  }
}
