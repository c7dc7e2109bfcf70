import type { FileMetaData } from '../../formats/parquet/metadata.ts'
import type { Node, ParquetSchema } from '../../formats/parquet/schema.ts'
import type { Wanted } from '../reading.ts'

/**
 * Chooses columns of a file in the order of their names; all of them, or the first ones up to a limit, if no names are
 * given; followed by those that decide which rows are wanted. Names that the file does not have are skipped; if all are
 * missing, its first column is read to count the rows.
 */
export const chooseColumns = (
  { columns }: ParquetSchema,
  { columns: wanted, mostColumns, where }: Pick<Wanted, 'columns' | 'mostColumns' | 'where'>,
): readonly Node[] => {
  const byName = new Map(columns.map(column => [column.name, column]))
  const find = (names: readonly string[]): readonly Node[] => names.flatMap(name => byName.get(name) ?? [])
  const asked = wanted === undefined ? columns.slice(0, mostColumns) : find(wanted)
  const looked = where?.isAnyColumn ? columns : find(where?.columns ?? [])
  const found = [...new Set([...asked, ...looked])]
  return found.length > 0 ? found : columns.slice(0, 1)
}

/** Whether bytes without a type are text: Impala does not mark its own. */
export const hasUnmarkedText = ({ createdBy }: FileMetaData): boolean => /^impala/i.test(createdBy ?? '')
