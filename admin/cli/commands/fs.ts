import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { gatewayCommand, yesFlag } from '../lib/command.ts'
import { deletePath, listDirectory, readRows, toColumns } from '../lib/files.ts'
import { withProgress } from '../lib/progress.ts'
import { toCellText } from '../lib/row-text.ts'
import { marks, style } from '../lib/style.ts'
import { toSafeText } from '../lib/text-width.ts'
import { copyTo, download, openFile, upload } from '../lib/transfer.ts'
import { toBytes, toDateText } from '../lib/units.ts'

const overwrite = Flags.boolean<boolean>({ summary: 'replace an existing file', default: false })

export const commands = {
  'fs:cat': gatewayCommand({
    hasJson: false,
    summary: 'Write a file as stored to standard output.',
    examples: ['sluice fs cat /data/words.txt', 'sluice fs cat /events/PageView --recursive > all.smile'],
    args: { path: Args.string({ required: true, description: 'the file' }) },
    flags: {
      recursive: Flags.boolean<boolean>({
        char: 'R',
        summary: 'the files of a directory, one after another',
        default: false,
      }),
    },
    run: async ({ args, flags, gateway }) => {
      const { body } = await openFile(await gateway(), args.path, flags.recursive)
      await copyTo(body, process.stdout)
    },
  }),

  'fs:get': gatewayCommand({
    summary: 'Download a file.',
    description: 'Written under another name first: a download that is cut short leaves nothing under the target name.',
    examples: ['sluice fs get /data/words.txt', 'sluice fs get /data/words.txt /tmp/ --overwrite'],
    args: {
      path: Args.string({ required: true, description: 'the file' }),
      target: Args.string({ default: '.', description: 'a file or directory here' }),
    },
    flags: { overwrite },
    run: async ({ args, flags, gateway, log }) => {
      const from = await gateway()
      const result = await withProgress({ label: 'Downloading' }, update =>
        download(from, args.path, args.target, {
          overwrite: flags.overwrite,
          onProgress: (done, total) => update(done, total, args.path),
        }),
      )
      log(`${marks.ok()} ${toSafeText(result.file)}  ${toBytes(result.size)}`)
      return result
    },
  }),

  'fs:ls': gatewayCommand({
    summary: 'List a directory of the file system.',
    examples: ['sluice fs ls /events', 'sluice fs ls /events/PageView --recursive --json'],
    args: { path: Args.string({ default: '/', description: 'the directory' }) },
    flags: {
      recursive: Flags.boolean<boolean>({ char: 'R', summary: 'everything below', default: false }),
      limit: Flags.integer({ char: 'n', summary: 'at most so many entries', min: 1 }),
    },
    run: async ({ args, flags, gateway, table }) => {
      const listing = await listDirectory(await gateway(), args.path, flags)
      table(listing.entries, [
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
    },
  }),

  'fs:put': gatewayCommand({
    summary: 'Upload a file.',
    description:
      'Nobody sees it before it is complete. A target that ends in / takes the name of the file; - is standard input.',
    examples: [
      'sluice fs put words.txt /data/',
      'sluice fs put words.txt /data/words.txt --overwrite --permission 640',
      'zcat log.gz | sluice fs put - /data/log.txt',
    ],
    args: {
      source: Args.string({ required: true, description: 'a file here, or -' }),
      path: Args.string({ required: true, description: 'where it goes' }),
    },
    flags: {
      overwrite,
      permission: Flags.string({ summary: 'octal digits or clauses such as u=rw,go=r', helpValue: 'MODE' }),
      replication: Flags.integer({ summary: 'copies of each block', min: 1, max: 512 }),
      blocksize: Flags.integer({ summary: 'bytes of a block', min: 1 }),
    },
    run: async ({ args, flags: { blocksize: blockSize, ...options }, gateway, log }) => {
      const to = await gateway()
      const result = await withProgress({ label: 'Uploading' }, update =>
        upload(to, args.source, args.path, {
          ...options,
          blockSize,
          onProgress: (done, total) => update(done, total, args.source),
        }),
      )
      log(`${marks.ok()} ${toSafeText(result.path)}  ${toBytes(result.size)}`)
      return result
    },
  }),

  'fs:rm': gatewayCommand({
    summary: 'Delete a file or directory. There is no trash.',
    examples: ['sluice fs rm /data/words.txt', 'sluice fs rm /data/old --recursive --yes'],
    args: { path: Args.string({ required: true, description: 'what to delete' }) },
    flags: {
      recursive: Flags.boolean<boolean>({ char: 'R', summary: 'with everything below', default: false }),
      yes: yesFlag,
    },
    run: async ({ args, flags, gateway, log, confirm }) => {
      await confirm(`Delete ${toSafeText(args.path)}${flags.recursive ? ' and everything below' : ''}?`, flags.yes)
      const path = await deletePath(await gateway(), args.path, flags.recursive)
      log(`${marks.ok()} ${toSafeText(path)} is deleted`)
      return { path, deleted: true }
    },
  }),

  'fs:rows': gatewayCommand({
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
