import * as Args from '@oclif/core/args'
import { gatewayCommand, overwriteFlag } from '../../lib/command.ts'
import { withProgress } from '../../lib/progress.ts'
import { marks } from '../../lib/style.ts'
import { toSafeText } from '../../lib/text-width.ts'
import { download } from '../../lib/transfer.ts'
import { toBytes } from '../../lib/units.ts'

export const commands = {
  'fs:get': gatewayCommand({
    summary: 'Download a file.',
    description: 'Written under another name first: a download that is cut short leaves nothing under the target name.',
    examples: ['sluice fs get /data/words.txt', 'sluice fs get /data/words.txt /tmp/ --overwrite'],
    args: {
      path: Args.string({ required: true, description: 'the file' }),
      target: Args.string({ default: '.', description: 'a file or directory here' }),
    },
    flags: { overwrite: overwriteFlag },
    run: async ({ args, flags, gateway, log }) => {
      const from = await gateway()
      const result = await withProgress({ label: 'Downloading' }, update =>
        download(from, args.path, args.target, {
          overwrite: flags.overwrite,
          onProgress: (done, total) => update(done, total, args.path),
        }),
      )
      log(`${marks.ok()} ${toSafeText(result.file)}  ${toBytes(result.size)}`)
      return result
    },
  }),
}
