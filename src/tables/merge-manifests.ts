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

/** A manifest of this size is left alone, as other writers have it (`commit.manifest.target-size-bytes`). */
const targetBytes = 8 * 1024 * 1024

export type MergeParts = {
  readonly table: TableMetadata
  readonly snapshot: Pick<Snapshot, 'id' | 'sequenceNumber'>
  readonly read: (manifest: ManifestFile) => Promise<Buffer>
  /** @returns where it is */
  readonly write: (number: number, bytes: Buffer) => Promise<string>
}

/**
 * Merges small manifests of a list where there are many: those that have data, and are put apart as files are now.
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
  if (small.length < minCount) return [newest, ...others]
  const merged: ManifestFile[] = []
  let number = 1
  for (const lot of toLots(small)) {
    const entries = []
    for (const manifest of lot)
      for (const entry of readManifest(await read(manifest), manifest))
        if (entry.status !== entryStatus.deleted) entries.push(toExistingEntry(entry))
    if (entries.length === 0) continue
    const bytes = writeManifest(table, entries)
    const uri = await write(number++, bytes)
    merged.push(describeManifest({ uri, bytes: bytes.length }, table, snapshot, entries))
  }
  return [newest, ...merged, ...others.filter(manifest => !isSmall(manifest))]
}

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
