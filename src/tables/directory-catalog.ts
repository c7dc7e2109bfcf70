/**
 * Tables without a catalog service (Iceberg specification, Appendix "File System Tables"): the directory is the table.
 *
 *     <table>/metadata/v1.metadata.json, v2.metadata.json, …     each the whole metadata; the highest number counts
 *     <table>/metadata/version-hint.text                         a number that is near the highest: the search begins there
 *
 * A change is a file of the next number, which comes into being by a RENAME that never replaces: of two writers one wins.
 */
import { Buffer } from 'node:buffer'
import type { FileSystem } from '../filesystem/filesystem.ts'
import { stringifyJson } from '../formats/json.ts'
import type { Catalog, LoadedTable, TableCommit } from './catalog.ts'
import { readFileWhole, writeFileWhole } from './files.ts'
import { Members } from './members.ts'
import { parseMetadata, toMetadata } from './metadata.ts'
import { createVersions, hintName, metadataName, mostMetadataBytes } from './metadata-versions.ts'
import { toUri } from './table-place.ts'

export const createDirectoryCatalog = (fileSystem: FileSystem, maxMetadataBytes = mostMetadataBytes): Catalog => {
  const { readHint, findNewest } = createVersions(fileSystem)

  const load = async (path: string): Promise<(LoadedTable & { readonly version: number }) | undefined> => {
    const version = await findNewest(path)
    if (version === 0) return undefined
    const file = `${path}/${metadataName(version)}`
    const text = (await readFileWhole(fileSystem, file, maxMetadataBytes)).toString('utf8')
    const metadata = parseMetadata(text, file)
    const place = { path, location: metadata.location }
    return { place, metadata, metadataUri: toUri(place, metadataName(version)), version }
  }

  const writeHint = async (path: string, version: number): Promise<void> => {
    await writeFileWhole(fileSystem, `${path}/${hintName}`, Buffer.from(String(version)), { overwrite: true })
  }

  /**
   * Whether the versions behind one have followed it. A writer that slept while the metadata that it takes for the newest was
   * removed could put a version where one was before: others do not follow that.
   */
  const isFollowed = async (path: string, version: number, uri: string, timestamp: unknown): Promise<boolean> => {
    const newest = await load(path)
    if (newest === undefined || newest.version <= version) return true
    const log = new Members(newest.metadata.json, newest.metadataUri).list('metadata-log')
    return log.some(({ json }) => json['metadata-file'] === uri && json['timestamp-ms'] === timestamp)
  }

  const publish = async (path: string, version: number, bytes: Buffer): Promise<TableCommit> => {
    const outcome = await writeFileWhole(fileSystem, `${path}/${metadataName(version)}`, bytes, { overwrite: false })
    if (outcome === 'done') return 'done'
    // One that is gone may have been in its place, and be removed since.
    return outcome === 'taken' ? 'unknown' : 'refused'
  }

  return {
    load,
    commit: async (base, next) => {
      const [{ path, location }, version = 0] = 'metadata' in base ? [base.place, base.version] : [base]
      const uri = toUri({ path, location }, metadataName(version + 1))
      toMetadata({ ...next }, uri)
      const outcome = await publish(path, version + 1, Buffer.from(stringifyJson({ ...next })))
      if (outcome !== 'done') return outcome
      const hint = await readHint(path)
      // A hint that is missing, or damaged, says nothing.
      const isNewest = hint > 0 && hint <= version + 1
      if (!isNewest && !(await isFollowed(path, version + 1, uri, next['last-updated-ms']))) return 'unknown'
      // One that is behind costs a look for each version between; one that went back could lead to what has been removed since.
      if (hint <= version) await writeHint(path, version + 1).catch(() => {})
      return 'done'
    },
  }
}
