import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { type FileListing, listDirectory } from '../../lib/files.ts'
import { GatewayCommand } from '../../lib/server-command.ts'
import { style } from '../../lib/style.ts'
import { toBytes, toDateText } from '../../lib/units.ts'

export class FsLs extends GatewayCommand {
  static override readonly summary = 'List a directory of the file system.'
  static override readonly examples = ['sluice fs ls /events', 'sluice fs ls /events/PageView --recursive --json']
  static override readonly args = { path: Args.string({ default: '/', description: 'the directory' }) }
  static override readonly flags = {
    recursive: Flags.boolean({ char: 'R', summary: 'everything below', default: false }),
    limit: Flags.integer({ char: 'n', summary: 'at most so many entries', min: 1 }),
  }

  async run(): Promise<FileListing> {
    const { args, flags } = await this.parse(FsLs)
    const listing = await listDirectory(await this.gateway(flags), args.path, flags)
    this.table(listing.entries, [
      { title: 'MODE', cell: row => `${row.isDir ? 'd' : '-'}${row.permission ?? ''}` },
      { title: 'OWNER', cell: row => row.owner ?? '–' },
      { title: 'SIZE', cell: row => (row.isDir ? '–' : toBytes(row.size)), align: 'right' },
      { title: 'CHANGED', cell: row => toDateText(row.mtime) },
      {
        title: 'PATH',
        cell: row => (row.isDir && row.path !== '/' ? `${row.path}/` : row.path),
        flexible: true,
        paint: (text, row) => (row.isDir ? style('blue', text) : text),
      },
    ])
    return listing
  }
}
