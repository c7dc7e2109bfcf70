import type { FileStatus } from '../../filesystem/filesystem.ts'
import type { Reading } from '../../rows/reading.ts'
import { TableError } from '../../tables/table-error.ts'
import type { OpenFileRows } from '../pages/find/read-window.ts'
import { checkOpened } from '../rows/wanted-where.ts'
import type { FileOfTable } from './table-files.ts'

/**
 * Whether a file has the rows that its manifest says: others are counted by that.
 * @throws TableError it has more, or fewer
 */
export const checkRows = ({ path }: FileStatus, { rows }: FileOfTable, { parquet }: Pick<Reading, 'parquet'>): void => {
  if (parquet !== undefined && parquet.rows !== rows)
    throw new TableError(path, `expected ${rows} rows, as the table has it, found ${parquet.rows}`)
}

/** Opens files as those of a table, where they are of one. */
export const openTableFile = (open: OpenFileRows, table: FileOfTable | undefined): OpenFileRows =>
  table === undefined
    ? open
    : async options => {
        const reading = await open({ ...options, wanted: { ...options.wanted, projection: table.projection } })
        await checkOpened(reading, () => checkRows(options.status, table, reading))
        return reading
      }
