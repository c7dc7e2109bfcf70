import type { Waiter } from '../../runtime/deferred.ts'
import type { Batch } from '../batch.ts'
import type { FramedBatch } from '../segment/framed-batches.ts'
import type { RangeWaiter } from '../spool.ts'

/** Batches of another thread, framed in memory that both share, on their way into the log. */
export class HandedRange {
  readonly bytes: Uint8Array
  readonly batches: readonly FramedBatch[]
  readonly #waiter: RangeWaiter
  /** Whether batches count as kept once they wait here: `ack` says so. */
  readonly #isKeptAtOnce: boolean
  /** Pieces whose bytes the log still needs, and one until the range has been added. */
  #open = 1
  readonly #keptAtOnce: (() => void)[] = []

  constructor(bytes: Uint8Array, batches: readonly FramedBatch[], waiter: RangeWaiter, isKeptAtOnce: boolean) {
    this.bytes = bytes
    this.batches = batches
    this.#waiter = waiter
    this.#isKeptAtOnce = isKeptAtOnce
  }

  /**
   * Neighbours that share a group: they are kept together or not at all.
   * @param batches grows while the range is added
   * @returns who hears of the group
   */
  piece(first: number, batches: readonly Batch[]): Waiter<void> {
    this.#open++
    const kept = (): void => this.#waiter.kept(first, batches)
    if (this.#isKeptAtOnce) {
      this.#keptAtOnce.push(kept)
      return { done: () => this.#close(), failed: () => this.#close() }
    }
    return {
      done: () => {
        kept()
        this.#close()
      },
      failed: error => {
        this.#waiter.failed(first, batches, error)
        this.#close()
      },
    }
  }

  refuse(first: number, batches: readonly Batch[], error: unknown): void {
    this.#waiter.failed(first, batches, error)
  }

  /** All batches wait in a group, or were refused. */
  added(): void {
    if (this.#keptAtOnce.length > 0) {
      queueMicrotask(() => {
        for (const kept of this.#keptAtOnce) kept()
      })
    }
    this.#close()
  }

  #close(): void {
    if (--this.#open === 0) this.#waiter.free()
  }
}
