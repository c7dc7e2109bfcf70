import { Buffer } from 'node:buffer'
import { expect } from 'vitest'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { readManifests } from '../../../../src/tables/append.ts'
import type { Catalog } from '../../../../src/tables/catalog.ts'
import { describeManifest, toAddedEntry, writeManifest, writeManifestList } from '../../../../src/tables/manifests.ts'
import { withSnapshot } from '../../../../src/tables/metadata.ts'
import { type TablePlace, toTablePath } from '../../../../src/tables/table-place.ts'
import { aFile, calm, place as clicks } from '../a-table.ts'
import { put } from '../parquet-files.ts'

/** Adds a file with deletions, as engines do: they apply to what an hour has so far. */
export const addDeletions = async (
  fileSystem: FileSystem,
  catalog: Catalog,
  kind: 'positions' | 'equality',
  of: number,
  place: TablePlace = clicks,
): Promise<void> => {
  const table = await catalog.load(place.path)
  if (!table) throw new Error('there is no table')
  const { metadata, metadataUri } = table
  const snapshot = { id: BigInt(metadata.snapshots.length + 1), sequenceNumber: metadata.lastSequenceNumber + 1 }
  const entry = toAddedEntry(metadata, aFile('deletions', of), snapshot.id)
  const file = { ...(entry['data_file'] as object), content: kind === 'positions' ? 1 : 2 }
  const entries = [{ ...entry, data_file: file }]
  const bytes = writeManifest(metadata, entries)
  const uri = `${place.location}/metadata/deletions-${snapshot.id}.avro`
  const manifest = describeManifest({ uri, bytes: bytes.length }, metadata, snapshot, entries)
  const list = writeManifestList(
    [{ ...manifest, json: { ...manifest.json, content: 1 } }, ...(await readManifests(fileSystem, place, metadata))],
    snapshot,
    metadata.current,
  )
  const manifestList = `${place.location}/metadata/list-${snapshot.id}.avro`
  for (const [name, content] of [
    [uri, bytes],
    [manifestList, list],
  ] as const)
    await put(fileSystem, toTablePath(place, name), Buffer.from(content))
  const summary = new Map([['operation', 'delete']])
  const step = { now: calm.now(), baseUri: metadataUri }
  expect(
    await catalog.commit(table, withSnapshot(metadata, { ...snapshot, manifestList, summary }, new Map(), step)),
  ).toBe('done')
}
