import type { ByteQueue } from '../../../codecs/byte-queue.ts'
import { rebase } from '../../../codecs/rebase.ts'
import { FormatError } from '../../../errors.ts'
import { readRecords } from '../../../formats/thrift/envelope-stream.ts'
import type { RecordTally } from '../record-tally.ts'
import { type FileKind, nothing } from './file-kind.ts'

/** Most bytes of a record. */
const maxRecordBytes = 64 * 1024 * 1024

/** `.thrift` files: records one after another, copied. They have no header, so one that is cut would end the file for its readers. */
export const thriftRecords: FileKind = {
  toKey: async () => '',
  begin: () => ({ start: nothing, add: copyRecords, end: () => nothing }),
}

async function* copyRecords(queue: ByteQueue, tally: RecordTally): AsyncGenerator<Uint8Array> {
  while (await queue.ensure(1)) {
    const { rows, end, failure } = readWhole(queue.view())
    if (end > 0) {
      const bytes = queue.take(end)
      tally.add(bytes, rows)
      yield bytes
      continue
    }
    // The rest of a record that breaks off may be in the next bytes.
    if (queue.available >= maxRecordBytes || !(await queue.grow())) throw rebase(failure, queue.offset)
  }
}

/** The records that are whole, and what is wrong behind them. */
const readWhole = (bytes: Uint8Array): { rows: number; end: number; failure?: FormatError } => {
  const found = { rows: 0, end: 0 }
  try {
    for (const { end } of readRecords(bytes)) {
      found.rows++
      found.end = end
    }
  } catch (failure) {
    if (!(failure instanceof FormatError)) throw failure
    return { ...found, failure }
  }
  return found
}
