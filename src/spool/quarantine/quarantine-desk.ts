import type { Disk } from '../../disk/disk.ts'
import type { InTurn } from '../heartbeat/in-turn.ts'
import {
  type QuarantineOutcome,
  type QuarantineView,
  releaseFiles,
  removeQuarantined,
  type SetAside,
  viewQuarantine,
} from './quarantine.ts'

/** What is set aside in the spool of a running server. */
export type QuarantineDesk = {
  /** All that is there, bucket files and damaged pieces. */
  readonly list: () => Promise<readonly QuarantineView[]>
  /** Puts bucket files back into the queue, those in `_taken/` too: the caller knows that the file system does not have them. */
  readonly release: (names: readonly string[]) => Promise<readonly QuarantineOutcome[]>
  /** Puts bucket files back that go beside the files that have their names in the file system. */
  readonly releaseUnderNewName: (names: readonly string[]) => Promise<readonly QuarantineOutcome[]>
  /** Deletes pieces permanently, with the events in them. */
  readonly remove: (names: readonly string[]) => Promise<readonly QuarantineOutcome[]>
  /** The bytes of a piece as they are read; undefined if no piece has that name. */
  readonly open: (
    name: string,
  ) => Promise<{ readonly bytes: number; readonly body: AsyncIterable<Uint8Array> } | undefined>
}

/**
 * Works on a running spool.
 * @param inTurn that of what sets files aside
 * @param mayChange throws while nothing of it may be changed
 */
export const createQuarantineDesk = (spool: SetAside, inTurn: InTurn, mayChange: () => void): QuarantineDesk => {
  const change = async <T>(work: () => Promise<T>): Promise<T> => {
    mayChange()
    return await inTurn(work)
  }
  const list = async (): Promise<readonly QuarantineView[]> => [
    ...viewQuarantine('_quarantine', await listFiles(spool.disk, '_quarantine'), spool.ledger.state),
    ...viewQuarantine('_taken', await listFiles(spool.disk, '_taken'), spool.ledger.state),
  ]
  return {
    list,
    release: names => change(() => releaseFiles(spool, names)),
    releaseUnderNewName: names => change(() => releaseFiles(spool, names, true)),
    remove: names => change(() => removeQuarantined(spool, names)),
    open: async name => {
      const piece = (await list()).find(one => one.name === name)
      return piece && { bytes: piece.bytes, body: spool.disk.stream(piece.path) }
    },
  }
}

const listFiles = async (disk: Disk, directory: string) =>
  (await disk.list(directory)).filter(({ isDirectory }) => !isDirectory)
