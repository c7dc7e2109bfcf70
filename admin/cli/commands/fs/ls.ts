import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { gatewayCommand } from '../../lib/command.ts'
import { listDirectory } from '../../lib/files.ts'
import { style } from '../../lib/style.ts'
import { toBytes, toDateText } from '../../lib/units.ts'

export const commands = {
  'fs:ls': gatewayCommand({
    listsRows: true,
    summary: 'List a directory of the file system.',
    examples: ['sluice fs ls /events', 'sluice fs ls /events/PageView --recursive --output csv'],
    args: { path: Args.string({ default: '/', description: 'the directory' }) },
    flags: {
      recursive: Flags.boolean<boolean>({ char: 'R', summary: 'everything below', default: false }),
      limit: Flags.integer({ char: 'n', summary: 'at most so many entries', min: 1 }),
    },
    run: async ({ args, flags, gateway, table }) => {
      const listing = await listDirectory(await gateway(), args.path, flags)
      table(listing.entries, [
        { title: 'MODE', field: 'permission', cell: row => `${row.isDir ? 'd' : '-'}${row.permission ?? ''}` },
        { title: 'OWNER', cell: row => row.owner ?? '–' },
        { title: 'SIZE', cell: row => (row.isDir ? '–' : toBytes(row.size)), align: 'right' },
        { title: 'CHANGED', field: 'mtime', cell: row => toDateText(row.mtime) },
        {
          title: 'PATH',
          cell: row => (row.isDir && row.path !== '/' ? `${row.path}/` : row.path),
          flexible: true,
          paint: (text, row) => (row.isDir ? style('blue', text) : text),
        },
      ])
      return listing
    },
  }),
}
