import { type AftermathParts, followFailed, followKept } from '../collector/submit/keep.ts'
import type { Batch } from '../spool/batch.ts'
import type { RangeWaiter, Spool } from '../spool/spool.ts'
import type { RangeMessage, Sparse } from './event-messages.ts'
import type { Receipts } from './receipts.ts'

/** What a range needs of its desk. */
export type RangeDesk = {
  readonly aftermath: AftermathParts
  readonly receipts: Pick<Receipts, 'kept' | 'failed' | 'freed'>
  readonly spool: Pick<Spool, 'durability'>
}

/** A range of a thread while the spool has it. */
export class DeskRange implements RangeWaiter {
  readonly #id: number
  readonly #traceparents: ReadonlyMap<number, string> | undefined
  readonly #misfits: ReadonlyMap<number, readonly string[]> | undefined
  readonly #desk: RangeDesk

  constructor({ id, traceparents, misfits }: RangeMessage, desk: RangeDesk) {
    this.#id = id
    this.#traceparents = toMap(traceparents)
    this.#misfits = toMap(misfits)
    this.#desk = desk
  }

  kept(first: number, batches: readonly Batch[]): void {
    const { aftermath, receipts, spool } = this.#desk
    for (const [i, batch] of batches.entries()) {
      const traceparent = this.#traceparents?.get(first + i)
      const context = traceparent === undefined ? undefined : { traceparent }
      const misfits = this.#misfits?.get(first + i)
      followKept(aftermath, { batch, context, mismatches: misfits?.map(name => ({ name })) ?? noMisfits })
    }
    receipts.kept(this.#id, first, batches.length, spool.durability)
  }

  failed(first: number, batches: readonly Batch[], error: unknown): void {
    for (const batch of batches) followFailed(this.#desk.aftermath, { batch }, error)
    this.#desk.receipts.failed(this.#id, first, batches.length, error)
  }

  free(): void {
    this.#desk.receipts.freed(this.#id)
  }
}

const noMisfits: readonly { readonly name: string }[] = []

const toMap = <T>(sparse: Sparse<T>): ReadonlyMap<number, T> | undefined =>
  sparse.length === 0 ? undefined : new Map(sparse)
