import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import type { LoadedTable } from '../../../../src/tables/catalog.ts'
import {
  changedAt,
  describePartitions,
  describeType,
  readFigures,
  type SnapshotView,
  toHistory,
} from '../../../../src/tables/view/table-view.ts'
import { settingsCommand, yesFlag } from '../../command/command.ts'
import { parseTimeSpan } from '../../command/time-span.ts'
import { withProgress } from '../../print/progress.ts'
import { marks, style } from '../../print/style.ts'
import type { Column } from '../../print/table.ts'
import { toSafeText } from '../../print/text-width.ts'
import { plural, toBytes, toCount, toCountOrDash, toDateText } from '../../print/units.ts'
import { withTables } from '../../tables/open-tables.ts'
import { tableArg } from '../../tables/table-arg.ts'

/** Rows that a compaction dropped. */
const repeats: Column<SnapshotView> = {
  title: 'REPEATS',
  field: 'repeatedRows',
  cell: row => toCountOrDash(row.repeatedRows),
  align: 'right',
}

const toBytesOrDash = (bytes: number | null): string => (bytes === null ? '–' : toBytes(bytes))

export const commands = {
  'table:check': settingsCommand({
    summary: 'Prove that each file of a table is there, once, and of its length.',
    description:
      'Reads the manifests of the current snapshot and looks for each file. A Parquet file beside them that the snapshot does not have is only noted: it waits for an import, or was replaced. Changes nothing; works beside running writers. Exit code 1 when a file is missing, has another length, or is in the table more than once.',
    examples: ['sluice table check Order', 'sluice table check /events/Order --config /etc/sluice.yaml --json'],
    args: { table: tableArg },
    run: async ({ args, settings, log, fail }) =>
      await withTables(await settings(), async ({ load, fileSystem }) => {
        const table = await load(args.table)
        const { checkTable } = await import('../../../../src/tables/check-table.ts')
        const { findings, ...sums } = await withProgress({ label: 'Checking', format: toCount }, update =>
          checkTable(fileSystem, table, update),
        )
        const problems = findings.filter(({ level }) => level === 'problem').length
        for (const { level, file, detail } of findings.slice(0, maxListed))
          log(`${level === 'problem' ? marks.bad() : marks.warn()} ${toSafeText(`${file}: ${detail}`)}`)
        if (findings.length > maxListed) log(`… and ${toCount(findings.length - maxListed)} more`)
        const summary = `${plural(sums.files, 'file')} with ${plural(sums.rows, 'row')}, ${toBytes(sums.bytes)}`
        if (problems > 0) fail(`${plural(problems, 'problem')}; checked ${summary}`, 'damaged')
        else log(`${marks.ok()} ${summary}: each is there, once`)
        return { path: table.place.path, problems, ...sums, findings }
      }),
  }),

  'table:expire': settingsCommand({
    summary: 'Forget old snapshots of a table, and delete the files that no other needs.',
    description:
      'The last 10 snapshots of each branch stay whatever their age, and so do those that tags refer to. Orphans of Sluice go as well: files of commits that were cut short, once they are an hour old and the table has a later snapshot, and data files of compactions, a day later. Those of other programs stay. Nothing outside of the directory of the table is deleted. It can be cut short anywhere: the next call deletes what is left. Do not import it again: where another program has rewritten files of the table, those before are of no snapshot once it has expired.',
    examples: ['sluice table expire Order --dry-run', 'sluice table expire /events/Order --older-than 7d --yes'],
    args: { table: tableArg },
    flags: {
      'older-than': Flags.string({
        summary: 'snapshots and metadata of this age: 90s, 10min, 6h, 7d',
        helpValue: 'SPAN',
        default: '5h',
      }),
      'dry-run': Flags.boolean<boolean>({ summary: 'only say what would be done', default: false }),
      yes: yesFlag,
    },
    run: async ({ args, flags, settings, log, logToStderr, confirm }) => {
      const olderThanMs = parseTimeSpan(flags['older-than'])
      const isTrial = flags['dry-run']
      return await withTables(await settings(), async ({ load, fileSystem, catalog, now, pause }) => {
        const { path } = (await load(args.table)).place
        const { expireSnapshots } = await import('../../../../src/tables/expiry/expire-snapshots.ts')
        if (!isTrial) await confirm(`Forget snapshots of ${path} older than ${flags['older-than']}?`, flags.yes)
        const report = await expireSnapshots({ fileSystem, catalog, path, olderThanMs, now, pause, isTrial })
        const { snapshots, kept, dataFiles, manifests, metadataFiles, orphans, outside } = report
        const files = `${plural(dataFiles, 'data file')}, ${plural(manifests, 'manifest')}, ${plural(metadataFiles, 'file')} of metadata, ${plural(orphans, 'orphan')}`
        log(
          `${marks.ok()} ${plural(snapshots, 'snapshot')} ${isTrial ? 'would be forgotten' : 'forgotten'}, ${toCount(kept)} kept; ${files} ${isTrial ? 'would be deleted' : 'deleted'}`,
        )
        for (const file of outside) logToStderr(`${marks.warn()} ${toSafeText(file)} is outside of the table, and left`)
        return { path, isDryRun: isTrial, ...report }
      })
    },
  }),

  'table:history': settingsCommand({
    listsRows: true,
    summary: 'Snapshots of a table, newest first.',
    description: 'Readers can go back to each of them by its id. Changes nothing.',
    examples: ['sluice table history Order', 'sluice table history Order --output ndjson'],
    args: { table: tableArg },
    run: async ({ args, settings, log, table }) =>
      await withTables(await settings(), async ({ load }) => {
        const loaded = await load(args.table)
        const snapshots = toHistory(loaded.metadata)
        if (snapshots.length === 0) log('It has no snapshot: nothing was written to it.')
        else
          table<SnapshotView>(snapshots, [
            { title: 'ID', cell: row => String(row.id) },
            { title: 'TIME', cell: row => toDateText(row.time) },
            { title: 'OPERATION', cell: row => row.operation },
            { title: 'FILES', field: 'addedFiles', cell: row => toCountOrDash(row.addedFiles), align: 'right' },
            { title: 'ROWS', field: 'addedRows', cell: row => toCountOrDash(row.addedRows), align: 'right' },
            ...(snapshots.some(({ repeatedRows }) => repeatedRows !== null) ? [repeats] : []),
            { title: 'WRITER', cell: row => toSafeText(row.writer) },
            { title: 'TOTAL', field: 'rows', cell: row => toCountOrDash(row.rows), align: 'right' },
            { title: '', field: 'isCurrent', cell: row => (row.isCurrent ? 'current' : '') },
          ])
        return { path: loaded.place.path, snapshots }
      }),
  }),

  'table:import': settingsCommand({
    summary: 'Make an Iceberg table of the Parquet files in a directory.',
    description:
      'The files stay where they are, and become rows of the table, with their statistics, by one snapshot. Called again, it adds what has come since, and what the table no longer has: after another program has rewritten its files, remove those before it. No file is in the table twice, also when it was cut short, or others write to the table meanwhile. New columns are added to the table; a column stays what it is, or becomes wider (int to long, float to double). A file that does not go with that is left and named, with exit code 1. Files below `_*`, `.*`, `data` and `metadata` are not looked at.',
    examples: ['sluice table import Order', 'sluice table import /archive/clicks --date-column at --json'],
    args: { table: tableArg },
    flags: {
      'date-column': Flags.string({
        summary: 'by whose hour files are put apart, where each file has one hour',
        helpValue: 'NAME',
        default: 'eventDate',
      }),
    },
    run: async ({ args, flags, settings, log, logToStderr, fail }) =>
      await withTables(await settings(), async ({ placeOf, fileSystem, catalog, now, pause }) => {
        const place = placeOf(args.table)
        const { importFiles } = await import('../../../../src/tables/import/import-files.ts')
        const report = await withProgress({ label: 'Reading footers', format: toCount }, onProgress =>
          importFiles({ fileSystem, catalog, place, dateColumn: flags['date-column'], now, pause, onProgress }),
        )
        const { left, files, rows, bytes, known, isNew } = report
        for (const { path, reason } of left.slice(0, maxListed))
          logToStderr(`${marks.warn()} ${toSafeText(`${path}: ${reason}`)}`)
        const added = `${plural(files, 'file')} with ${plural(rows, 'row')}, ${toBytes(bytes)}`
        log(`${marks.ok()} ${added} added to the ${isNew ? 'new ' : ''}table ${toSafeText(place.path)}`)
        if (known > 0) log(style('dim', `${plural(known, 'file')} were in it before`))
        if (left.length > 0) fail(`${plural(left.length, 'file')} left, which cannot be in the table`, 'left')
        return { path: place.path, ...report, snapshotId: report.snapshotId ?? null }
      }),
  }),

  'table:list': settingsCommand({
    listsRows: true,
    summary: 'Tables below a directory.',
    description:
      'Those in the directory, and two levels below. Changes nothing. Exit code 1 when one of them cannot be read: it is named with the reason, after the others.',
    examples: ['sluice table list', 'sluice table list /archive --output csv'],
    args: { path: Args.string({ description: 'a directory; that of the events without' }) },
    run: async ({ args, settings: readSettings, log, logToStderr, fail, table }) => {
      const settings = await readSettings()
      return await withTables(settings, async ({ fileSystem, catalog }) => {
        const { findTables, orProblem } = await import('../../tables/find-tables.ts')
        const directory = args.path ?? settings['collector.event-output-directory']
        const tables = []
        const broken = []
        for await (const found of findTables(fileSystem, catalog, directory)) {
          const read = 'problem' in found ? found : await orProblem(found.place.path, () => readRow(fileSystem, found))
          if ('problem' in read) broken.push(read)
          else tables.push(read)
        }
        if (tables.length + broken.length === 0) log(`There is no table in ${toSafeText(directory)}.`)
        else if (tables.length > 0)
          table(tables, [
            { title: 'PATH', cell: row => row.path, flexible: true },
            { title: 'ROWS', cell: row => toCount(row.rows), align: 'right' },
            { title: 'FILES', cell: row => toCount(row.files), align: 'right' },
            { title: 'SIZE', field: 'bytes', cell: row => toBytesOrDash(row.bytes), align: 'right' },
            { title: 'SNAPSHOTS', cell: row => toCount(row.snapshots), align: 'right' },
            { title: 'CHANGED', cell: row => toDateText(row.changed) },
          ])
        for (const { path, problem } of broken) logToStderr(`${marks.bad()} ${toSafeText(`${path}: ${problem}`)}`)
        if (broken.length > 0) fail(`${plural(broken.length, 'table')} cannot be read`, 'damaged')
        return { directory, tables, broken }
      })
    },
  }),

  'table:show': settingsCommand({
    summary: 'Columns, partitions and size of a table.',
    description: 'By its metadata and manifests; no file with rows is read. Changes nothing.',
    examples: ['sluice table show Order', 'sluice table show /events/Order --json'],
    args: { table: tableArg },
    run: async ({ args, settings, log, table }) =>
      await withTables(await settings(), async ({ load, fileSystem }) => {
        const loaded = await load(args.table)
        const { place, metadata } = loaded
        const figures = await readFigures(fileSystem, loaded)
        const columns = metadata.schema.fields.map(({ id, name, type, isRequired }) => ({
          id,
          name,
          type: describeType(type),
          isRequired,
        }))
        const partitions = describePartitions(loaded)
        const snapshots = metadata.snapshots.length
        log(toSafeText(metadata.location))
        log(
          `${plural(figures.rows, 'row')} in ${plural(figures.files, 'file')}, ${toBytesOrDash(figures.bytes)}; ${plural(snapshots, 'snapshot')}, changed ${toDateText(changedAt(metadata))}`,
        )
        log(partitions === '' ? 'not partitioned' : `partitioned by ${toSafeText(partitions)}`)
        log('')
        table(columns, [
          { title: 'ID', cell: row => String(row.id), align: 'right' },
          { title: 'COLUMN', field: 'name', cell: row => row.name },
          { title: 'TYPE', cell: row => `${row.type}${row.isRequired ? ', required' : ''}`, flexible: true },
        ])
        return {
          path: place.path,
          location: metadata.location,
          uuid: metadata.uuid,
          snapshotId: metadata.current?.id ?? null,
          changed: changedAt(metadata),
          snapshots,
          ...figures,
          partitions,
          columns,
        }
      }),
  }),
}

const readRow = async (fileSystem: FileSystem, table: LoadedTable) => {
  const { place, metadata } = table
  const figures = await readFigures(fileSystem, table)
  return { path: place.path, ...figures, snapshots: metadata.snapshots.length, changed: changedAt(metadata) }
}

/** Lines about files; all are in the data of `--json`. */
const maxListed = 50
