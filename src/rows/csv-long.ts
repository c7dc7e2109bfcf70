import { Buffer } from 'node:buffer'
import type { ByteQueue } from '../codecs/byte-queue.ts'
import { FormatError } from '../errors.ts'
import type { BudgetLimits } from '../formats/budget.ts'
import { nextTurn } from '../next-turn.ts'
import { tooLong } from './limits.ts'

/** Bytes that are looked at in one turn of the event loop. */
const sliceBytes = 256 * 1024

const quote = 0x22
const comma = 0x2c
const newline = 0x0a
const carriageReturn = 0x0d

/**
 * Takes one long record, byte by byte and in turns: what the usual way does with patterns and parts of text would take
 * many times its length for a record of quotes or commas alone.
 * @param most fields that it may have
 * @throws FormatError `csv`: it ends within quotes, or has too many fields; LimitError it is too long
 */
export const takeLongRecord = async (
  queue: ByteQueue,
  row: number,
  limits: BudgetLimits,
  most: number,
): Promise<string[]> => {
  const { offset } = queue
  const bytes = queue.take(await findEnd(queue, row, limits))
  let length = bytes.length
  if (bytes[length - 1] === newline) length--
  if (bytes[length - 1] === carriageReturn && length < bytes.length) length--
  return toFields(bytes.subarray(0, length), offset, most)
}

const findEnd = async (queue: ByteQueue, row: number, limits: BudgetLimits): Promise<number> => {
  let isOpen = false
  for (let at = 0; ; ) {
    await queue.ensure(at + sliceBytes)
    const bytes = queue.view()
    const end = Math.min(at + sliceBytes, bytes.length)
    for (; at < end; at++) {
      const byte = bytes[at]
      if (byte === quote) isOpen = !isOpen
      else if (byte === newline && !isOpen) break
    }
    if (at > limits.bytes.max) throw tooLong('csv', row, queue.offset, limits)
    if (at < end) return at + 1
    if (queue.isDone && at === bytes.length) {
      if (!isOpen) return at
      throw new FormatError('csv', queue.offset, 'expected the closing quote of a field, found the end')
    }
    await nextTurn()
  }
}

/** The fields of a record, as the usual way gives them. */
const toFields = async (bytes: Buffer, offset: number, most: number): Promise<string[]> => {
  const fields: string[] = []
  const field = Buffer.allocUnsafe(bytes.length)
  let length = 0
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start'
  for (let at = 0; at <= bytes.length; at++) {
    const byte = bytes[at]
    if ((byte === comma && state !== 'quoted') || byte === undefined) {
      if (fields.push(field.toString('utf8', 0, length)) > most) {
        throw new FormatError('csv', offset, `expected at most ${most} columns, found more`)
      }
      length = 0
      state = 'start'
    } else if (byte === quote && state === 'start') state = 'quoted'
    else if (byte === quote && state === 'quoted') {
      if (bytes[at + 1] === quote) field[length++] = bytes[++at] ?? 0
      else state = 'closed'
    } else {
      field[length++] = byte
      if (state === 'start') state = 'plain'
    }
    if (at % sliceBytes === sliceBytes - 1) await nextTurn()
  }
  return fields
}
