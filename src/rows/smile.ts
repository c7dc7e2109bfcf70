import { rebase } from '../codecs/rebase.ts'
import { FormatError } from '../errors.ts'
import type { Value } from '../formats/number.ts'
import { type SmileColumns, SmileRowReader } from '../formats/smile-rows.ts'
import { createEventRows } from './events.ts'
import type { Format, FormatInput } from './format.ts'
import { maxBatchRows } from './limits.ts'
import type { RowBatch } from './reading.ts'

/** Most bytes of one event. */
const maxElementBytes = 16 * 1024 * 1024

/** Bytes that are decoded in one step, so that a chunk of any size keeps nobody else waiting. */
const stepBytes = 256 * 1024

/**
 * Smile documents: events, in an array or one after another, or other values; see `createEventRows`. `raw` has no
 * effect. There are no marks, because names and strings refer to those before.
 */
export const smileFormat: Format = {
  name: 'smile',
  isResumable: false,
  open: input => ({ serializer: 'smile', batches: readSmileRows(input) }),
}

async function* readSmileRows({ queue, row, registrar }: FormatInput): AsyncGenerator<RowBatch, void, undefined> {
  const reader = new SmileRowReader()
  // The old gateway had an empty string in the place of null.
  const rows = createEventRows({ registrar, nullValue: '' })
  let first = row
  let stepSize = stepBytes
  await queue.ensure(1)
  for (;;) {
    const { offset, available } = queue
    const view = queue.view()
    const bytes = view.length > stepSize ? view.subarray(0, stepSize) : view
    const isLast = queue.isDone && bytes.length === view.length
    const elements: (Value | SmileColumns)[] = []
    let failure: Error | undefined
    try {
      queue.skip(reader.read(bytes, isLast, elements, maxBatchRows))
    } catch (error) {
      failure = rebase(error, offset)
    }
    if (elements.length > 0) yield { rows: elements.map(element => rows.fromColumns(element)), first }
    first += elements.length
    if (failure !== undefined) throw failure
    if (queue.offset > offset) {
      stepSize = stepBytes
      continue
    }
    if (isLast) return
    // Not one whole element in these bytes.
    if (bytes.length >= maxElementBytes) {
      throw new FormatError('smile', offset, `expected a value of at most ${maxElementBytes} bytes, found a longer one`)
    }
    if (bytes.length < view.length) stepSize *= 2
    else await queue.ensure(Math.max(1, 2 * available))
  }
}
