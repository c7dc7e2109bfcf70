import type { FileSystem } from '../../filesystem/filesystem.ts'
import type { BudgetLimits } from '../../formats/budget.ts'
import type { LoadedTable } from '../../tables/catalog.ts'
import { createDirectoryCatalog } from '../../tables/directory-catalog.ts'
import { isTable } from '../iceberg/find-names.ts'
import { maxRewrittenBytes } from '../iceberg/lead-through.ts'

/** Of a manifest, and of a list of them, that is read to answer a request. */
export const manifestReadLimits: BudgetLimits = {
  of: 'manifest',
  values: { max: 3_000_000 },
  bytes: { max: maxRewrittenBytes },
}

/**
 * The table that a directory is, as it is now; undefined of any other directory. Rejects as the file system does.
 * @throws TableError its metadata is damaged, too long, or of another format version
 */
export const readTable = async (
  fileSystem: FileSystem,
  path: string,
  signal: AbortSignal,
): Promise<LoadedTable | undefined> =>
  (await isTable(fileSystem, path, signal))
    ? await createDirectoryCatalog(fileSystem, maxRewrittenBytes).load(path)
    : undefined
