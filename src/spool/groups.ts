import { crc32 } from 'node:zlib'
import { nextTurn } from '../next-turn.ts'
import type { Batch } from './batch.ts'
import { copyBytes } from './copy-bytes.ts'
import { crcOfType, frameHeaderBytes, sealFrame } from './framing.ts'
import { type EncodedBatch, encodeBatch, frameType } from './record.ts'

/** Size of one buffer that requests are gathered in; a larger request gets one of its own. */
const groupBytes = 1 << 20

/** A larger request is put into its buffer in turns, this much in each. */
const maxTurnBytes = 4 << 20

/** Buffers kept for reuse. */
const maxSpareBuffers = 8

/** Requests whose records stand in one buffer, and that are kept together or not at all. */
export type Group = {
  readonly bytes: Uint8Array
  length: number
  /** Puts the record in, where it is too long for one turn of the event loop. To be called once, before it is written. */
  readonly fill?: () => Promise<void>
  /** What waits for its acknowledgement. */
  readonly batches: Batch[]
  /** One promise for all of them. */
  readonly kept: PromiseWithResolvers<void>
}

/** What is to be written next. */
export type Taken = {
  readonly groups: readonly Group[]
  /** Whether the segment ends behind them: {@link Groups.cut} was called. */
  readonly endsSegment: boolean
}

/** Where requests gather while the ones before them are written. */
export type Groups = {
  /** Adds a batch as one record; the promise is that of its group. */
  add(batch: Batch, keptAt: number): { readonly byteLength: number; readonly kept: Promise<void> }
  /** What is added from now on belongs to another segment than what was added before. */
  cut(): void
  /** Everything gathered so far up to the first cut; what is added from now on makes new groups. */
  take(): Taken
  /** Everything, whatever was cut. */
  takeAll(): readonly Group[]
  /** Gives the buffer of a written group back. */
  recycle(group: Group): void
  /** Not taken yet, behind the last cut, oldest first. */
  readonly newest: readonly Group[]
  /** Whether nothing is left to take, a cut neither. */
  readonly isEmpty: boolean
}

export const createGroups = (): Groups => {
  const spare: Uint8Array[] = []
  let newest: Group[] = []
  /** Each for a segment of its own, the newest one last. */
  let spans = [newest]
  const begin = (): void => {
    newest = []
    spans.push(newest)
  }
  return {
    add: (batch, keptAt) => {
      const record = encodeBatch(batch, keptAt)
      const byteLength = frameHeaderBytes + record.byteLength
      let group = newest.at(-1)
      if (!group || group.bytes.length - group.length < byteLength) {
        const isLarge = byteLength > groupBytes
        const bytes = isLarge ? sharedBytes(byteLength) : (spare.pop() ?? sharedBytes(groupBytes))
        const fill = byteLength > maxTurnBytes ? { fill: () => fillInTurns(bytes, record) } : {}
        group = { bytes, length: 0, ...fill, batches: [], kept: Promise.withResolvers() }
        newest.push(group)
      }
      const start = group.length
      const end = start + byteLength
      if (!group.fill) {
        record.write(group.bytes, start + frameHeaderBytes)
        sealFrame(group.bytes, start, end, frameType.batch)
      }
      group.length = end
      group.batches.push(batch)
      return { byteLength, kept: group.kept.promise }
    },
    cut: begin,
    take: () => {
      const groups = spans.shift() ?? []
      const endsSegment = spans.length > 0
      if (!endsSegment) begin()
      return { groups, endsSegment }
    },
    takeAll: () => {
      const all = spans.flat()
      spans = []
      begin()
      return all
    },
    recycle: ({ bytes }) => {
      if (bytes.length === groupBytes && spare.length < maxSpareBuffers) spare.push(bytes)
    },
    get newest() {
      return newest
    },
    get isEmpty() {
      return spans.length === 1 && newest.length === 0
    },
  }
}

const fillInTurns = async (bytes: Uint8Array, record: EncodedBatch): Promise<void> => {
  let at = record.writeHead(bytes, frameHeaderBytes)
  let crc = crc32(bytes.subarray(frameHeaderBytes, at), crcOfType(frameType.batch))
  for (let from = 0; from < record.body.length; from += maxTurnBytes) {
    const piece = record.body.subarray(from, from + maxTurnBytes)
    copyBytes(piece, bytes, at)
    at += piece.length
    crc = crc32(piece, crc)
    await nextTurn()
  }
  sealFrame(bytes, 0, at, frameType.batch, crc)
}

/** Shared memory, so that the thread which writes it needs no copy. */
const sharedBytes = (length: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(length))
