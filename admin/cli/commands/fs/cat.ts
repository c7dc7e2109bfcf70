import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { GatewayCommand } from '../../lib/server-command.ts'
import { copyTo, openFile } from '../../lib/transfer.ts'

export class FsCat extends GatewayCommand {
  static override readonly enableJsonFlag = false
  static override readonly summary = 'Write a file as stored to standard output.'
  static override readonly examples = [
    'sluice fs cat /data/words.txt',
    'sluice fs cat /events/PageView --recursive > all.smile',
  ]
  static override readonly args = { path: Args.string({ required: true, description: 'the file' }) }
  static override readonly flags = {
    recursive: Flags.boolean({ char: 'R', summary: 'the files of a directory, one after another', default: false }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(FsCat)
    const { body } = await openFile(await this.gateway(flags), args.path, flags.recursive)
    await copyTo(body, process.stdout)
  }
}
