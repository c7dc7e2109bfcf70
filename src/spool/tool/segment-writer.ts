import type { AppendFile } from '../../disk/disk.ts'
import { encodeBatch, type RecordBatch } from '../segment/record.ts'
import { segmentPath } from '../segment/segment-files.ts'
import {
  createMark,
  encodeSegmentHeader,
  idsVersion,
  recordFrameBytes,
  writeRecordFrame,
} from '../segment/segment-format.ts'
import type { OfflineSpool } from './offline.ts'

/** Where a segment is written before it is visible. */
const stagingPath = 'segment.next'

/** A staged segment is published at this size; the server seals it as one of its own. */
const maxStagedBytes = 64 << 20

/** Appends batches to a spool offline, a segment at a time: all of its batches appear at once, or none. */
export type SegmentBuilder = {
  readonly stagedBytes: number
  /** Whether it is time to publish. */
  readonly isFull: boolean
  append(batch: RecordBatch, keptAt: number): Promise<void>
  /** Makes what was appended a part of the spool, safe on disk; nothing staged is fine. */
  publish(): Promise<void>
  /** Gives up what is staged. */
  discard(): Promise<void>
}

/** Writes after everything the spool holds. */
export const createSegmentBuilder = (spool: OfflineSpool): SegmentBuilder => {
  const { disk } = spool
  const mark = createMark()
  let file: AppendFile | undefined
  let length = 0

  const open = async (): Promise<AppendFile> => {
    await disk.unlink(stagingPath)
    const opened = await disk.create(stagingPath)
    // The first record does not show whether a later one has ids.
    length = await opened.append(encodeSegmentHeader(spool.collectorId, spool.nextSegment, mark, idsVersion))
    return opened
  }

  return {
    get stagedBytes() {
      return length
    },
    get isFull() {
      return length >= maxStagedBytes
    },
    append: async (batch, keptAt) => {
      file ??= await open()
      const record = encodeBatch(batch, keptAt)
      const bytes = new Uint8Array(recordFrameBytes(record))
      writeRecordFrame(bytes, 0, record, mark, 0)
      length = await file.append(bytes)
    },
    publish: async () => {
      if (!file) return
      await file.fdatasync()
      await file.close()
      file = undefined
      length = 0
      await disk.rename(stagingPath, segmentPath(spool.nextSegment++))
      await disk.fsyncDir('log')
      await disk.fsyncDir('.')
    },
    discard: async () => {
      await file?.close()
      file = undefined
      length = 0
      await disk.unlink(stagingPath)
    },
  }
}
