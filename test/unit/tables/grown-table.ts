/** A table that changes: snapshot by snapshot, each at its time. */
import { expect } from 'vitest'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { appendFiles } from '../../../src/tables/append.ts'
import type { LoadedTable } from '../../../src/tables/catalog.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { describeManifest, toAddedEntry, writeManifest, writeManifestList } from '../../../src/tables/manifests.ts'
import { withSnapshot } from '../../../src/tables/metadata.ts'
import { toTablePath, toUri } from '../../../src/tables/table-place.ts'
import { aFile, calm, place } from './a-table.ts'
import { put } from './parquet-files.ts'

const { path } = place

export const load = async (fileSystem: FileSystem): Promise<LoadedTable> => {
  const table = await createDirectoryCatalog(fileSystem).load(path)
  if (!table) throw new Error('there is no table')
  return table
}

/** @param at ms since the epoch */
export const append = async (fileSystem: FileSystem, name: string, at: number): Promise<void> => {
  await put(fileSystem, `${path}/data/${name}.parquet`, new Uint8Array(1_000))
  await appendFiles({
    ...calm,
    now: () => at,
    fileSystem,
    catalog: createDirectoryCatalog(fileSystem),
    path,
    toAppend: async () => ({ files: [aFile(name)] }),
  })
}

/** Puts one file in place of all, as a compaction does. */
export const replaceAll = async (fileSystem: FileSystem, name: string, at: number): Promise<void> => {
  await put(fileSystem, `${path}/data/${name}.parquet`, new Uint8Array(1_000))
  const table = await load(fileSystem)
  const { metadata } = table
  const snapshot = { id: 77n, sequenceNumber: metadata.lastSequenceNumber + 1 }
  const entries = [toAddedEntry(metadata, aFile(name), snapshot.id)]
  const bytes = writeManifest(metadata, entries)
  const uri = toUri(place, `metadata/${name}.avro`)
  await put(fileSystem, toTablePath(place, uri), bytes)
  const manifestList = toUri(place, `metadata/snap-${name}.avro`)
  const list = writeManifestList(
    [describeManifest({ uri, bytes: bytes.length }, metadata, snapshot, entries)],
    snapshot,
    metadata.current,
  )
  await put(fileSystem, toTablePath(place, manifestList), list)
  const step = { now: at, baseUri: table.metadataUri }
  const next = withSnapshot(
    metadata,
    { ...snapshot, manifestList, summary: new Map([['operation', 'replace']]) },
    new Map(),
    step,
  )
  expect(await createDirectoryCatalog(fileSystem).commit(table, next)).toBe('done')
}
