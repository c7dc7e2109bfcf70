/**
 * Puts the members of a payload from its bytes into columns, without making values of them: texts without escapes, numbers
 * of up to 15 digits, true and false, and lists of such texts. Whatever else there is becomes a value first, as everywhere.
 */
import { Buffer } from 'node:buffer'
import { parseJson } from '../../formats/json.ts'
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  minus,
  openBrace,
  openBracket,
  quoteByte,
} from '../../formats/json-grammar.ts'
import type { Value } from '../../formats/number.ts'
import { isList, type Kind } from '../../formats/parquet/kind.ts'
import type { LeafColumn } from '../../formats/parquet/write/leaf-column.ts'
import { TextStore } from '../../formats/parquet/write/text-store.ts'
import { DoubleStore, LongStore } from '../../formats/parquet/write/value-store.ts'
import type { HeldPayload } from './held-events.ts'

/** A column that members of one name go to. */
export type MemberColumn = {
  readonly name: Buffer
  readonly kind: Kind
  readonly leaf: LeafColumn | undefined
  /** Whether it is the name of the date, which the event's head has: the same date is skipped. */
  readonly isDate: boolean
}

export type PayloadReaderOptions = {
  readonly columns: ReadonlyMap<string, MemberColumn>
  /** Takes what has to be a value first. */
  readonly put: (name: string, value: Value) => void
}

/** A class, for it is used for each row. */
export class PayloadReader {
  readonly #options: PayloadReaderOptions
  /** The columns of the members of the row before, in their order: those of the next one are mostly the same. */
  readonly #before: (MemberColumn | undefined)[] = []
  #bytes: Buffer = Buffer.alloc(0)
  #row = 0
  #date = 0
  /** Of a number: its value, and whether it is whole. */
  #value = 0
  #isWhole = false

  constructor(options: PayloadReaderOptions) {
    this.#options = options
  }

  /**
   * @param payload a well-formed object, in which no name has an escape or occurs twice
   * @param row number of the row in its group
   * @throws FormatError where a member is not JSON
   */
  read({ bytes, start, end, date }: HeldPayload, row: number): void {
    this.#bytes = bytes
    this.#row = row
    this.#date = date
    let member = 0
    for (let at = start + 1; at < end; ) {
      const byte = bytes[at] as number
      if (byte !== quoteByte) {
        at++
        continue
      }
      const nameStart = at + 1
      const nameEnd = bytes.indexOf(quoteByte, nameStart)
      const column = this.#find(member++, nameStart, nameEnd)
      at = nameEnd + 1
      while (isGap(bytes[at] as number)) at++
      at = this.#readValue(column, at, nameStart, nameEnd)
    }
  }

