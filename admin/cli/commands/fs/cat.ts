import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { gatewayCommand } from '../../lib/command.ts'
import { copyTo, openFile } from '../../lib/transfer.ts'

export const commands = {
  'fs:cat': gatewayCommand({
    hasJson: false,
    summary: 'Write a file as stored to standard output.',
    examples: ['sluice fs cat /data/words.txt', 'sluice fs cat /events/PageView --recursive > all.smile'],
    args: { path: Args.string({ required: true, description: 'the file' }) },
    flags: {
      recursive: Flags.boolean<boolean>({
        char: 'R',
        summary: 'the files of a directory, one after another',
        default: false,
      }),
    },
    run: async ({ args, flags, gateway }) => {
      const { body } = await openFile(await gateway(), args.path, flags.recursive)
      await copyTo(body, process.stdout)
    },
  }),
}
