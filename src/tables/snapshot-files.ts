import type { FileSystem } from '../filesystem/filesystem.ts'
import type { BudgetLimits } from '../formats/budget.ts'
import { readManifests } from './append.ts'
import { readFileWhole } from './files.ts'
import { entryStatus, type ManifestEntry, type ManifestFile, readManifest } from './manifests.ts'
import type { Snapshot } from './metadata.ts'
import { readAt } from './table-error.ts'
import type { TablePlace } from './table-place.ts'
import { toTablePath } from './table-place.ts'

/** Largest manifest that is read. */
const maxManifestBytes = 256 * 1024 * 1024

/** Reads manifests of a table; each once, however many snapshots have it. */
export type SnapshotFiles = {
  readonly manifests: (snapshot: Snapshot | undefined) => Promise<readonly ManifestFile[]>
  /** Entries whose files are in the snapshots that have the manifest. */
  readonly entries: (manifest: ManifestFile) => Promise<readonly ManifestEntry[]>
  /** Entries of the files that snapshots removed which wrote the manifest, or one that it was made of. */
  readonly removed: (manifest: ManifestFile) => Promise<readonly ManifestEntry[]>
}

/** @param limits of a list, and of a manifest */
export const readSnapshotFiles = (fileSystem: FileSystem, place: TablePlace, limits?: BudgetLimits): SnapshotFiles => {
  const readAll = async (manifest: ManifestFile): Promise<readonly ManifestEntry[]> => {
    const path = toTablePath(place, manifest.uri)
    // A list that lies about lengths would lead around the limits.
    const most = limits ? Math.min(limits.bytes.max, manifest.bytes) : maxManifestBytes
    const bytes = await readFileWhole(fileSystem, path, most)
    return readAt(path, () => readManifest(bytes, manifest, limits))
  }
  return {
    manifests: async current => await readManifests(fileSystem, place, { current }, limits),
    entries: async manifest => (await readAll(manifest)).filter(({ status }) => status !== entryStatus.deleted),
    removed: async manifest => (await readAll(manifest)).filter(({ status }) => status === entryStatus.deleted),
  }
}

/**
 * The files of some snapshots, as their manifests name them, those with deletions as well.
 * @param seen manifests that need not be read again; those that were are added
 */
export const gatherFiles = async (
  files: SnapshotFiles,
  snapshots: readonly (Snapshot | undefined)[],
  seen: Set<string> = new Set(),
): Promise<ReadonlySet<string>> => {
  const uris = new Set<string>()
  for (const snapshot of snapshots)
    for (const manifest of await files.manifests(snapshot)) {
      if (seen.has(manifest.uri)) continue
      seen.add(manifest.uri)
      for (const { file } of await files.entries(manifest)) uris.add(file.text('file_path'))
    }
  return uris
}
