import type { Disk } from './disk/disk.ts'
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
  /** Puts bucket files back into the queue, those in `_taken/` too: whoever asks knows that the file system has them not. */
  readonly release: (names: readonly string[]) => Promise<readonly QuarantineOutcome[]>
  /** Deletes pieces for ever, with the events in them. */
  readonly remove: (names: readonly string[]) => Promise<readonly QuarantineOutcome[]>
  /** The bytes of a piece as they are read; undefined where there is none of that name. */
  readonly open: (
    name: string,
  ) => Promise<{ readonly bytes: number; readonly body: AsyncIterable<Uint8Array> } | undefined>
}

/** Runs work after the work before it has ended, well or not. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/** Makes a queue of one: of two who move the same file, the second one finds what the first one left. */
export const createInTurn = (): InTurn => {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const run = last.then(work, work)
    last = run
    return run
  }
}

/** Works on a running spool; `inTurn` is that of the flusher, which sets files aside. */
export const createQuarantineDesk = (spool: SetAside, inTurn: InTurn): QuarantineDesk => {
  const list = async (): Promise<readonly QuarantineView[]> => [
    ...viewQuarantine('_quarantine', await listFiles(spool.disk, '_quarantine'), spool.ledger.state),
    ...viewQuarantine('_taken', await listFiles(spool.disk, '_taken'), spool.ledger.state),
  ]
  return {
    list,
    release: names => inTurn(() => releaseFiles(spool, names)),
    remove: names => inTurn(() => removeQuarantined(spool, names)),
    open: async name => {
      const piece = (await list()).find(one => one.name === name)
      return piece && { bytes: piece.bytes, body: spool.disk.stream(piece.path) }
    },
  }
}

const listFiles = async (disk: Disk, directory: string) =>
  (await disk.list(directory)).filter(({ isDirectory }) => !isDirectory)
