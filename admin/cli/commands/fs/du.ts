import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { gatewayCommand } from '../../command/command.ts'
import { forEachMatch } from '../../files/each-match.ts'
import { createPathFailures } from '../../files/each-path.ts'
import { listRemoteEntries } from '../../files/files.ts'
import { mapInOrder } from '../../files/in-order.ts'
import { getContentSummary, getFileStatus } from '../../files/webhdfs.ts'
import { toBytes, toCount } from '../../print/units.ts'

/** What is counted at a time. */
const atOnce = 8

/** Bytes below a path; `stored` are those of all copies. */
type Usage = {
  readonly path: string
  readonly isDir: boolean
  readonly size: number
  readonly stored: number
  readonly files: number
}

export const commands = {
  'fs:du': gatewayCommand({
    listsRows: true,
    summary: 'Count the bytes below a directory, entry by entry.',
    description: 'Sizes of everything below, hidden files too; STORED is what all copies take.',
    examples: [
      'sluice fs du /events',
      'sluice fs du -s /events /data',
      "sluice fs du -s '/events/*'",
      'sluice fs du /events --bytes',
    ],
    args: { path: Args.string({ multiple: true, default: ['/'], description: 'files or directories' }) },
    flags: {
      summarize: Flags.boolean<boolean>({ char: 's', summary: 'one line for each path given', default: false }),
      bytes: Flags.boolean<boolean>({ char: 'b', summary: 'sizes in bytes', default: false }),
      // `hadoop fs -du -h`: sizes have units here in any case.
      human: Flags.boolean<boolean>({ char: 'h', summary: 'sizes with units', default: false, hidden: true }),
    },
    run: async input => {
      const { args, flags, table } = input
      const gateway = await input.gateway()
      const failed = createPathFailures(input)
      const entries: Usage[] = []
      const toUsage = async ({ path, isDir, size, replication }: Counted): Promise<Usage | undefined> => {
        if (!isDir) return { path, isDir, size, stored: size * replication, files: 1 }
        try {
          const { length, spaceConsumed, fileCount } = await getContentSummary(gateway, path)
          return { path, isDir, size: length, stored: spaceConsumed, files: fileCount }
        } catch (error) {
          failed.add(path, error)
          return undefined
        }
      }
      await forEachMatch(gateway, args.path, failed, async word => {
        const status = await getFileStatus(gateway, word)
        const counted = status.isDir && !flags.summarize ? listRemoteEntries(gateway, status.path) : [status]
        for await (const usage of mapInOrder(counted, atOnce, toUsage)) if (usage) entries.push(usage)
      })
      const toSize = flags.bytes ? String : toBytes
      table(entries, [
        { title: 'SIZE', cell: row => toSize(row.size), align: 'right' },
        { title: 'STORED', cell: row => toSize(row.stored), align: 'right' },
        { title: 'FILES', cell: row => toCount(row.files), align: 'right' },
        { title: 'PATH', cell: row => (row.isDir && row.path !== '/' ? `${row.path}/` : row.path), flexible: true },
      ])
      failed.end()
      return { entries, errors: failed.failures }
    },
  }),
}

type Counted = { readonly path: string; readonly isDir: boolean; readonly size: number; readonly replication: number }
