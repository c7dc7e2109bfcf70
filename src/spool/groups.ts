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

/** Where requests gather while the ones before them are written. */
export type Groups = {
  /** Adds a batch as one record; the promise is that of its group. */
  add(batch: Batch, keptAt: number): { readonly byteLength: number; readonly kept: Promise<void> }
  /** Everything gathered so far; what is added from now on makes new groups. */
  take(): readonly Group[]
  /** Gives the buffer of a written group back. */
  recycle(group: Group): void
  /** Not taken yet, oldest first. */
  readonly waiting: readonly Group[]
}

export const createGroups = (): Groups => {
  const spare: Uint8Array[] = []
  let groups: Group[] = []
  return {
    add: (batch, keptAt) => {
      const record = encodeBatch(batch, keptAt)
      const byteLength = frameHeaderBytes + record.byteLength
      let group = groups.at(-1)
      if (!group || group.bytes.length - group.length < byteLength) {
        const isLarge = byteLength > groupBytes
        const bytes = isLarge ? sharedBytes(byteLength) : (spare.pop() ?? sharedBytes(groupBytes))
        const fill = byteLength > maxTurnBytes ? { fill: () => fillInTurns(bytes, record) } : {}
        group = { bytes, length: 0, ...fill, batches: [], kept: Promise.withResolvers() }
        groups.push(group)
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
    take: () => {
      const taken = groups
      groups = []
      return taken
    },
    recycle: ({ bytes }) => {
      if (bytes.length === groupBytes && spare.length < maxSpareBuffers) spare.push(bytes)
    },
    get waiting() {
      return groups
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
