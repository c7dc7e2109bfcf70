import { type AttachParts, type CatchUpPhase, compareCopy, copySpool, proveCopy } from './attach.ts'
import type { RemoteDirectory } from './remote-directory.ts'
import type { RemoteSegments } from './remote-segments.ts'
import { NotReplicated } from './replica-state.ts'

/** What brings the copy in step where it is away. */
export type Attaching = {
  /** Never rejects; concurrent calls share one attempt. */
  attach(): Promise<void>
  /** Whether a file that is synced now is in the copy as well, although that does not have all that was synced before. */
  isCatchingUp(path: string): boolean
  /** Begins no other attempt, and ends the one that is under way soon. */
  stop(): void
}

export type AttachingParts = Omit<AttachParts, 'directory' | 'signal'> & { readonly directory: () => RemoteDirectory }

/** @param segments hears which ones the copy has */
export const createAttaching = (
  { directory, ...parts }: AttachingParts,
  segments: Pick<RemoteSegments, 'list'>,
): Attaching => {
  const { state, disk } = parts
  const stopping = new AbortController()
  const { signal } = stopping
  let phase: CatchUpPhase | undefined
  let isFirst = true
  let attaching: Promise<void> | undefined

  const catchUp = async (all: AttachParts): Promise<void> => {
    try {
      segments.list(await compareCopy(all, isFirst))
      isFirst = false
      await copySpool(all, next => {
        phase = next
      })
      // A group may have been kept here alone meanwhile.
      if (disk.isWhole) state.caughtUp()
    } finally {
      phase = undefined
    }
  }

  const attach = async (): Promise<void> => {
    // In step it may be that a change was broken off, and that it is not known which file is there.
    const isDue = state.name === 'away' || (state.name === 'in-step' && disk.behind.paths.length > 0)
    if (!isDue || signal.aborted) return
    const all = { ...parts, directory: directory(), signal }
    try {
      if (await proveCopy(all)) await catchUp(all)
    } catch (error) {
      // What is written tells by itself what went wrong.
      if (!(signal.aborted || error instanceof NotReplicated)) state.failed(error)
    }
  }

  return {
    attach: () => {
      attaching ??= attach().finally(() => {
        attaching = undefined
      })
      return attaching
    },
    isCatchingUp: path => phase === 'all' || (phase === 'files' && !path.startsWith('ledger')),
    stop: () => stopping.abort(new Error('the server stops')),
  }
}
