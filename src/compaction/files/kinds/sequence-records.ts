import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import type { ByteQueue } from '../../../codecs/byte-queue.ts'
import { rebase } from '../../../codecs/rebase.ts'
import { FormatError } from '../../../errors.ts'
import { readBlockFrame, readRecordFrame } from '../../../formats/sequence-file/frames.ts'
import {
  maxHeaderBytes,
  readSequenceFileHeader,
  type SequenceFileHeader,
} from '../../../formats/sequence-file/header.ts'
import { syncBytes } from '../../../formats/sequence-file/layout.ts'
import { isLastMark } from '../../../formats/sequence-file/reader.ts'
import { toBuffer } from '../../../formats/to-buffer.ts'
import type { RecordTally } from '../record-tally.ts'
import { type FileKind, nothing } from './file-kind.ts'

/**
 * Sequence files: records, or blocks of them, copied as they are, behind one header and with one sync mark. The headers are the
 * same but for that mark: version, classes, compression, metadata.
 */
export const sequenceRecords: FileKind = {
  toKey: async queue => {
    const { end, sync } = await peekHeader(queue)
    if (!sync) throw new FormatError('sequence file', 3, 'expected a version with sync marks')
    return queue.view().toString('base64', 0, end - syncBytes)
  },
  begin: key => {
    const mark = Buffer.concat([recordEscape, randomBytes(syncBytes)])
    return {
      start: Buffer.concat([Buffer.from(key, 'base64'), mark.subarray(recordEscape.length)]),
      add: (queue, tally) => copy(queue, tally, mark),
      end: () => nothing,
    }
  },
}

/** In front of a sync mark; where a record has its length. */
const recordEscape = Buffer.of(0xff, 0xff, 0xff, 0xff)

/** Bytes of records between two sync marks, as Hadoop writes them. */
const markEvery = 100 * 1024

const peekHeader = async (queue: ByteQueue): Promise<SequenceFileHeader> => {
  for (;;) {
    try {
      return readSequenceFileHeader(queue.view())
    } catch (error) {
      if (queue.available > maxHeaderBytes || !(await queue.more())) throw error
    }
  }
}

async function* copy(queue: ByteQueue, tally: RecordTally, mark: Buffer): AsyncGenerator<Uint8Array> {
  const header = await peekHeader(queue)
  queue.skip(header.end)
  const next = header.compression === 'block' ? nextBlock : nextRecords
  while (await queue.ensure(1)) {
    const bytes = toBuffer(queue.view())
    if (queue.isDone && isLastMark(bytes, 0, header)) return
    let found: Records | undefined
    try {
      found = next(bytes, header)
    } catch (error) {
      throw rebase(error, queue.offset)
    }
    if (found) {
      const records = bytes.subarray(found.start, found.end)
      tally.add(records, found.rows)
      yield mark
      yield records
      queue.skip(found.end)
    } else if (!(await queue.grow()) && !isLastMark(toBuffer(queue.view()), 0, header)) {
      throw new FormatError(
        'sequence file',
        queue.offset,
        `expected a record, found the end after ${queue.available} bytes`,
      )
    }
  }
}

type Records = { readonly start: number; readonly end: number; readonly rows: number }

/** A block, without the mark before it. */
const nextBlock = (bytes: Buffer, { sync }: SequenceFileHeader): Records | undefined => {
  const frame = sync && readBlockFrame(bytes, 0, sync)
  return frame && { start: recordEscape.length + syncBytes, end: frame.end, rows: frame.count }
}

/** Records up to a mark, or as many as are here. */
const nextRecords = (bytes: Buffer, header: SequenceFileHeader): Records | undefined => {
  let start = 0
  while (bytes.length - start >= recordEscape.length && bytes.readInt32BE(start) === -1) {
    if (bytes.length - start < recordEscape.length + syncBytes) return undefined
    // The mark itself is checked with the record behind it.
    start += recordEscape.length + syncBytes
  }
  let [end, rows] = [start, 0]
  for (let frame = readRecordFrame(bytes, 0, header); frame; frame = readRecordFrame(bytes, end, header)) {
    // Behind another mark.
    if (rows > 0 && frame.key - 8 !== end) break
    end = frame.end
    rows++
    if (end - start >= markEvery) break
  }
  return rows > 0 ? { start, end, rows } : undefined
}
