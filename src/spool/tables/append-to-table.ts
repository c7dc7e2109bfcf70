import type { Disk } from '../../disk/disk.ts'
import type { FileSystem } from '../../filesystem/filesystem.ts'
import { appendFiles } from '../../tables/append.ts'
import type { TableMetadata } from '../../tables/metadata.ts'
import type { BucketFile } from '../files/bucket-file.ts'
import { committedKey, isCommitted, parseNote, toNote } from './committed-note.ts'
import { type DescribedFile, describeSealed } from './describe-sealed.ts'
import type { TableDesk } from './table-desk.ts'

export type AppendToTableOptions = {
  readonly desk: Pick<TableDesk, 'catalog' | 'note' | 'now' | 'pause'>
  readonly disk: Disk
  readonly fileSystem: FileSystem
  readonly collectorId: string
  readonly signal: AbortSignal
}

/** What became of the files that a table was to have. */
export type TableOutcome = {
  /** It has these: by this commit, or by one before of which the reply was lost. */
  readonly committed: readonly BucketFile[]
  /** Columns of these are those of another table, which had the name before. */
  readonly refused: readonly { readonly file: BucketFile; readonly reason: string }[]
}

/**
 * Makes files part of a table, those that it does not have yet, by one snapshot.
 * @param others of the same table that the ledger has, of which it is not known that the table has them
 */
export type AppendToTable = (
  directory: string,
  files: readonly BucketFile[],
  others: readonly BucketFile[],
) => Promise<TableOutcome>

export const createAppendToTable = (options: AppendToTableOptions): AppendToTable => {
  const { desk, fileSystem, collectorId, signal } = options
  const { catalog, now, pause } = desk
  const key = committedKey(collectorId)

  return async (directory, files, others) => {
    const table = await catalog.load(directory, signal)
    desk.note(directory, table?.metadata)
    if (!table) return { committed: [], refused: files.map(file => ({ file, reason: goneOf(directory) })) }
    const described = new Map<BucketFile, DescribedFile>()
    let refused: readonly BucketFile[] = []

    const describe = async (file: BucketFile, metadata: TableMetadata): Promise<DescribedFile> => {
      const known = described.get(file) ?? (await describeSealed(options, file, metadata, directory))
      described.set(file, known)
      return known
    }
    const toAppend = async (metadata: TableMetadata) => {
      desk.note(directory, metadata)
      const note = parseNote(metadata.properties.get(key))
      const left: { readonly file: BucketFile; readonly made: DescribedFile }[] = []
      for (const file of files) if (!isCommitted(note, file)) left.push({ file, made: await describe(file, metadata) })
      const now = left.filter(({ made }) => made.madeFor === metadata.uuid)
      refused = left.filter(({ made }) => made.madeFor !== metadata.uuid).map(({ file }) => file)
      const taken = now.map(({ file }) => file)
      return {
        files: now.map(({ made }) => made.data),
        properties: new Map([[key, JSON.stringify(toNote(note, taken, [...others, ...files]))]]),
        summary: new Map([['sluice.commit-id', toCommitId(collectorId, taken)]]),
      }
    }
    await appendFiles({ fileSystem, catalog, path: directory, toAppend, now, pause, signal })
    const isRefused = new Set(refused)
    return {
      committed: files.filter(file => !isRefused.has(file)),
      refused: refused.map(file => ({ file, reason: otherOf(directory) })),
    }
  }
}

/** For people: who wrote a snapshot, and of which segments. */
const toCommitId = (collectorId: string, files: readonly BucketFile[]): string => {
  const segments = files.map(({ segment }) => segment)
  return `${collectorId}-${Math.min(...segments)}-${Math.max(...segments)}`
}

const goneOf = (directory: string): string =>
  `The table ${directory} that this file was made for is gone: its columns have the ids of that one`

const otherOf = (directory: string): string =>
  `The table ${directory} is another one than that which this file was made for: its columns have the ids of that one`
