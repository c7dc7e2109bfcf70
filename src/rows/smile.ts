import { rebase } from '../codecs/rebase.ts'
import { Budget } from '../formats/budget.ts'
import { SmileRowReader } from '../formats/smile-rows.ts'
import { createEventRows } from './events.ts'
import { type Format, type FormatInput, inSteps, toNothing } from './format.ts'
import { BatchSize, tooLong } from './limits.ts'
import type { RowBatch } from './reading.ts'
import type { Row } from './row.ts'

/** Bytes that are decoded in one step, so that a chunk of any size does not hold up other work. */
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

const readSmileRows = (input: FormatInput): AsyncIterable<RowBatch> => {
  const { queue, registrar, limits, nulls } = input
  const budget = new Budget('smile', limits)
  const reader = new SmileRowReader(budget)
  const nothing = toNothing(nulls)
  const rows = createEventRows({ registrar, nullValue: nothing, absentValue: nothing })
  let stepSize = stepBytes
  let wanted = 1
  let isOver = false
  return inSteps({ ...input, hasMarks: false }, async first => {
    if (isOver) return undefined
    await queue.ensure(wanted)
    wanted = 0
    const { offset, available } = queue
    const view = queue.view()
    const bytes = view.length > stepSize ? view.subarray(0, stepSize) : view
    const isLast = queue.isDone && bytes.length === view.length
    const made: Row[] = []
    const size = new BatchSize()
    const add = (element: Parameters<typeof rows.fromColumns>[0]): boolean => {
      made.push(rows.fromColumns(element))
      return size.add(budget)
    }
    let failure: Error | undefined
    try {
      queue.skip(reader.read(bytes, isLast, add, { row: first, offset }))
    } catch (error) {
      failure = rebase(error, offset)
    }
    if (queue.offset > offset) stepSize = stepBytes
    else if (isLast) isOver = true
    // Not one whole element in these bytes.
    else if (bytes.length >= limits.bytes.max) failure ??= tooLong('smile', first, offset, limits)
    else if (bytes.length < view.length) stepSize *= 2
    else wanted = Math.max(1, 2 * available)
    return { rows: made, failure }
  })
}
