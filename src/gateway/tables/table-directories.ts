/**
 * Directories that are Iceberg tables, as one caller sees them. What has the current metadata decides:
 *
 *     its own directory      metadata/v<N>.metadata.json, the highest number
 *     a catalog service      that of the settings says for tables of events; for others it is not known here
 *
 * The metadata, and all that it names, is read by the file system, with the rights of that caller.
 */
import type { FileSystem } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import type { BudgetLimits } from '../../formats/budget.ts'
import type { LoadedTable } from '../../tables/catalog.ts'
import { createDirectoryCatalog } from '../../tables/directory-catalog.ts'
import { readFileWhole } from '../../tables/files.ts'
import { parseMetadata } from '../../tables/metadata.ts'
import { checkPlace } from '../../tables/rest/ask-table.ts'
import { NoTable, TableError } from '../../tables/table-error.ts'
import { originOf, toTablePath } from '../../tables/table-place.ts'
import { maxRewrittenBytes } from '../iceberg/lead-through.ts'
import type { CatalogService, ServiceAnswer } from './catalog-service.ts'
import { findTableKind } from './table-kind.ts'

/** Of a manifest, and of a list of them, that is read to answer a request. */
export const manifestReadLimits: BudgetLimits = {
  of: 'manifest',
  values: { max: 3_000_000 },
  bytes: { max: maxRewrittenBytes },
}

export type TableDirectories = {
  /** Whether a directory is a table, by the names in it: no service is asked. Rejects as the file system does. */
  readonly has: (path: string, signal: AbortSignal) => Promise<boolean>
  /**
   * The table that a directory is, as it is now; undefined of any other directory. Rejects as the file system does, and as
   * {@link CatalogService.ask}.
   * @throws TableError its metadata is damaged, too long, of another format version, elsewhere, gone, or known to another service
   * @throws NoTable it is one of the service, which has it no longer
   */
  readonly load: (path: string, signal: AbortSignal) => Promise<LoadedTable | undefined>
}

/** A file system, and the tables in it. */
export type FilesAndTables = { readonly fileSystem: FileSystem; readonly tables: TableDirectories }

/** @param service that of the settings */
export const createTableDirectories = (fileSystem: FileSystem, service?: CatalogService): TableDirectories => {
  const directories = createDirectoryCatalog(fileSystem, maxRewrittenBytes)

  /** Whether the service has to be asked: also where its metadata is elsewhere, or not to be seen. */
  const isDecidedBy = async (path: string, kind: Awaited<ReturnType<typeof findTableKind>>): Promise<boolean> =>
    kind !== undefined || (await findStatus(fileSystem, `${path}/metadata`))?.isDirectory === true

  const loadOwn = async (path: string): Promise<LoadedTable> => {
    const table = await directories.load(path)
    if (table) return table
    throw new TableError(`${path}/metadata`, 'expected v<N>.metadata.json beside version-hint.text, found nothing')
  }

  return {
    has: async (path, signal) => {
      const kind = await findTableKind(fileSystem, path, signal)
      return kind === 'own' || (kind === 'service' && service?.decides(path) === true)
    },
    load: async (path, signal) => {
      const kind = await findTableKind(fileSystem, path, signal)
      if (service?.decides(path) && (await isDecidedBy(path, kind))) {
        const answer = await service.ask(path, signal)
        if (answer.table) return await loadAnswered(fileSystem, answer, answer.table, signal)
        if (kind === 'service') throw new NoTable(answer.where)
      }
      return kind && (await loadOwn(path))
    },
  }
}

/** A table, by the metadata that its catalog names. @throws TableError that, or the table, is elsewhere, or of another table */
const loadAnswered = async (
  fileSystem: FileSystem,
  { where, expected }: ServiceAnswer,
  answered: NonNullable<ServiceAnswer['table']>,
  signal: AbortSignal,
): Promise<LoadedTable> => {
  const place = await checkPlace(fileSystem, answered, expected, where)
  const { metadataUri, uuid } = answered
  const path = toTablePath(place, metadataUri)
  if (![place, expected].some(({ location }) => originOf(location) === originOf(metadataUri)))
    throw new TableError(where, `expected its metadata below ${place.location}, found "${metadataUri.slice(0, 1_000)}"`)
  const text = (await readFileWhole(fileSystem, path, maxRewrittenBytes, signal)).toString('utf8')
  const metadata = parseMetadata(text, path)
  if (metadata.uuid !== uuid || metadata.location !== place.location)
    throw new TableError(path, `expected the metadata of ${where}, found that of another table`)
  return { place, metadata, metadataUri, version: undefined }
}
