/**
 * Smile documents that arrive piece by piece, read as rows: names and values beside one another instead of objects, so
 * that rows of one shape share their names. The layout is in `smile/tokens.ts`.
 *
 * An element is read in one go from the bytes at hand. When they end within it, the tables go back to where they were,
 * and the element is read again with more bytes.
 */
import { FormatError } from '../errors.ts'
import { toDouble, toInteger } from './exact.ts'
import { Decimal, Float32, maxDepth, type Value } from './number.ts'
import { SmileInput } from './smile/input.ts'
import { flags, header, maxShared, tokens } from './smile/tokens.ts'

/** An object as columns; `names` may be shared with other ones. */
export class SmileColumns {
  readonly names: readonly string[]
  readonly values: readonly (Value | SmileColumns)[]

  constructor(names: readonly string[], values: readonly (Value | SmileColumns)[]) {
    this.names = names
    this.values = values
  }
}

/** Longest name in bytes. */
const maxNameBytes = 65_536

/** Characters that references to long names may stand for within one element: they would grow without bound. */
const maxExpandedLength = 16 * 1024 * 1024
const shortNameLength = 64

/** Reads elements (those of arrays at the root, and other values at the root) from windows of the bytes. */
export class SmileRowReader {
  readonly #names = new Table('name', true)
  readonly #strings = new Table('string', false)
  #rawBinary = false
  #isInArray = false
  #input = new SmileInput(new Uint8Array(0))
  #expandable = maxExpandedLength
  /** Names of the last object at each of the two levels that become columns. */
  readonly #shapes: (readonly string[])[] = [[], []]

  /**
   * Reads elements from `bytes` on, at most `most`, into `elements`; returns how many bytes they took. With less than
   * one whole element it is 0, unless there was only a header or an end.
   * @param isLast whether nothing follows these bytes: then an element that they end in is damage
   * @throws FormatError `smile` with the offset in `bytes`, after `elements` has what stands before
   */
  read(bytes: Uint8Array, isLast: boolean, elements: (Value | SmileColumns)[], most: number): number {
    const input = new SmileInput(bytes)
    this.#input = input
    for (let done = 0; done < most; ) {
      const start = input.position
      const saved = [this.#names.save(), this.#strings.save()] as const
      const wasRaw = this.#rawBinary
      const wasInArray = this.#isInArray
      this.#expandable = maxExpandedLength
      try {
        if (!this.#next()) break
        elements.push(this.#columns(this.#isInArray ? 1 : 0, 0))
        done += 1
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        const isCut = error.offset >= bytes.length
        if (!isCut || isLast) throw error
        this.#names.restore(saved[0])
        this.#strings.restore(saved[1])
        this.#rawBinary = wasRaw
        this.#isInArray = wasInArray
        input.position = start
        break
      }
    }
    return input.position
  }

  /** Moves to the next element; false at the end of the bytes, outside of an array. */
  #next(): boolean {
    const input = this.#input
    for (;;) {
      if (input.position >= input.bytes.length) {
        if (this.#isInArray) throw input.truncated()
        return false
      }
      const token = input.bytes[input.position]
      if (token === tokens.header) this.#header()
      else if (this.#isInArray) {
        if (token !== tokens.endArray) return true
        input.position += 1
        this.#isInArray = false
      } else if (token === tokens.endOfContent) {
        input.position += 1
        this.#restart(0)
        this.#names.restart(true)
      } else if (token === tokens.startArray) {
        input.position += 1
        this.#isInArray = true
      } else return true
    }
  }

  /** An object as columns, down to the payload of an envelope; any other value as it is. */
  #columns(depth: number, level: number): Value | SmileColumns {
    const input = this.#input
    if (level > 1 || input.bytes[input.position] !== tokens.startObject) return this.#value(depth)
    input.position += 1
    const shape = this.#shapes[level] ?? []
    let names: string[] | undefined
    const values: (Value | SmileColumns)[] = []
    for (let i = 0; ; i++) {
      const token = input.byte()
      if (token === tokens.endObject) break
      const name = this.#name(token)
      if (names) names.push(name)
      else if (name !== shape[i]) names = [...shape.slice(0, i), name]
      values.push(name === 'payload' ? this.#columns(depth + 1, level + 1) : this.#value(depth + 1))
    }
    if (names === undefined && values.length < shape.length) names = shape.slice(0, values.length)
    if (names) this.#shapes[level] = names
    return new SmileColumns(names ?? shape, values)
  }

  #value(depth: number): Value {
    const input = this.#input
    const token = input.byte()
    switch (token >> 5) {
      case 0:
        if (token === 0) break
        return this.#strings.get(token - 1, input)
      case 1:
        return this.#simple(token)
      case 2:
      case 3:
        return this.#strings.add(input.ascii(token - 0x3f))
      case 4:
      case 5:
        return this.#strings.add(input.utf8(token - 0x7e))
      case 6:
        return ((token & 0x1f) >>> 1) ^ -(token & 1)
      default:
        return this.#structure(token, depth)
    }
    throw this.#unexpected('a value', token)
  }

  #simple(token: number): Value {
    const input = this.#input
    switch (token) {
      case tokens.empty:
        return ''
      case tokens.null:
        return null
      case tokens.false:
        return false
      case tokens.true:
        return true
      case tokens.int32:
        return input.int32()
      case tokens.int64:
        return input.int64()
      case tokens.bigInteger:
        return toInteger(input.bigInteger())
      case tokens.float:
        return new Float32(input.float())
      case tokens.double:
        return toDouble(input.double())
      case tokens.decimal: {
        const scale = input.int32()
        return new Decimal(input.bigInteger(), scale)
      }
      default:
        throw this.#unexpected('a value', token)
    }
  }

  #structure(token: number, depth: number): Value {
    const input = this.#input
    if (token === tokens.startObject || token === tokens.startArray) {
      if (depth >= maxDepth) throw input.error(`nested deeper than ${maxDepth} levels`, input.position - 1)
      return token === tokens.startObject ? this.#object(depth + 1) : this.#array(depth + 1)
    }
    if (token >= 0xec && token <= 0xef) return this.#strings.get(((token & 3) << 8) + input.byte(), input)
    switch (token) {
      case tokens.longAscii:
        return input.long(true, Number.POSITIVE_INFINITY)
      case tokens.longUnicode:
        return input.long(false, Number.POSITIVE_INFINITY)
      case tokens.binary:
        return input.binary(true)
      case tokens.rawBinary:
        if (!this.#rawBinary) throw input.error('raw binary, which the header does not announce', input.position - 1)
        return input.binary(false)
      default:
        throw this.#unexpected('a value', token)
    }
  }

  #object(depth: number): { [key: string]: Value } {
    const object: { [key: string]: Value } = {}
    for (;;) {
      const token = this.#input.byte()
      if (token === tokens.endObject) return object
      const name = this.#name(token)
      const value = this.#value(depth)
      if (name === '__proto__') {
        Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
      } else object[name] = value
    }
  }

