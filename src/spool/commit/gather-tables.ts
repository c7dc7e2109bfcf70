import { parseTableDirectory } from '../bucket.ts'
import type { BucketFile } from '../files/bucket-file.ts'
import type { FileTable } from '../ledger/table/file-table.ts'

/** The files of a table that no snapshot is known to have. */
export type TableFiles = {
  /** At their places. */
  readonly placed: BucketFile[]
  /** On their way there, or set aside. */
  readonly others: BucketFile[]
}

const otherStates = ['quarantined', 'taken'] as const

const tableOf = ({ directory }: BucketFile): string => parseTableDirectory(directory)?.table ?? ''

/** The tables for which files are at their places. */
export const tablesWithFiles = (files: FileTable): ReadonlySet<string> =>
  new Set(Array.from(files.inState('placed'), ({ file }) => tableOf(file)))

/** The files of some tables, by the directory of the table; in one step, so that they are those of one moment. */
export const gatherTables = (files: FileTable, tables: Iterable<string>): ReadonlyMap<string, TableFiles> => {
  const found = new Map(Array.from(tables, table => [table, { placed: [], others: [] } satisfies TableFiles]))
  const wanted: ReadonlyMap<string, TableFiles> = found
  for (const { file } of files.inState('placed')) wanted.get(tableOf(file))?.placed.push(file)
  for (const records of [files.waiting(), ...otherStates.map(at => files.inState(at))])
    for (const { file } of records) wanted.get(tableOf(file))?.others.push(file)
  return wanted
}
