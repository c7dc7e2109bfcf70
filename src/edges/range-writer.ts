import type { Waiter } from '../runtime/deferred.ts'
import { nextTurn } from '../runtime/next-turn.ts'
import type { Api } from '../spool/apis.ts'
import type { Batch } from '../spool/batch.ts'
import { type EncodedBatch, encodeBatch } from '../spool/segment/record.ts'
import {
  createCallerNumbers,
  recordFrameBytes,
  writeRecordFrame,
  writeRecordFrameInSteps,
} from '../spool/segment/segment-format.ts'
import type { RangeMessage } from './event-messages.ts'
import { createMemories, type Memory, memoryBytes } from './shared-memories.ts'

/** A larger batch is framed in turns of the event loop, this much in each. */
const maxTurnBytes = 4 << 20

/** What few batches have. */
export type BatchFacts = {
  readonly traceparent: string | undefined
  /** Names of events that do not fit their schemas. */
  readonly misfits: readonly string[]
}

/** A range on its way to the desk, with those who wait for its batches, by their positions. */
export type FilledRange = { readonly message: RangeMessage; readonly waiters: (Waiter<void> | undefined)[] }

/** Frames batches in shared memory, from where they are handed over in ranges. */
export type RangeWriter = {
  /** @param keptAt ms since the epoch */
  add(batch: Batch, keptAt: number, facts: BatchFacts, waiter: Waiter<void>): void
  /** What was framed since this was asked last. */
  take(): readonly FilledRange[]
  /** The bytes of a range may be written again. */
  free(range: RangeMessage): void
  /** Numbers of memories that are not used any more, since this was asked last. */
  takeDropped(): readonly number[]
}

/**
 * @param mark of the spool that keeps the batches
 * @param onReady hears of something to take that was not there when `add` returned
 */
export const createRangeWriter = (mark: Uint8Array, onReady: () => void): RangeWriter => {
  const toNumber = createCallerNumbers()
  const memories = createMemories()
  let ready: FilledRange[] = []
  let nextId = 0
  let open: OpenRange | undefined

  const end = (): void => {
    if (open !== undefined) ready.push(open.end())
    open = undefined
  }

  /** In a range of its own. */
  const frameLarge = async (range: OpenRange, record: EncodedBatch, caller: number, size: number): Promise<void> => {
    const { bytes } = range.memory
    if (size <= maxTurnBytes) writeRecordFrame(bytes, 0, record, mark, caller)
    else for (const _ of writeRecordFrameInSteps(bytes, record, mark, caller, maxTurnBytes)) await nextTurn()
    ready.push(range.end())
    onReady()
  }

  return {
    add: (batch, keptAt, facts, waiter) => {
      const caller = toNumber(batch.caller)
      const record = encodeBatch(batch, keptAt)
      const size = recordFrameBytes(record)
      if (size > memoryBytes) {
        const range = new OpenRange(nextId++, memories.createLarge(size))
        range.add(batch, keptAt, caller, size, facts, waiter)
        void frameLarge(range, record, caller, size)
        return
      }
      const memory = memories.withRoom(size)
      if (open?.memory !== memory || !open.canTell(caller, batch.caller)) end()
      open ??= new OpenRange(nextId++, memory)
      writeRecordFrame(memory.bytes, memory.filled, record, mark, caller)
      open.add(batch, keptAt, caller, size, facts, waiter)
    },
    take: () => {
      end()
      const taken = ready
      ready = []
      return taken
    },
    free: ({ memory }) => memories.free(memory),
    takeDropped: () => memories.takeDropped(),
  }
}

/** A range that is being filled. */
class OpenRange {
  readonly memory: Memory
  readonly #id: number
  readonly #from: number
  readonly #callers = new Map<number, string | undefined>()
  readonly #events = new Map<Api, number>()
  readonly #receivedAt: [number, number][] = []
  readonly #traceparents: [number, string][] = []
  readonly #misfits: [number, readonly string[]][] = []
  readonly #waiters: Waiter<void>[] = []

  constructor(id: number, memory: Memory) {
    this.#id = id
    this.memory = memory
    this.#from = memory.filled
    memory.ranges++
  }

  /** Whether this number identifies this caller alone in the range. */
  canTell(number: number, caller: string | undefined): boolean {
    return this.#callers.get(number) === caller || !this.#callers.has(number)
  }

  /** The batch is framed, or will be, in this many bytes. */
  add(
    batch: Batch,
    keptAt: number,
    caller: number,
    size: number,
    { traceparent, misfits }: BatchFacts,
    waiter: Waiter<void>,
  ): void {
    const position = this.#waiters.length
    this.memory.filled += size
    this.#callers.set(caller, batch.caller)
    this.#events.set(batch.api, (this.#events.get(batch.api) ?? 0) + batch.events.length)
    if (batch.receivedAt !== undefined && batch.receivedAt !== keptAt)
      this.#receivedAt.push([position, batch.receivedAt])
    if (traceparent !== undefined) this.#traceparents.push([position, traceparent])
    if (misfits.length > 0) this.#misfits.push([position, misfits])
    this.#waiters.push(waiter)
  }

  end(): FilledRange {
    const { memory } = this
    const { number, buffer, isLarge, filled, isKnown } = memory
    memory.isKnown = true
    const callers = [...this.#callers].flatMap(([of, caller]) => (caller === undefined ? [] : [[of, caller] as const]))
    return {
      message: {
        id: this.#id,
        memory: number,
        ...(isKnown ? {} : { buffer, isLarge }),
        from: this.#from,
        to: filled,
        count: this.#waiters.length,
        events: [...this.#events],
        callers,
        receivedAt: this.#receivedAt,
        traceparents: this.#traceparents,
        misfits: this.#misfits,
      },
      waiters: this.#waiters,
    }
  }
}
