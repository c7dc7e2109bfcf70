import type { ByteQueue } from '../../../codecs/byte-queue.ts'
import { rebase } from '../../../codecs/rebase.ts'
import { LimitError } from '../../../errors.ts'
import { Budget } from '../../../formats/budget.ts'
import { fromMembers } from '../../../formats/members.ts'
import type { Value } from '../../../formats/number.ts'
import { createSmileWriter } from '../../../formats/smile/writer.ts'
import { SmileColumns, SmileRowReader } from '../../../formats/smile-rows.ts'
import { rowLimits } from '../../read-rows.ts'
import type { FileKind } from './file-kind.ts'

/** Where a file of the collector has the start of its array, behind the header. */
const arrayAt = 4
const startArray = 0xf8

/**
 * Smile: names and texts refer back to those before in their document, so values are read and written again, into one array where
 * the sources are arrays.
 */
export const smileValues: FileKind = {
  toKey: async queue => {
    await queue.ensure(arrayAt + 1)
    return queue.view()[arrayAt] === startArray ? 'array' : ''
  },
  begin: key => {
    const writer = createSmileWriter()
    if (key !== '') writer.startArray()
    return {
      start: writer.take(),
      async *add(queue, tally) {
        for await (const values of readValues(queue)) {
          for (const value of values) {
            tally.add(toBytes(value), 1)
            writer.write(value)
          }
          yield writer.take()
        }
      },
      end: () => {
        if (key !== '') writer.endArray()
        return writer.take()
      },
    }
  },
}

/** A value by itself. */
const toBytes = (value: Value): Uint8Array => {
  const writer = createSmileWriter({ sharedNames: false, sharedStrings: false })
  writer.write(value)
  return writer.take()
}

/** Values that are made in one step. */
const stepValues = 512

async function* readValues(queue: ByteQueue): AsyncGenerator<readonly Value[]> {
  const reader = new SmileRowReader(new Budget('smile', rowLimits))
  let row = 0
  while (await queue.ensure(1)) {
    const values: Value[] = []
    const bytes = queue.view()
    const { offset, isDone } = queue
    let taken: number
    try {
      taken = reader.read(bytes, isDone, value => values.push(toValue(value)) >= stepValues, { row, offset })
    } catch (error) {
      throw rebase(error, offset)
    }
    queue.skip(taken)
    row += values.length
    if (values.length > 0) yield values
    if (taken > 0) continue
    if (isDone) return
    if (queue.available >= rowLimits.bytes.max)
      throw new LimitError('smile', offset, `expected a value of at most ${rowLimits.bytes.max} bytes, found more`)
    await queue.grow()
  }
}

const toValue = (value: Value | SmileColumns): Value =>
  value instanceof SmileColumns
    ? fromMembers(value.names.map((name, i) => [name, toValue(value.values[i] ?? null)] as const))
    : value
