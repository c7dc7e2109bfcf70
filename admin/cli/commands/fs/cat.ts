import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { gatewayCommand } from '../../command/command.ts'
import { forEachMatch } from '../../files/each-match.ts'
import { createPathFailures } from '../../files/each-path.ts'
import { copyOut, openRemote } from '../../files/transfer.ts'

export const commands = {
  'fs:cat': gatewayCommand({
    hasJson: false,
    summary: 'Write files as stored to standard output.',
    examples: [
      'sluice fs cat /data/words.txt',
      "sluice fs cat '/data/part-*' > all",
      'sluice fs cat /events/PageView --recursive > all.smile',
    ],
    args: { path: Args.string({ required: true, multiple: true, description: 'files; patterns such as /data/*.txt' }) },
    flags: {
      recursive: Flags.boolean<boolean>({
        char: 'R',
        summary: 'the files of a directory, one after another',
        default: false,
      }),
    },
    run: async input => {
      const gateway = await input.gateway()
      const failed = createPathFailures(input)
      await forEachMatch(gateway, input.args.path, failed, async path => {
        const { body } = await openRemote(gateway, path, input.flags.recursive)
        await copyOut(body)
      })
      failed.end()
    },
  }),
}