  #find(member: number, start: number, end: number): MemberColumn | undefined {
    const likely = this.#before[member]
    if (likely && isName(this.#bytes, start, end, likely.name)) return likely
    const found = this.#options.columns.get(this.#bytes.toString('utf8', start, end))
    this.#before[member] = found
    return found
  }

  /** @returns where it ends */
  #readValue(column: MemberColumn | undefined, at: number, nameStart: number, nameEnd: number): number {
    const bytes = this.#bytes
    const { kind, leaf, isDate } = column ?? noColumn
    const first = bytes[at]
    if (isDate) {
      const end = this.#scanNumber(at)
      if (end >= 0 && this.#isWhole && this.#value === this.#date) return end
    } else if (leaf !== undefined) {
      let end = -1
      if (first === quoteByte) {
        if (kind === 'text') end = this.#readText(leaf, at + 1)
      } else if (first === openBracket) {
        if (isList(kind) && kind.list === 'text') end = this.#readTexts(leaf, at + 1)
      } else if (kind === 'double' || kind === 'integer') end = this.#readNumber(leaf, kind, at)
      else if (kind === 'boolean' && (first === letterT || first === letterF)) {
        end = first === letterT ? at + 4 : at + 5
        this.#add(leaf, 0)
        leaf.values.add(first === letterT)
      }
      if (end >= 0) return end
    }
    const end = valueEnd(bytes, at)
    const name = bytes.toString('utf8', nameStart, nameEnd)
    this.#options.put(name, parseJson(bytes.toString('utf8', at, end)))
    return end
  }

  /** Of all that these methods read: -1 where it has to become a value. */
  #readText(leaf: LeafColumn, start: number): number {
    const end = plainTextEnd(this.#bytes, start)
    if (end < 0 || !(leaf.values instanceof TextStore)) return -1
    this.#add(leaf, 0)
    leaf.values.addUtf8(this.#bytes, start, end)
    return end + 1
  }

  #readTexts(leaf: LeafColumn, start: number): number {
    const bytes = this.#bytes
    const { values } = leaf
    if (!(values instanceof TextStore)) return -1
    let listEnd = start
    for (; bytes[listEnd] !== closeBracket; listEnd++) {
      if (isGap(bytes[listEnd] as number)) continue
      if (bytes[listEnd] !== quoteByte) return -1
      listEnd = plainTextEnd(bytes, listEnd + 1)
      if (listEnd < 0) return -1
    }
    let count = 0
    for (let at = start; at < listEnd; at++) {
      if (bytes[at] !== quoteByte) continue
      const end = plainTextEnd(bytes, at + 1)
      this.#add(leaf, count++ === 0 ? 0 : 1)
      values.addUtf8(bytes, at + 1, end)
      at = end
    }
    // A list that is there and has no elements.
    if (count === 0) {
      leaf.fillUpTo(this.#row)
      leaf.level(0, 1)
    }
    return listEnd + 1
  }

  #readNumber(leaf: LeafColumn, kind: 'double' | 'integer', at: number): number {
    const end = this.#scanNumber(at)
    if (end < 0 || (kind === 'integer' && !this.#isWhole)) return -1
    const { values } = leaf
    if (values instanceof DoubleStore || values instanceof LongStore) {
      this.#add(leaf, 0)
      values.addNumber(this.#value)
      return end
    }
    return -1
  }

  /** So few digits are a double's integer, and one such divided by a power of ten is the double that the text names. */
  #scanNumber(start: number): number {
    const bytes = this.#bytes
    const isNegative = bytes[start] === minus
    const first = isNegative ? start + 1 : start
    let at = first
    let value = 0
    let scale = 0
    let digit = (bytes[at] as number) - zero
    for (; digit >= 0 && digit <= 9; digit = (bytes[++at] as number) - zero) value = value * 10 + digit
    const whole = at - first
    if (bytes[at] === point) {
      digit = (bytes[++at] as number) - zero
      for (; digit >= 0 && digit <= 9; digit = (bytes[++at] as number) - zero) {
        value = value * 10 + digit
        scale++
      }
    }
    const next = bytes[at] as number
    if (whole === 0 || whole + scale > maxDigits || (next | 0x20) === letterE) return -1
    if (isNegative && value === 0) return -1
    this.#isWhole = scale === 0
    const size = scale === 0 ? value : value / (powers[scale] as number)
    this.#value = isNegative ? -size : size
    return at
  }

  /** A value follows. */
  #add(leaf: LeafColumn, repetition: number): void {
    leaf.fillUpTo(this.#row)
    leaf.present(repetition)
  }
}

const noColumn = { kind: 'json', leaf: undefined, isDate: false } as const

const maxDigits = 15
const powers = Array.from({ length: maxDigits + 1 }, (_, exponent) => 10 ** exponent)

/** The closing quote of a text of ASCII without escapes; -1 for others. */
const plainTextEnd = (bytes: Uint8Array, start: number): number => {
  let at = start
  for (let byte = bytes[at]; byte !== quoteByte; byte = bytes[++at]) {
    if (byte === backslash || byte === undefined || byte > 0x7f) return -1
  }
  return at
}

/** Where a value ends, whatever it is. */
const valueEnd = (bytes: Uint8Array, start: number): number => {
  let depth = 0
  let at = start
  for (; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quoteByte) {
      for (at++; at < bytes.length && bytes[at] !== quoteByte; at++) if (bytes[at] === backslash) at++
      if (depth === 0) return at + 1
    } else if (byte === openBrace || byte === openBracket) depth++
    else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return at
      if (--depth === 0) return at + 1
    } else if (byte === comma && depth === 0) return at
  }
  return at
}

const isName = (bytes: Uint8Array, start: number, end: number, name: Uint8Array): boolean => {
  if (end - start !== name.length) return false
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false
  return true
}

/** White space, colons and commas: the bytes between names and values. */
const isGap = (byte: number): boolean =>
  byte === 0x20 || byte === comma || byte === colon || byte === 0x0a || byte === 0x0d || byte === 0x09

const point = 0x2e
const zero = 0x30
const letterE = 0x65
const letterF = 0x66
const letterT = 0x74
