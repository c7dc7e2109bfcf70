import type { ByteQueue } from '../../codecs/byte-queue.ts'
import { maxBatchRows } from '../limits.ts'
import type { RowBatch } from '../reading.ts'
import type { Registrar } from '../registrar/registrar.ts'
import type { Row } from '../row.ts'
import type { RowContext, RowSerializer } from './serializer.ts'

/** Rows that a custom serializer makes of a file's bytes, in batches; those before a failure come before it. */
export async function* readCustomRows(
  serializer: RowSerializer,
  registrar: Registrar,
  queue: ByteQueue,
  context: RowContext,
): AsyncGenerator<RowBatch, void, undefined> {
  let rows: Row[] = []
  let first = 0
  const take = (): RowBatch => {
    const batch = { rows, first }
    first += rows.length
    rows = []
    return batch
  }
  try {
    for await (const row of serializer.toRows(registrar, queue.rest(), context)) {
      rows.push(row)
      if (rows.length === maxBatchRows) yield take()
    }
  } catch (error) {
    if (rows.length > 0) yield take()
    throw error
  }
  if (rows.length > 0) yield take()
}
