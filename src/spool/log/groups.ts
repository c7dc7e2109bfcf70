import type { Waiter } from '../../runtime/deferred.ts'
import { nextTurn } from '../../runtime/next-turn.ts'
import type { Batch } from '../batch.ts'
import { type EncodedBatch, encodeBatch } from '../segment/record.ts'
import {
  createCallerNumbers,
  recordFrameBytes,
  writeRecordFrame,
  writeRecordFrameInSteps,
} from '../segment/segment-format.ts'
import type { HandedRange } from './handed-range.ts'

/** Size of one buffer that requests are gathered in; a larger request gets one of its own. */
const groupBytes = 1 << 20

/** A larger request is put into its buffer in turns, this much in each. */
const maxTurnBytes = 4 << 20

/** Buffers kept for reuse. */
const maxSpareBuffers = 8

/** Requests whose records share one buffer, and that are kept together or not at all. */
export type Group = {
  readonly bytes: Uint8Array
  length: number
  /** Of all batches together. */
  events: number
  /** Puts the record in, where it is too long for one turn of the event loop. To be called once, before it is written. */
  readonly fill?: () => Promise<void>
  /**
   * Where the bytes came from, if they did not gather here: then nothing else is appended to them, and they are given
   * back.
   */
  readonly range?: HandedRange
  /** What waits for its acknowledgement. */
  readonly batches: Batch[]
  /** The waiters for it. */
  readonly waiters: Waiter<void>[]
}

/** What is to be written next. */
export type Taken = {
  readonly groups: readonly Group[]
  /** Whether the segment ends after them: {@link Groups.cut} was called. */
  readonly endsSegment: boolean
}

/** Where requests gather while the ones before them are written. */
export type Groups = {
  /** Adds a batch as one record; its waiter hears of it with its group. @returns bytes of the group that it takes */
  add(batch: Batch, keptAt: number, waiter: Waiter<void>): number
  /**
   * Adds a batch of a range, at this position, without a copy; neighbours share a group as long as nothing comes between them.
   * @returns bytes of the group that it takes
   */
  addFramed(range: HandedRange, position: number): number
  /** What is added from now on belongs to another segment than what was added before. */
  cut(): void
  /** Everything gathered so far up to the first cut; what is added from now on makes new groups. */
  take(): Taken
  /** Everything, whatever was cut. */
  takeAll(): readonly Group[]
  /** Gives the buffer of a written group back. */
  recycle(group: Group): void
  /** Not taken yet, after the last cut, oldest first. */
  readonly newest: readonly Group[]
  /** Whether nothing is left to take, a cut neither. */
  readonly isEmpty: boolean
  /** What is not taken yet. */
  readonly waiting: Readonly<GroupLoad>
}

/** What groups hold together. */
export type GroupLoad = { events: number; bytes: number }

/** @param mark of the segments that they are written to */
export const createGroups = (mark: Uint8Array): Groups => {
  const spare: Uint8Array[] = []
  const toNumber = createCallerNumbers()
  let newest: Group[] = []
  /** Each for a segment of its own, the newest one last. */
  let spans = [newest]
  const waiting: GroupLoad = { events: 0, bytes: 0 }
  const leave = (groups: readonly Group[]): readonly Group[] => {
    for (const { events, length } of groups) {
      waiting.events -= events
      waiting.bytes -= length
    }
    return groups
  }
  /** Where requests gather now, of the newest groups. */
  let gathering: Group | undefined
  const begin = (): void => {
    gathering = undefined
    newest = []
    spans.push(newest)
  }
  return {
    add: (batch, keptAt, waiter) => {
      const caller = toNumber(batch.caller)
      const record = encodeBatch(batch, keptAt)
      const byteLength = recordFrameBytes(record)
      let group = gathering
      if (!group || group.bytes.length - group.length < byteLength) {
        const isLarge = byteLength > groupBytes
        const bytes = isLarge ? sharedBytes(byteLength) : (spare.pop() ?? sharedBytes(groupBytes))
        const fill = byteLength > maxTurnBytes ? { fill: () => fillInTurns(bytes, record, mark, caller) } : {}
        group = { bytes, length: 0, events: 0, ...fill, batches: [], waiters: [] }
        newest.push(group)
        gathering = group
      }
      if (!group.fill) writeRecordFrame(group.bytes, group.length, record, mark, caller)
      group.waiters.push(waiter)
      return join(group, batch, byteLength, waiting)
    },
    addFramed: (range, position) => {
      const { batch, start, end } = range.batches[position] ?? notThere(position)
      let group = newest.at(-1)
      if (group?.range !== range || group.bytes.byteOffset + group.length !== range.bytes.byteOffset + start) {
        const batches: Batch[] = []
        const bytes = range.bytes.subarray(start)
        group = { bytes, length: 0, events: 0, range, batches, waiters: [range.piece(position, batches)] }
        newest.push(group)
      }
      return join(group, batch, end - start, waiting)
    },
    cut: begin,
    take: () => {
      const groups = leave(spans.shift() ?? [])
      const endsSegment = spans.length > 0
      if (!endsSegment) begin()
      return { groups, endsSegment }
    },
    takeAll: () => {
      const all = leave(spans.flat())
      spans = []
      begin()
      return all
    },
    recycle: ({ bytes, range }) => {
      if (range === undefined && bytes.length === groupBytes && spare.length < maxSpareBuffers) spare.push(bytes)
    },
    waiting,
    get newest() {
      return newest
    },
    get isEmpty() {
      return spans.length === 1 && newest.length === 0
    },
  }
}

/**
 * Notifies all waiters, in one go. An error of one of them is a mistake of the process, and must not reach the others.
 */
export const tellWaiters = (groups: readonly Group[], tell: (waiter: Waiter<void>) => void): void => {
  for (const { waiters } of groups) {
    for (const waiter of waiters) {
      try {
        tell(waiter)
      } catch (error) {
        setImmediate(() => {
          throw error
        })
      }
    }
  }
}

/** Counts a batch whose record is at the end of a group. @returns its bytes */
const join = (group: Group, batch: Batch, byteLength: number, waiting: GroupLoad): number => {
  group.length += byteLength
  group.events += batch.events.length
  waiting.events += batch.events.length
  waiting.bytes += byteLength
  group.batches.push(batch)
  return byteLength
}

const notThere = (position: number): never => {
  throw new RangeError(`The range has no batch ${position}`)
}

const fillInTurns = async (
  bytes: Uint8Array,
  record: EncodedBatch,
  mark: Uint8Array,
  caller: number,
): Promise<void> => {
  for (const _ of writeRecordFrameInSteps(bytes, record, mark, caller, maxTurnBytes)) await nextTurn()
}

/** Shared memory, so that the thread which writes it needs no copy. */
const sharedBytes = (length: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(length))
