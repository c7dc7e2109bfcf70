import type { Buffer } from 'node:buffer'
import {
  describeManifest,
  entryStatus,
  type ManifestFile,
  readManifest,
  toExistingEntry,
  writeManifest,
} from './manifests.ts'
import type { Snapshot, TableMetadata } from './metadata.ts'

/** From so many on small manifests become one: a table of a year of minutes opens as fast as one of a day. */
const minCount = 100

/**
 * A manifest of this size is left alone, and no commit rewrites more: it takes time in which nothing else is done. Other writers
 * have 8 MiB (`commit.manifest.target-size-bytes`).
 */
const targetBytes = 2 * 1024 * 1024

export type MergeParts = {
  readonly table: TableMetadata
  readonly snapshot: Pick<Snapshot, 'id' | 'sequenceNumber'>
  readonly read: (manifest: ManifestFile) => Promise<Buffer>
  /** @returns where it is */
  readonly write: (bytes: Buffer) => Promise<string>
}

/**
 * Merges small manifests of a list where there are many, the oldest of them: those that have data, and are put apart as files are now.
 * @param manifests the newest first; that one stays by itself
 */
export const mergeManifests = async (
  [newest, ...others]: readonly [ManifestFile, ...ManifestFile[]] | readonly ManifestFile[],
  { table, snapshot, read, write }: MergeParts,
): Promise<ManifestFile[]> => {
  if (newest === undefined) return []
  const isSmall = ({ hasData, specId, bytes }: ManifestFile): boolean =>
    hasData && specId === table.spec.id && bytes < targetBytes
  const small = others.filter(isSmall)
  const lot = small.length < minCount ? undefined : toLots(small.toReversed()).find(({ length }) => length > 1)
  if (!lot) return [newest, ...others]
  const isMerged = new Set(lot)
  const left = [newest, ...others.filter(manifest => !isMerged.has(manifest))]
  const entries = []
  for (const manifest of lot)
    for (const entry of readManifest(await read(manifest), manifest))
      if (entry.status !== entryStatus.deleted) entries.push(toExistingEntry(entry, table.spec.fields))
  if (entries.length === 0) return left
  const bytes = writeManifest(table, entries)
  const uri = await write(bytes)
  return [...left, describeManifest({ uri, bytes: bytes.length }, table, snapshot, entries)]
}

/** Those that go into one manifest. */
const toLots = (manifests: readonly ManifestFile[]): ManifestFile[][] => {
  const lots: ManifestFile[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const manifest of manifests) {
    if (bytes + manifest.bytes > targetBytes) {
      lots.push([])
      bytes = 0
    }
    lots.at(-1)?.push(manifest)
    bytes += manifest.bytes
  }
  return lots
}
