import { Buffer } from 'node:buffer'
import type { ByteQueue } from '../../codecs/byte-queue.ts'
import { FormatError } from '../../errors.ts'
import type { BudgetLimits } from '../../formats/budget.ts'
import { nextTurn } from '../../runtime/next-turn.ts'
import { tooLong } from '../limits.ts'
import type { CsvShape } from './csv-record.ts'

/** Bytes that are looked at in one turn of the event loop. */
const sliceBytes = 256 * 1024

const newline = 0x0a
const carriageReturn = 0x0d

/**
 * Takes one long record, byte by byte and in turns, by the rules of `csv-record.ts`: what the usual way does with parts of
 * text would take many times its length for a record of quotes or delimiters alone.
 * @param most fields that it may have
 * @throws FormatError `csv`: it has too many fields; LimitError it is too long
 */
export const takeLongRecord = async (
  queue: ByteQueue,
  {
    row,
    shape,
    limits,
    most,
  }: { readonly row: number; readonly shape: CsvShape; readonly limits: BudgetLimits; readonly most: number },
): Promise<string[]> => {
  const { offset } = queue
  const end = await findEnd(queue, shape, limits)
  if (end > limits.bytes.max) throw tooLong('csv', row, offset, limits)
  const bytes = queue.take(end)
  let length = bytes.length
  if (bytes[length - 1] === newline) length--
  if (bytes[length - 1] === carriageReturn) length--
  return toFields(bytes.subarray(0, length), shape, offset, most)
}

const codeOf = (character: string): number => (character === '' ? -1 : character.charCodeAt(0))

/** The end of the record, its line break included; any offset beyond the limit for a longer one. */
const findEnd = async (queue: ByteQueue, shape: CsvShape, limits: BudgetLimits): Promise<number> => {
  const field = new Quoting(shape)
  const delimiter = codeOf(shape.delimiter)
  for (let at = 0; ; ) {
    // One more: what follows a quote or a return decides.
    await queue.ensure(at + sliceBytes + 1)
    const bytes = queue.view()
    const isAll = queue.isDone
    const end = isAll ? Math.min(at + sliceBytes, bytes.length) : Math.min(at + sliceBytes, bytes.length - 1)
    while (at < end) {
      const byte = bytes[at]
      if (field.isOpen) at = field.step(bytes, at)
      else if (byte === newline) return at + 1
      else if (byte === carriageReturn) return at + (bytes[at + 1] === newline ? 2 : 1)
      else if (byte === delimiter) {
        field.begin()
        at++
      } else at = field.first(byte, at)
    }
    if (at > limits.bytes.max || (isAll && at >= bytes.length)) {
      if (!field.isOpen) return at
      at = field.giveUp()
    }
    await nextTurn()
  }
}

/** Where in a field the bytes are. */
class Quoting {
  readonly #quote: number
  readonly #delimiter: number
  #isStart = true
  #open = -1
  #isOverLines = false

  constructor(shape: CsvShape) {
    this.#quote = codeOf(shape.quote)
    this.#delimiter = codeOf(shape.delimiter)
  }

  /** Whether it is within quotes. */
  get isOpen(): boolean {
    return this.#open >= 0
  }

  begin(): void {
    this.#isStart = true
  }

  /** Goes over a byte outside of quotes, which may open them. */
  first(byte: number | undefined, at: number): number {
    if (this.#isStart && byte === this.#quote) {
      this.#open = at
      this.#isOverLines = false
    }
    this.#isStart = false
    return at + 1
  }

  /** Goes over a byte within quotes; back to the byte after the opening quote if that was a letter. */
  step(bytes: Uint8Array, at: number): number {
    const byte = bytes[at]
    if (byte === newline || byte === carriageReturn) this.#isOverLines = true
    if (byte !== this.#quote) return at + 1
    const after = bytes[at + 1]
    if (after === this.#quote) return at + 2
    const isEnd = after === undefined || after === this.#delimiter || after === newline || after === carriageReturn
    if (this.#isOverLines && !isEnd) return this.giveUp()
    this.#open = -1
    return at + 1
  }

  /** The quote that opened them was a letter: where to continue. */
  giveUp(): number {
    const at = this.#open + 1
    this.#open = -1
    return at
  }
}

/** The fields of a record, as the usual way gives them. */
const toFields = async (bytes: Buffer, shape: CsvShape, offset: number, most: number): Promise<string[]> => {
  const fields: string[] = []
  const quoting = new Quoting(shape)
  const delimiter = codeOf(shape.delimiter)
  const field = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let at = 0, looked = 0; at <= bytes.length; looked++) {
    const byte = bytes[at]
    if (quoting.isOpen) {
      const next = byte === undefined ? quoting.giveUp() : quoting.step(bytes, at)
      if (next <= at) {
        // The quote was a letter, and the field begins with it.
        field[0] = bytes[next - 1] ?? 0
        length = 1
      } else if (byte !== undefined && (quoting.isOpen || next === at + 2)) field[length++] = byte
      at = next
    } else if (byte === delimiter || byte === undefined) {
      if (fields.push(field.toString('utf8', 0, length)) > most) {
        throw new FormatError('csv', offset, `expected at most ${most} columns, found more`)
      }
      length = 0
      quoting.begin()
      at++
    } else {
      at = quoting.first(byte, at)
      if (!quoting.isOpen) field[length++] = byte
    }
    if (looked % sliceBytes === sliceBytes - 1) await nextTurn()
  }
  return fields
}
