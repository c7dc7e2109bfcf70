import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { createProgress } from '../../lib/progress.ts'
import { GatewayCommand } from '../../lib/server-command.ts'
import { marks } from '../../lib/style.ts'
import { toSafeText } from '../../lib/text-width.ts'
import { type Uploaded, upload } from '../../lib/transfer.ts'
import { toBytes } from '../../lib/units.ts'

export class FsPut extends GatewayCommand {
  static override readonly summary = 'Upload a file.'
  static override readonly description =
    'Nobody sees it before it is complete. A target that ends in / takes the name of the file; - is standard input.'
  static override readonly examples = [
    'sluice fs put words.txt /data/',
    'sluice fs put words.txt /data/words.txt --overwrite --permission 640',
    'zcat log.gz | sluice fs put - /data/log.txt',
  ]
  static override readonly args = {
    source: Args.string({ required: true, description: 'a file here, or -' }),
    path: Args.string({ required: true, description: 'where it goes' }),
  }
  static override readonly flags = {
    overwrite: Flags.boolean({ summary: 'replace an existing file', default: false }),
    permission: Flags.string({ summary: 'octal digits or clauses such as u=rw,go=r', helpValue: 'MODE' }),
    replication: Flags.integer({ summary: 'copies of each block', min: 1, max: 512 }),
    blocksize: Flags.integer({ summary: 'bytes of a block', min: 1 }),
  }

  async run(): Promise<Uploaded> {
    const { args, flags } = await this.parse(FsPut)
    const progress = createProgress({ label: 'Uploading' })
    const { overwrite, permission, replication, blocksize } = flags
    const result = await upload(await this.gateway(flags), {
      ...args,
      query: { overwrite: overwrite || undefined, permission, replication, blocksize },
      onProgress: (done, total) => progress.update(done, total, args.source),
    }).finally(() => progress.end())
    this.log(`${marks.ok()} ${toSafeText(result.path)}  ${toBytes(result.size)}`)
    return result
  }
}
