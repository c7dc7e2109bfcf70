import { hasCode } from '../filesystem/cluster/steps.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import { findStatus } from '../filesystem/find-status.ts'
import { baseName } from '../filesystem/path.ts'
import { type LeaseName, parseCommitName, parseLeaseName } from './commit-names.ts'
import { readFileWhole } from './files.ts'
import { TableError } from './table-error.ts'

/** Largest metadata that is read: some hundred thousand snapshots. */
export const mostMetadataBytes = 256 * 1024 * 1024

/** Below the table. */
export const metadataName = (version: number): string => `metadata/v${version}.metadata.json`
export const hintName = 'metadata/version-hint.text'

/** What a table has in its directory of metadata. */
export type MetadataFiles = {
  /** Lowest first. */
  readonly versions: readonly { readonly version: number; readonly path: string }[]
  /** The highest version whose metadata is compressed; 0: no such file. */
  readonly compressed: number
  /** The name of metadata that a catalog service has put there. */
  readonly ofService: string | undefined
  /** What Sluice has written for commits, whether they came or not. */
  readonly ofCommits: readonly CommitFile[]
  readonly leases: readonly LeaseFile[]
  /** False of a list of manifests that would be there, and is not. */
  mayHave(list: string): boolean
}

export type CommitFile = {
  readonly path: string
  /** Of the snapshot that it was written for; 0 of a temporary file. */
  readonly sequenceNumber: number
  /** ms since the epoch */
  readonly modificationTime: number
}

/** A lease, as `replace/lease.ts` has it. */
export type LeaseFile = LeaseName & Pick<CommitFile, 'path' | 'modificationTime'>

/** Rejects with `FileSystemError`. @param path of the table */
export const listMetadata = async (fileSystem: FileSystem, path: string): Promise<MetadataFiles> => {
  const versions: { readonly version: number; readonly path: string }[] = []
  const ofCommits: CommitFile[] = []
  const leases: LeaseFile[] = []
  const lists = new Set<string>()
  let compressed = 0
  let ofService: string | undefined
  const prefix = `${path}/metadata/snap-`
  try {
    for await (const part of fileSystem.listStatus(`${path}/metadata`))
      for (const { path: file, isDirectory, modificationTime } of part) {
        const name = baseName(file)
        const [, version] = /^v(\d{1,15})\.metadata\.json$/.exec(name) ?? []
        const [, other] = /^v(\d{1,15})\.(?:gz\.metadata\.json|metadata\.json\.gz)$/.exec(name) ?? []
        compressed = Math.max(compressed, Number(other ?? 0))
        const sequenceNumber = isDirectory ? undefined : parseCommitName(name)
        if (sequenceNumber !== undefined) ofCommits.push({ path: file, sequenceNumber, modificationTime })
        const lease = isDirectory ? undefined : parseLeaseName(name)
        if (lease) leases.push({ ...lease, path: file, modificationTime })
        if (version !== undefined) versions.push({ version: Number(version), path: file })
        else if (file.startsWith(prefix)) lists.add(file)
        else if (isOfService(name)) ofService = name
      }
  } catch (error) {
    if (!hasCode(error, 'not-found')) throw error
  }
  versions.sort((a, b) => a.version - b.version)
  const mayHave = (list: string): boolean => !list.startsWith(prefix) || lists.has(list)
  return { versions, compressed, ofService, ofCommits, leases, mayHave }
}

/** Whether metadata is called as catalog services do: `00012-<uuid>.metadata.json`. Which of it counts is known to them alone. */
export const isOfService = (name: string): boolean => /^\d+-.+\.metadata\.json(?:\.gz)?$/.test(name)

/** Which versions of its metadata a table has in its directory. */
export const createVersions = (fileSystem: FileSystem) => {
  const exists = async (path: string, version: number): Promise<boolean> =>
    (await findStatus(fileSystem, `${path}/${metadataName(version)}`)) !== undefined

  const readHint = async (path: string): Promise<number> => {
    try {
      const text = (await readFileWhole(fileSystem, `${path}/${hintName}`, 100)).toString('utf8').trim()
      return /^\d{1,15}$/.test(text) ? Number(text) : 0
    } catch (error) {
      // One that is replaced in this moment, or damaged, is no more than a hint.
      if (hasCode(error, 'unavailable') || hasCode(error, 'denied')) throw error
      return 0
    }
  }

  const listHighest = async (path: string): Promise<number> => {
    const { versions, compressed, ofService } = await listMetadata(fileSystem, path)
    const highest = versions.at(-1)?.version ?? 0
    if (compressed > highest) throw toCompressed(path, compressed)
    if (highest === 0 && ofService !== undefined) throw toOther(path, ofService)
    return highest
  }

  /**
   * 0 where there is no table.
   * @throws TableError its newest metadata is compressed, or a catalog service has it: another line of versions beside it would split
   *   the table
   */
  const findNewest = async (path: string): Promise<number> => {
    const hint = await readHint(path)
    let version = hint > 0 && (await exists(path, hint)) ? hint : await listHighest(path)
    while (version > 0 && (await exists(path, version + 1))) version++
    if (version === 0) return version
    for (const name of [`v${version + 1}.gz.metadata.json`, `v${version + 1}.metadata.json.gz`])
      if (await findStatus(fileSystem, `${path}/metadata/${name}`)) throw toCompressed(path, version + 1)
    return version
  }

  return { readHint, findNewest }
}

const toOther = (path: string, name: string): TableError =>
  new TableError(
    `${path}/metadata`,
    `expected v<N>.metadata.json, found ${JSON.stringify(name)}: the files of this table are known to its catalog service only: query it there; tables in collector.event-output-directory are read by collector.output.catalog`,
  )

const toCompressed = (path: string, version: number): TableError =>
  new TableError(
    `${path}/metadata`,
    `expected metadata as JSON, found version ${version} compressed: set its property write.metadata.compression-codec to none`,
  )
