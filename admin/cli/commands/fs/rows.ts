import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { gatewayCommand } from '../../lib/command.ts'
import { readRows, toColumns } from '../../lib/files.ts'
import { toCellText } from '../../lib/row-text.ts'

export const commands = {
  'fs:rows': gatewayCommand({
    listsRows: true,
    summary: 'Show the rows of a file, decoded.',
    description:
      'Thrift, Smile, JSON, sequence files, Avro, Parquet, CSV and text, compressed or not. Both ends of a range are included, from 0.',
    examples: [
      'sluice fs rows /events/PageView/2026/11/20/14',
      'sluice fs rows /data/words.txt --range 0-9',
      'sluice fs rows /data/visits.parquet --columns user,time',
      'sluice fs rows /events/PageView --recursive --where "status >= 500 and path ~ /api"',
      'sluice fs rows /data/words.txt --json',
    ],
    args: { path: Args.string({ required: true, description: 'a file or directory' }) },
    flags: {
      range: Flags.string({
        char: 'r',
        summary: 'rows first-last; with --where, those that are looked at, all of them unless said',
        defaultHelp: '0-49',
      }),
      columns: Flags.string({
        char: 'c',
        summary: 'only these columns, in this order: names with commas between them, "a,b" for one with a comma',
        helpValue: 'NAMES',
      }),
      where: Flags.string({
        char: 'w',
        summary: 'only rows of which this is true, such as: status >= 500 and (path ~ "/api" or user.name = null)',
        helpValue: 'EXPRESSION',
      }),
      recursive: Flags.boolean<boolean>({ char: 'R', summary: 'files of everything below', default: false }),
    },
    run: async ({ args, flags, gateway, log, table, warn }) => {
      const range = flags.range ?? (flags.where === undefined ? '0-49' : '0-999999999999999')
      const rows = await readRows(await gateway(), args.path, { ...flags, range })
      const { searched } = rows
      if (rows.rows.length === 0)
        log(searched === undefined ? 'There are no rows.' : `None of ${searched} rows matches.`)
      else
        table(
          rows.rows,
          toColumns(rows.rows).map(name => ({
            title: name,
            cell: row => (row[name] === undefined ? '' : toCellText(row[name])),
            flexible: true,
          })),
        )
      for (const { path, error } of rows.errors) warn(`${path}: ${error}`)
      return rows
    },
  }),
}
