import type { Stray } from '../../../../src/spool/tool/strays.ts'
import { SpoolCommand } from '../../lib/spool-command.ts'
import { withStrays } from '../../lib/strays.ts'
import { toBytes, toCount, toDateText } from '../../lib/units.ts'

export class SpoolStrays extends SpoolCommand {
  static override readonly summary = 'Temporary directories of other collectors in the file system.'
  static override readonly description =
    'They stand below _tmp of the event output directory, named by the id of their collector. A spool that lost its id, or was deleted, leaves one behind; a collector that lives has one too, and nothing tells the two apart. Changes nothing; works beside a running server.'
  static override readonly examples = ['sluice spool strays', 'sluice spool strays --json']

  async run(): Promise<{ readonly ownId: string | null; readonly strays: readonly Stray[] }> {
    const { flags } = await this.parse(SpoolStrays)
    const { listStrays } = await import('../../../../src/spool/tool/strays.ts')
    return await withStrays(await this.directory(flags), flags, async options => {
      const strays = await listStrays(options)
      if (strays.length === 0) this.log('No other collector has a temporary directory there.')
      else {
        this.table(strays, [
          { title: 'ID', cell: row => row.id },
          { title: 'LAST CHANGED', cell: row => toDateText(row.changed) },
          { title: 'FILES', cell: row => toCount(row.files), align: 'right' },
          { title: 'SIZE', cell: row => toBytes(row.bytes), align: 'right' },
        ])
        this.log('')
        this.log(
          `Whether the owner lives cannot be known from here: \`sluice spool strays remove ID\` is for those that you know are gone.`,
        )
      }
      return { ownId: options.ownId ?? null, strays }
    })
  }
}