  #array(depth: number): Value[] {
    const array: Value[] = []
    for (;;) {
      const token = this.#input.byte()
      if (token === tokens.endArray) return array
      this.#input.position -= 1
      array.push(this.#value(depth))
    }
  }

  #name(token: number): string {
    const input = this.#input
    switch (token >> 6) {
      case 0:
        if (token === tokens.empty) return ''
        if (token === tokens.longName) return this.#names.add(input.long(false, maxNameBytes))
        if (token >= 0x30 && token < 0x34) return this.#shared(((token & 3) << 8) + input.byte())
        break
      case 1:
        return this.#shared(token & 0x3f)
      case 2:
        return this.#names.add(input.ascii(token - 0x7f))
      default:
        if (token < 0xf8) return this.#names.add(input.utf8(token - 0xbe))
    }
    throw this.#unexpected('a name or the end of the object', token)
  }

  #shared(index: number): string {
    const name = this.#names.get(index, this.#input)
    if (name.length > shortNameLength) {
      this.#expandable -= name.length
      if (this.#expandable < 0) throw this.#input.error('references to long names stand for more text than is allowed')
    }
    return name
  }

  #header(): void {
    const input = this.#input
    const start = input.position
    for (const expected of header) if (input.byte() !== expected) throw input.error('expected the header', start)
    const byte = input.byte()
    if (byte >= 0x10) throw input.error(`version ${byte >> 4}, only version 0 is known`, start)
    this.#restart(byte)
  }

  #restart(bits: number): void {
    this.#names.restart((bits & flags.sharedNames) !== 0)
    this.#strings.restart((bits & flags.sharedStrings) !== 0)
    this.#rawBinary = (bits & flags.rawBinary) !== 0
  }

  #unexpected(expected: string, token: number): FormatError {
    const found = token.toString(16).toUpperCase().padStart(2, '0')
    return this.#input.error(`expected ${expected}, found ${found}`, this.#input.position - 1)
  }
}

type Saved = { readonly texts: string[]; readonly length: number; readonly isShared: boolean }

/** A table of shared names or strings that can go back to an earlier state at no cost. */
class Table {
  readonly #what: string
  #texts: string[] = []
  #isShared: boolean

  constructor(what: string, isShared: boolean) {
    this.#what = what
    this.#isShared = isShared
  }

  save(): Saved {
    return { texts: this.#texts, length: this.#texts.length, isShared: this.#isShared }
  }

  restore({ texts, length, isShared }: Saved): void {
    texts.length = length
    this.#texts = texts
    this.#isShared = isShared
  }

  /** Begins another list: the one before may have been saved. */
  restart(isShared: boolean): void {
    this.#texts = []
    this.#isShared = isShared
  }

  add(text: string): string {
    if (!this.#isShared) return text
    if (this.#texts.length === maxShared) this.#texts = []
    this.#texts.push(text)
    return text
  }

  get(index: number, input: SmileInput): string {
    const text = this.#texts[index]
    if (text !== undefined) return text
    const why = this.#isShared ? `the table has ${this.#texts.length} entries` : 'the header says that none are shared'
    throw input.error(`a reference to ${this.#what} ${index}, but ${why},`, input.position - 1)
  }
}
