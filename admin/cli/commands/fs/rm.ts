import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { gatewayCommand, yesFlag } from '../../lib/command.ts'
import { forEachMatch } from '../../lib/each-match.ts'
import { createPathFailures } from '../../lib/each-path.ts'
import { deletePath } from '../../lib/files.ts'
import { isGlob } from '../../lib/glob.ts'
import { marks } from '../../lib/style.ts'
import { toSafeText } from '../../lib/text-width.ts'

export const commands = {
  'fs:rm': gatewayCommand({
    summary: 'Delete files or directories. There is no trash.',
    examples: [
      'sluice fs rm /data/words.txt',
      'sluice fs rm /data/old --recursive --yes',
      "sluice fs rm '/data/2026-0[1-3]-*.csv'",
    ],
    args: {
      path: Args.string({
        required: true,
        multiple: true,
        description: 'what to delete; patterns such as /data/*.tmp',
      }),
    },
    flags: {
      recursive: Flags.boolean<boolean>({ char: 'R', summary: 'with everything below', default: false }),
      yes: yesFlag,
    },
    run: async input => {
      const { args, flags, log, confirm } = input
      const what = args.path.map(word => (isGlob(word) ? `all that matches ${word}` : word)).join(', ')
      await confirm(`Delete ${toSafeText(what)}${flags.recursive ? ' and everything below' : ''}?`, flags.yes)
      const gateway = await input.gateway()
      const failed = createPathFailures(input)
      const deleted: string[] = []
      await forEachMatch(gateway, args.path, failed, async word => {
        const path = await deletePath(gateway, word, flags.recursive)
        log(`${marks.ok()} ${toSafeText(path)} is deleted`)
        deleted.push(path)
      })
      failed.end()
      const [only = ''] = args.path
      if (args.path.length === 1 && !isGlob(only)) return { path: deleted[0], deleted: true }
      return { paths: deleted, errors: failed.failures }
    },
  }),
}
