import { entryStatus, readManifest, readManifestList } from '../../src/tables/manifests.ts'
import { parseMetadata } from '../../src/tables/metadata.ts'
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
  const { location, current } = parseMetadata(new TextDecoder().decode(await store.read(newest)), newest)
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

/** Event files as those see them who read tables: what no snapshot has is not there. */
export const toTableStore = (store: Store, outputDirectory: string): Store => ({
  list: async directory => {
    if (directory !== outputDirectory) return await listOrNone(store, directory)
    const tables = await listTables(store, outputDirectory)
    const files = await Promise.all(tables.map(table => liveFiles(store, table)))
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
