import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { gatewayCommand } from '../../command/command.ts'
import { CliError } from '../../command/failure.ts'
import { forEachMatch } from '../../files/each-match.ts'
import { createPathFailures } from '../../files/each-path.ts'
import { type RemoteRows, readRemoteRows, toColumns } from '../../files/files.ts'
import { isNumberOrTime, toCellText } from '../../files/row-text.ts'
import { toSafeText } from '../../print/text-width.ts'

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
    args: {
      path: Args.string({
        required: true,
        multiple: true,
        description: 'files or directories; patterns such as /data/*.csv',
      }),
    },
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
    run: async input => {
      const { args, flags, log, table } = input
      const gateway = await input.gateway()
      const failed = createPathFailures(input)
      const found: RemoteRows[] = []
      await forEachMatch(gateway, args.path, failed, async path => {
        const read = await readRemoteRows(gateway, path, {
          ...flags,
          range: flags.range ?? toDefaultRange(flags.where),
        })
        const isCut = flags.range === undefined && flags.where === undefined && read.rows.length > defaultRows
        if (isCut) input.logToStderr(`${toSafeText(path)}: the first ${defaultRows} rows; the next: --range 50-99`)
        if (read.rows.length === 0 && read.hasDirectories)
          input.logToStderr(`${toSafeText(path)} has directories; add -R for the rows of the files in them`)
        found.push(isCut ? { ...read, rows: read.rows.slice(0, defaultRows) } : read)
      })
      const rows = found.flatMap(one => one.rows)
      const searched = found.reduce((sum, one) => sum + (one.searched ?? 0), 0)
      if (rows.length > 0)
        table(
          rows,
          toColumns(rows).map(name => ({
            title: name,
            cell: row => (row[name] === undefined ? '' : toCellText(row[name])),
            flexible: true,
            isKept: row => row[name] !== undefined && isNumberOrTime(row[name]),
          })),
        )
      else if (found.length > 0 && !found.some(one => one.errors.length > 0))
        log(flags.where === undefined ? 'There are no rows.' : `None of ${searched} rows matches.`)
      const unreadable = found.flatMap(one => one.errors)
      for (const { path, error } of unreadable) failed.add(path, new CliError(error, { code: 'unreadable' }))
      failed.end()
      return {
        ...(args.path.length === 1 ? { path: args.path[0] } : { paths: args.path }),
        ...(flags.where === undefined ? {} : { searched }),
        rows,
        errors: failed.failures.map(({ path, message }) => ({ path, error: message })),
      }
    },
  }),
}

/** Rows that are shown by default; one more shows that there are more. */
const defaultRows = 50
const toDefaultRange = (where: string | undefined): string =>
  where === undefined ? `0-${defaultRows}` : '0-999999999999999'
