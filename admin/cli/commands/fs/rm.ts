import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { gatewayCommand, yesFlag } from '../../lib/command.ts'
import { deletePath } from '../../lib/files.ts'
import { marks } from '../../lib/style.ts'
import { toSafeText } from '../../lib/text-width.ts'

export const commands = {
  'fs:rm': gatewayCommand({
    summary: 'Delete a file or directory. There is no trash.',
    examples: ['sluice fs rm /data/words.txt', 'sluice fs rm /data/old --recursive --yes'],
    args: { path: Args.string({ required: true, description: 'what to delete' }) },
    flags: {
      recursive: Flags.boolean<boolean>({ char: 'R', summary: 'with everything below', default: false }),
      yes: yesFlag,
    },
    run: async ({ args, flags, gateway, log, confirm }) => {
      await confirm(`Delete ${toSafeText(args.path)}${flags.recursive ? ' and everything below' : ''}?`, flags.yes)
      const path = await deletePath(await gateway(), args.path, flags.recursive)
      log(`${marks.ok()} ${toSafeText(path)} is deleted`)
      return { path, deleted: true }
    },
  }),
}
