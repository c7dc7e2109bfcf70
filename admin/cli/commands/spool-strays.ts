import * as Args from '@oclif/core/args'
import { clustersOf } from '../../../src/config/clusters.ts'
import type { StraysOptions } from '../../../src/spool/tool/strays.ts'
import { spoolCommand, yesFlag } from '../command/command.ts'
import { readSettings, type SettingsFlags } from '../command/settings.ts'
import { marks } from '../print/style.ts'
import { toBytes, toCount, toDateText } from '../print/units.ts'
import { openDisk } from '../spool/local-spool.ts'
import { withNameSpace } from '../spool/name-space.ts'

export const commands = {
  'spool:strays': spoolCommand({
    listsRows: true,
    summary: 'Temporary directories of other collectors in the file system.',
    description:
      'They are below _tmp of the event output directory, named by the id of their collector. A spool that lost its id, or was deleted, leaves one behind; a running collector has one too, and the two look the same. Changes nothing; works beside a running server.',
    examples: ['sluice spool strays', 'sluice spool strays --json'],
    run: async ({ directory, flags, log, table }) => {
      const { listStrays } = await import('../../../src/spool/tool/strays.ts')
      return await withFileSystem(await directory(), flags, async options => {
        const strays = await listStrays(options)
        if (strays.length === 0) log('No other collector has a temporary directory there.')
        else {
          table(strays, [
            { title: 'ID', cell: row => row.id },
            { title: 'LAST CHANGED', field: 'changed', cell: row => toDateText(row.changed) },
            { title: 'FILES', cell: row => toCount(row.files), align: 'right' },
            { title: 'SIZE', field: 'bytes', cell: row => toBytes(row.bytes), align: 'right' },
          ])
          log('')
          log(
            'Whether the owner lives cannot be known from here: `sluice spool strays remove ID` is for those that you know are gone.',
          )
        }
        return { ownId: options.ownId ?? null, strays }
      })
    },
  }),

  'spool:strays:remove': spoolCommand({
    summary: 'Delete the temporary directory of a collector that is gone.',
    description:
      'Whether its owner lives cannot be known from here. One that lives sends what it had there again from its own disk; one that is gone for good, with its disk, leaves nothing else of these files.',
    examples: ['sluice spool strays remove 0123456789abcdef0123456789abcdef --yes'],
    args: { id: Args.string({ required: true, description: 'as `strays` lists it' }) },
    flags: { yes: yesFlag },
    run: async ({ args, directory, flags, log, confirm }) => {
      await confirm(
        `Delete the temporary directory of collector ${args.id}? Whether that one lives cannot be known from here.`,
        flags.yes,
      )
      const { removeStray } = await import('../../../src/spool/tool/strays.ts')
      const { path } = await withFileSystem(await directory(), flags, options => removeStray(options, args.id))
      log(`${marks.ok()} ${path} deleted`)
      return { removed: path }
    },
  }),
}

/** The contents of the file system of the settings, open for as long as the work takes. */
const withFileSystem = async <T>(
  directory: string,
  flags: SettingsFlags,
  work: (options: StraysOptions) => Promise<T>,
): Promise<T> => {
  const { settings } = await readSettings(flags)
  const { disk } = await openDisk(directory)
  const { readId } = await import('../../../src/spool/tool/view.ts')
  const outputDirectory = settings['collector.event-output-directory']
  return await withNameSpace(clustersOf(settings), async fileSystem =>
    work({ fileSystem, outputDirectory, ownId: await readId(disk) }),
  )
}
