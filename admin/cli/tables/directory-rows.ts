import type { CompactedDirectory } from '../../../src/compaction/files/compact-below.ts'
import type { FilesPlan } from '../../../src/compaction/files/plan-files.ts'
import type { CommandInput } from '../command/command.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural, toBytes, toCount } from '../print/units.ts'

/** What became, or would become, of the files of a directory. */
export type DirectoryRow = {
  readonly directory: string
  readonly files: number
  readonly becomes: number
  /** Null before they are read. */
  readonly rows: number | null
  readonly bytes: number
}

/** What would become of each directory. */
export const toPlannedDirectories = ({ merges }: FilesPlan): readonly DirectoryRow[] =>
  byDirectory(
    merges.map(({ directory, files, bytes }) => ({ directory, files: files.length, becomes: 1, rows: null, bytes })),
  )

/** What became of each directory. */
export const toCompactedDirectories = (done: readonly CompactedDirectory[]): readonly DirectoryRow[] =>
  byDirectory(
    done.map(({ directory, files, merged }) => ({
      directory,
      files,
      becomes: 1,
      rows: merged?.rows ?? 0,
      bytes: merged?.bytes ?? 0,
    })),
  )

/** Rows of a directory as one. */
const byDirectory = (rows: readonly DirectoryRow[]): readonly DirectoryRow[] =>
  [...Map.groupBy(rows, ({ directory }) => directory)].map(([directory, all]) => ({
    directory,
    ...sumDirectories(all),
  }))

const sumOf = (rows: readonly DirectoryRow[], name: 'files' | 'becomes' | 'rows' | 'bytes'): number =>
  rows.reduce((sum, row) => sum + (row[name] ?? 0), 0)

/** The sums of all. */
export const sumDirectories = (rows: readonly DirectoryRow[]): Omit<DirectoryRow, 'directory'> => ({
  files: sumOf(rows, 'files'),
  becomes: sumOf(rows, 'becomes'),
  rows: rows.some(row => row.rows === null) ? null : sumOf(rows, 'rows'),
  bytes: sumOf(rows, 'bytes'),
})

/** `3 files with 9 rows`, or with their size where rows are not known. */
export const describeDirectories = (rows: readonly DirectoryRow[]): string => {
  const { files, rows: count, bytes } = sumDirectories(rows)
  return `${plural(files, 'file')} with ${count === null ? toBytes(bytes) : plural(count, 'row')}`
}

/** Shows what became, or would become, of directories. */
export const printDirectories = (
  print: CommandInput<unknown, unknown>['table'],
  rows: readonly DirectoryRow[],
  isDryRun: boolean,
): void => {
  if (rows.length === 0) return
  print(rows, [
    { title: 'DIRECTORY', cell: row => toSafeText(row.directory) },
    { title: 'FILES', cell: row => toCount(row.files), align: 'right' },
    { title: isDryRun ? 'ABOUT' : 'NOW', field: 'becomes', cell: row => toCount(row.becomes), align: 'right' },
    ...(isDryRun
      ? []
      : [{ title: 'ROWS', cell: (row: DirectoryRow) => toCount(row.rows ?? 0), align: 'right' } as const]),
    { title: 'SIZE', field: 'bytes', cell: row => toBytes(row.bytes), align: 'right' },
  ])
}
