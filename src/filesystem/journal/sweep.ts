import type { JournalObjects } from './objects.ts'

/**
 * Deletes objects of a journal that no reader needs. Claims are never deleted: the writer that a claim has fenced would find
 * its number free, whenever it continues.
 */
export type Sweeper = {
  /** Begins to delete those before a checkpoint that have no bytes of a file. */
  sweep(checkpoint: number, needed: ReadonlySet<number>): void
  /** Resolves when nothing is on its way. */
  close(): Promise<void>
}

/** Objects that are deleted at a time. */
const atOnce = 4

/** Objects that cannot be deleted now are deleted after a later checkpoint. */
export const createSweeper = (objects: Pick<JournalObjects, 'list' | 'delete'>): Sweeper => {
  let sweeping: Promise<void> | undefined
  let isClosed = false

  const run = async (checkpoint: number, needed: ReadonlySet<number>): Promise<void> => {
    let lot: number[] = []
    const remove = async (): Promise<void> => {
      await Promise.all(lot.map(number => objects.delete(number)))
      lot = []
    }
    for await (const { number, isClaim } of objects.list()) {
      if (isClosed) return
      if (isClaim || number >= checkpoint || needed.has(number)) continue
      lot.push(number)
      if (lot.length === atOnce) await remove()
    }
    await remove()
  }

  return {
    sweep: (checkpoint, needed) => {
      sweeping ??= run(checkpoint, needed)
        .catch(() => {})
        .finally(() => {
          sweeping = undefined
        })
    },
    close: async () => {
      isClosed = true
      await sweeping
    },
  }
}
