import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { type FileRows, readRows, toColumns } from '../../lib/files.ts'
import { toCellText } from '../../lib/row-text.ts'
import { GatewayCommand } from '../../lib/server-command.ts'

export class FsRows extends GatewayCommand {
  static override readonly summary = 'Show the rows of a file, decoded.'
  static override readonly description =
    'Thrift, Smile, JSON, sequence files, Avro, Parquet, CSV and text, compressed or not. Both ends of a range are included, from 0.'
  static override readonly examples = [
    'sluice fs rows /events/PageView/2026/11/20/14',
    'sluice fs rows /data/words.txt --range 0-9',
    'sluice fs rows /data/words.txt --json',
  ]
  static override readonly args = { path: Args.string({ required: true, description: 'a file or directory' }) }
  static override readonly flags = {
    range: Flags.string({ char: 'r', summary: 'rows first-last', default: '0-49' }),
    recursive: Flags.boolean({ char: 'R', summary: 'files of everything below', default: false }),
  }

  async run(): Promise<FileRows> {
    const { args, flags } = await this.parse(FsRows)
    const rows = await readRows(await this.gateway(flags), args.path, flags)
    const columns = toColumns(rows.rows)
    if (rows.rows.length === 0) this.log('There are no rows.')
    else
      this.table(
        rows.rows,
        columns.map(name => ({
          title: name,
          cell: row => (row[name] === undefined ? '' : toCellText(row[name])),
          flexible: true,
        })),
      )
    for (const { path, error } of rows.errors) this.warn(`${path}: ${error}`)
    return rows
  }
}
