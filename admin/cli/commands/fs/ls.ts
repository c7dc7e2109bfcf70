import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { Entry } from '../../../../clients/gateway/read-rows.ts'
import { gatewayCommand } from '../../command/command.ts'
import { forEachMatch } from '../../files/each-match.ts'
import { createPathFailures } from '../../files/each-path.ts'
import { listDirectory } from '../../files/files.ts'
import { getFileStatus } from '../../files/webhdfs.ts'
import { style } from '../../print/style.ts'
import { toBytes, toDateText } from '../../print/units.ts'

export const commands = {
  'fs:ls': gatewayCommand({
    listsRows: true,
    summary: 'List directories of the file system.',
    examples: [
      'sluice fs ls /events',
      "sluice fs ls -d '/events/*/2026-{10,11}-*'",
      'sluice fs ls /events/PageView --recursive --output csv',
    ],
    args: {
      path: Args.string({
        multiple: true,
        default: ['/'],
        description: 'directories or files; patterns such as /data/*.txt',
      }),
    },
    flags: {
      recursive: Flags.boolean<boolean>({ char: 'R', summary: 'everything below', default: false }),
      directory: Flags.boolean<boolean>({
        char: 'd',
        summary: 'directories themselves, and not what is in them',
        default: false,
      }),
      limit: Flags.integer({ char: 'n', summary: 'at most so many entries of each path', min: 1 }),
    },
    run: async input => {
      const { args, flags, table } = input
      const gateway = await input.gateway()
      const failed = createPathFailures(input)
      const entries: Entry[] = []
      await forEachMatch(gateway, args.path, failed, async path => {
        const found = flags.directory ? [await getFileStatus(gateway, path)] : await listDirectory(gateway, path, flags)
        for (const entry of found) entries.push(entry)
      })
      table(entries, [
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
      failed.end()
      return args.path.length === 1
        ? { path: args.path[0], entries, errors: failed.failures }
        : { paths: args.path, entries, errors: failed.failures }
    },
  }),
}
