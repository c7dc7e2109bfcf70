import { parseJson } from '../../src/formats/json.ts'
import { entryStatus, readManifest, readManifestList } from '../../src/tables/manifests.ts'
import { Members } from '../../src/tables/members.ts'
import { parseMetadata, type TableMetadata, toMetadata } from '../../src/tables/metadata.ts'
import { toTablePath } from '../../src/tables/table-place.ts'
import type { Store, StoredEntry } from '../foreign/store.ts'

/** The paths of the data files that the current snapshot of a table has; none where there is no table. */
export const liveFiles = async (store: Store, table: string): Promise<string[]> => {
  const versions = (await listOrNone(store, `${table}/metadata`)).flatMap(({ path }) => {
    const [, version] = /\/v(\d+)\.metadata\.json$/.exec(path) ?? []
    return version === undefined ? [] : [Number(version)]
  })
  if (versions.length === 0) return []
  const newest = `${table}/metadata/v${Math.max(...versions)}.metadata.json`
  return await filesOf(store, table, parseMetadata(new TextDecoder().decode(await store.read(newest)), newest))
}

/** The same of a table by its metadata. */
const filesOf = async (store: Store, table: string, { location, current }: TableMetadata): Promise<string[]> => {
  if (!current) return []
  const read = (uri: string): Promise<Uint8Array> => store.read(toTablePath({ path: table, location }, uri))
  const paths: string[] = []
  for (const manifest of readManifestList(await read(current.manifestList), current.manifestList))
    for (const { status, file } of readManifest(await read(manifest.uri), manifest))
      if (status !== entryStatus.deleted) paths.push(toTablePath({ path: table, location }, file.text('file_path')))
  return paths
}

/** The directories of all tables of a collector. */
export const listTables = async (store: Store, outputDirectory: string): Promise<string[]> =>
  (await listOrNone(store, outputDirectory))
    .filter(({ path, isDirectory }) => isDirectory && !/\/_[^/]*$/.test(path))
    .map(({ path }) => path)

/** The same of a table of a REST catalog. @param namespace its URL */
const liveFilesOfCatalog = async (store: Store, table: string, namespace: string): Promise<string[]> => {
  const url = `${namespace}/tables/${table.slice(table.lastIndexOf('/') + 1)}`
  const response = await fetch(url)
  const text = await response.text()
  if (response.status === 404) return []
  const metadata = new Members(parseJson(text), url).json['metadata'] ?? null
  return await filesOf(store, table, toMetadata(metadata, url))
}

/**
 * Event files as those see them who read tables: what no snapshot has is not there.
 * @param namespace URL of that of a REST catalog which has the tables. @default their directories have them
 */
export const toTableStore = (store: Store, outputDirectory: string, namespace?: string): Store => ({
  list: async directory => {
    if (directory !== outputDirectory) return await listOrNone(store, directory)
    const tables = await listTables(store, outputDirectory)
    const files = await Promise.all(
      tables.map(table => (namespace ? liveFilesOfCatalog(store, table, namespace) : liveFiles(store, table))),
    )
    return files.flat().map(path => ({ path, isDirectory: false }))
  },
  read: path => store.read(path),
})

const listOrNone = async (store: Store, directory: string): Promise<readonly StoredEntry[]> => {
  try {
    return await store.list(directory)
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'not-found') return []
    throw error
  }
}
