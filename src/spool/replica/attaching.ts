import { type AttachParts, copySpool, proveCopy } from './attach.ts'
import type { RemoteDirectory } from './remote-directory.ts'
import type { RemoteSegments } from './remote-segments.ts'

/** What brings the copy in step where it is away. */
export type Attaching = {
  /** Never rejects; concurrent calls share one attempt. */
  attach(): Promise<void>
  /** From the moment on in which what is synced is in the copy as well, until the copy has all that was synced before. */
  readonly isCatchingUp: boolean
}

export type AttachingParts = Omit<AttachParts, 'directory'> & { readonly directory: () => RemoteDirectory }

/** @param segments hears which ones the copy has */
export const createAttaching = (
  { directory, ...parts }: AttachingParts,
  segments: Pick<RemoteSegments, 'addNames'>,
): Attaching => {
  const { state } = parts
  let isCatchingUp = false
  let attaching: Promise<void> | undefined

  const catchUp = async (all: AttachParts): Promise<void> => {
    isCatchingUp = true
    try {
      segments.addNames(await copySpool(all))
      // Segments that ended meanwhile: what was synced of them before is found by its length.
      segments.addNames(await copySpool(all))
      state.caughtUp()
    } finally {
      isCatchingUp = false
    }
  }

  const attach = async (): Promise<void> => {
    if (state.name !== 'away') return
    const all = { ...parts, directory: directory() }
    try {
      if (await proveCopy(all)) await catchUp(all)
    } catch (error) {
      state.failed(error)
    }
  }

  return {
    attach: () => {
      attaching ??= attach().finally(() => {
        attaching = undefined
      })
      return attaching
    },
    get isCatchingUp() {
      return isCatchingUp
    },
  }
}
