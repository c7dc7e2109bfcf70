import type { Encoder } from '../events/encoders.ts'

/** What holds rows. */
export type RowHolder = {
  readonly encoder: Encoder
  /** Bytes of events that its encoder holds until they are written. */
  held: number
}

/** An event that is not held as sent takes this many times its bytes. */
export const objectWeight = 2.5

/** What the encoders of a segment hold until it is written. */
export type HeldRows = {
  /** After an event of this many bytes was added to one of them. */
  add(holder: RowHolder, bytes: number): void
  /** Writes what is too much. */
  packFull(): void
}

/**
 * @param holders all that may hold anything
 * @param maxBytes that encoders hold of events
 */
export const createHeldRows = (holders: () => Iterable<RowHolder>, maxBytes = 40 << 20): HeldRows => {
  // Little is written at once, so that most files stay open and have fewer row groups.
  const keptBytes = maxBytes - maxBytes / 8
  let held = 0
  let last: RowHolder | undefined

  const pack = (holder: RowHolder): void => {
    holder.encoder.pack?.()
    held -= holder.held
    holder.held = 0
  }
  /**
   * The largest first, and no more than necessary: files that hold little stay open, because their row groups would be
   * small.
   */
  const packLargest = (): void => {
    for (const holder of [...holders()].sort((a, b) => b.held - a.held)) {
      if (held <= keptBytes) return
      pack(holder)
    }
  }
  return {
    add: (holder, bytes) => {
      if (!holder.encoder.pack) return
      holder.held += bytes
      held += bytes
      last = holder
    },
    packFull: () => {
      if (last?.encoder.isFull) pack(last)
      else if (held > maxBytes) packLargest()
    },
  }
}
