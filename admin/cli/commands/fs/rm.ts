import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { gatewayCommand, yesFlag } from '../../command/command.ts'
import { forEachMatch } from '../../files/each-match.ts'
import { createPathFailures } from '../../files/each-path.ts'
import { deleteRemote } from '../../files/files.ts'
import { isGlob } from '../../files/glob.ts'
import { marks } from '../../print/style.ts'
import { toSafeText } from '../../print/text-width.ts'

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
        const path = await deleteRemote(gateway, word, flags.recursive)
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
