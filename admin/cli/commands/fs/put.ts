import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { gatewayCommand, overwriteFlag } from '../../lib/command.ts'
import { withProgress } from '../../lib/progress.ts'
import { marks } from '../../lib/style.ts'
import { toSafeText } from '../../lib/text-width.ts'
import { upload } from '../../lib/transfer.ts'
import { toBytes } from '../../lib/units.ts'

export const commands = {
  'fs:put': gatewayCommand({
    summary: 'Upload a file.',
    description:
      'Nobody sees it before it is complete. A target that ends in / takes the name of the file; - is standard input.',
    examples: [
      'sluice fs put words.txt /data/',
      'sluice fs put words.txt /data/words.txt --overwrite --permission 640',
      'zcat log.gz | sluice fs put - /data/log.txt',
    ],
    args: {
      source: Args.string({ required: true, description: 'a file here, or -' }),
      path: Args.string({ required: true, description: 'where it goes' }),
    },
    flags: {
      overwrite: overwriteFlag,
      permission: Flags.string({ summary: 'octal digits or clauses such as u=rw,go=r', helpValue: 'MODE' }),
      replication: Flags.integer({ summary: 'copies of each block', min: 1, max: 512 }),
      blocksize: Flags.integer({ summary: 'bytes of a block', min: 1 }),
    },
    run: async ({ args, flags: { blocksize: blockSize, ...options }, gateway, log }) => {
      const to = await gateway()
      const result = await withProgress({ label: 'Uploading' }, update =>
        upload(to, args.source, args.path, {
          ...options,
          blockSize,
          onProgress: (done, total) => update(done, total, args.source),
        }),
      )
      log(`${marks.ok()} ${toSafeText(result.path)}  ${toBytes(result.size)}`)
      return result
    },
  }),
}
