import type { FileSystem } from '../../filesystem/filesystem.ts'
import type { BudgetLimits } from '../../formats/budget.ts'
import type { LoadedTable } from '../../tables/catalog.ts'
import { createDirectoryCatalog } from '../../tables/directory-catalog.ts'
import { TableError } from '../../tables/table-error.ts'
import { findTableKind } from '../iceberg/find-names.ts'
import { maxRewrittenBytes } from '../iceberg/lead-through.ts'

/** Of a manifest, and of a list of them, that is read to answer a request. */
export const manifestReadLimits: BudgetLimits = {
  of: 'manifest',
  values: { max: 3_000_000 },
  bytes: { max: maxRewrittenBytes },
}

/**
 * The table that a directory is, as it is now; undefined of any other directory. Rejects as the file system does.
 * @throws TableError its metadata is damaged, too long, of another format version, gone, or that of a catalog service
 */
export const readTable = async (
  fileSystem: FileSystem,
  path: string,
  signal: AbortSignal,
): Promise<LoadedTable | undefined> => {
  if (!(await findTableKind(fileSystem, path, signal))) return undefined
  const table = await createDirectoryCatalog(fileSystem, maxRewrittenBytes).load(path)
  if (table) return table
  throw new TableError(`${path}/metadata`, 'expected v<N>.metadata.json beside version-hint.text, found nothing')
}
