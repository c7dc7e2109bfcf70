import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { createProgress } from '../../lib/progress.ts'
import { GatewayCommand } from '../../lib/server-command.ts'
import { marks } from '../../lib/style.ts'
import { toSafeText } from '../../lib/text-width.ts'
import { type Downloaded, download } from '../../lib/transfer.ts'
import { toBytes } from '../../lib/units.ts'

export class FsGet extends GatewayCommand {
  static override readonly summary = 'Download a file.'
  static override readonly description =
    'Written under another name first: a download that is cut short leaves nothing under the target name.'
  static override readonly examples = [
    'sluice fs get /data/words.txt',
    'sluice fs get /data/words.txt /tmp/ --overwrite',
  ]
  static override readonly args = {
    path: Args.string({ required: true, description: 'the file' }),
    target: Args.string({ default: '.', description: 'a file or directory here' }),
  }
  static override readonly flags = { overwrite: Flags.boolean({ summary: 'replace an existing file', default: false }) }

  async run(): Promise<Downloaded> {
    const { args, flags } = await this.parse(FsGet)
    const progress = createProgress({ label: 'Downloading' })
    const result = await download(await this.gateway(flags), {
      ...args,
      overwrite: flags.overwrite,
      onProgress: (done, total) => progress.update(done, total, args.path),
    }).finally(() => progress.end())
    this.log(`${marks.ok()} ${toSafeText(result.file)}  ${toBytes(result.size)}`)
    return result
  }
}
