import type { Disk } from '../../disk/disk.ts'
import type { FileSystem } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import { appendFiles } from '../../tables/append.ts'
import type { DataFile } from '../../tables/data-file.ts'
import type { TableMetadata } from '../../tables/metadata.ts'
import { NoTable } from '../../tables/table-error.ts'
import type { BucketFile } from '../files/bucket-file.ts'
import { OtherTable } from '../files/other-table.ts'
import { targetPath } from '../files/target-path.ts'
import { committedKey, isCommitted, parseNote, toNote } from './committed-note.ts'
import { type DescribedFile, describeSealed } from './describe-sealed.ts'
import type { TableDesk } from './table-desk.ts'
import type { TableUpkeep } from './upkeep.ts'

export type AppendToTableOptions = {
  readonly desk: Pick<TableDesk, 'catalog' | 'note' | 'now' | 'pause'>
  readonly upkeep: Pick<TableUpkeep, 'note'>
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
  readonly refused: readonly { readonly file: BucketFile; readonly reason: OtherTable }[]
  /** These were removed from their places before the table had them. */
  readonly gone: readonly BucketFile[]
}

/**
 * Makes files part of a table, those that it does not have yet, by one snapshot.
 * @param waiting further ones of the table that the ledger has, of which it is not known that the table has them
 * @param wasRemoved whether a file was decided about for good before the table had it
 */
export type AppendToTable = (
  directory: string,
  files: readonly BucketFile[],
  waiting: readonly BucketFile[],
  wasRemoved: (name: string) => boolean,
) => Promise<TableOutcome>

export const createAppendToTable = (options: AppendToTableOptions): AppendToTable => {
  const { desk, upkeep, fileSystem, collectorId, signal } = options
  const { catalog, now, pause } = desk
  const key = committedKey(collectorId)

  return async (directory, files, waiting, wasRemoved) => {
    const described = new Map<BucketFile, DescribedFile | 'gone'>()
    let [refused, gone]: [readonly BucketFile[], readonly BucketFile[]] = [[], []]

    const describe = async (file: BucketFile, metadata: TableMetadata): Promise<DescribedFile | 'gone'> => {
      const known = described.get(file)
      if (known) return known
      const isHere = (await findStatus(fileSystem, targetPath(file), ['not-found'])) !== undefined
      const made = isHere ? await describeSealed(options, file, metadata, directory) : 'gone'
      described.set(file, made)
      return made
    }
    const toAppend = async (metadata: TableMetadata) => {
      desk.note(directory, metadata)
      upkeep.note(directory, metadata)
      const note = parseNote(metadata.properties.get(key))
      const taken: BucketFile[] = []
      const data: DataFile[] = []
      const [others, missing]: [BucketFile[], BucketFile[]] = [[], []]
      // One that the table has had may be gone: others compact files, and remove those that they took the rows of.
      for (const file of files.filter(file => !isCommitted(note, file))) {
        const made = await describe(file, metadata)
        if (made === 'gone') missing.push(file)
        else if (made.madeFor !== metadata.uuid) others.push(file)
        else {
          taken.push(file)
          data.push(made.data)
        }
      }
      refused = others
      gone = missing
      return {
        files: data,
        properties: new Map([[key, JSON.stringify(toNote(note, taken, [...waiting, ...files], wasRemoved))]]),
        summary: new Map([['sluice.commit-id', toCommitId(collectorId, taken)]]),
      }
    }
    try {
      await appendFiles({ fileSystem, catalog, path: directory, toAppend, writer: collectorId, now, pause, signal })
    } catch (error) {
      if (!(error instanceof NoTable)) throw error
      desk.note(directory, undefined)
      return { committed: [], refused: files.map(file => ({ file, reason: goneOf(directory) })), gone: [] }
    }
    const left = new Set([...refused, ...gone])
    return {
      committed: files.filter(file => !left.has(file)),
      refused: refused.map(file => ({ file, reason: otherOf(directory) })),
      gone,
    }
  }
}

/** For people: who wrote a snapshot, and of which segments. */
const toCommitId = (collectorId: string, files: readonly BucketFile[]): string => {
  const segments = files.map(({ segment }) => segment)
  return `${collectorId}-${Math.min(...segments)}-${Math.max(...segments)}`
}

const goneOf = (directory: string): OtherTable =>
  new OtherTable(`The table ${directory} that this file was made for is gone: ${advice}`)

const otherOf = (directory: string): OtherTable =>
  new OtherTable(`The table ${directory} is another one than that which this file was made for: ${advice}`)

const advice = 'its columns have the ids of that one. `sluice spool replay` takes its events in again'
