import type { Logger } from '../../log/log.ts'
import { isSealed, type LedgerState, unsettledSegments } from '../ledger/ledger-state.ts'
import { segmentPath } from '../segment/segment-files.ts'
import type { RemoteDirectory } from './remote-directory.ts'
import { parseRemoteSegment, toRemoteName } from './remote-names.ts'

/** Segments in HDFS: each stays until all of its events are in the file system. */
export type RemoteSegments = {
  add(segment: number): void
  /** All names in the directory in HDFS. */
  list(names: Iterable<string>): void
  /**
   * Whether a taker would seal it again: then what became of its files has to be known. So it is of any segment
   * before the directory was listed once.
   */
  has(segment: number): boolean
  /** Deletes those that are needed no more. Rejects with `FileSystemError`. */
  reap(directory: Pick<RemoteDirectory, 'delete'>, state: LedgerState): Promise<void>
}

/** @param log hears once of segments that have no copy, and are not all in the file system */
export const createRemoteSegments = (log: Logger): RemoteSegments => {
  const segments = new Set<number>()
  let isListed = false
  let isTold = false

  /** They were sealed before the log was replicated: no other collector can make their files again. */
  const tellOfBare = (state: LedgerState): void => {
    if (isTold) return
    isTold = true
    const bare = [...unsettledSegments(state)].filter(segment => isSealed(state, segment) && !segments.has(segment))
    if (bare.length === 0) return
    const message =
      'files that were sealed before the log was replicated exist only on this machine until they are committed'
    log.warn({ segments: bare.length }, message)
  }
  return {
    add: segment => void segments.add(segment),
    list: names => {
      isListed = true
      for (const name of names) {
        const segment = parseRemoteSegment(name)
        if (segment !== undefined) segments.add(segment)
      }
    },
    has: segment => !isListed || segments.has(segment),
    reap: async (directory, state) => {
      tellOfBare(state)
      const sealed = [...segments].filter(segment => isSealed(state, segment))
      if (sealed.length === 0) return
      const needed = unsettledSegments(state)
      for (const segment of sealed) {
        if (needed.has(segment)) continue
        await directory.delete(toRemoteName(segmentPath(segment)))
        segments.delete(segment)
      }
    },
  }
}
