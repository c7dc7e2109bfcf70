import { Budget } from '../budget.ts'
import { setMember } from '../members.ts'
import { maxDepth, type Value } from '../number.ts'
import { SmileInput } from './input.ts'
import { ReadTable, type SavedTable } from './read-table.ts'
import { readScalar } from './scalars.ts'
import { flags, header, tokens } from './tokens.ts'

/** Limits of reading; a breach is a FormatError. */
export type SmileReadOptions = {
  /** Levels of arrays and objects. @default 1000 */
  readonly maxDepth?: number
  /** Bytes of one name. @default 65536 */
  readonly maxNameBytes?: number
  /**
   * Characters that references to names beyond 64 characters may expand to, all together: at a few bytes each, they
   * would otherwise grow without bound in a copy without references, JSON for example. @default 134217728
   */
  readonly maxExpandedLength?: number
  /** Counts values, and the bytes of names, texts and binary; refilled by the caller. @default nothing is too much */
  readonly budget?: Budget
}

const defaultMaxNameBytes = 65_536
const defaultMaxExpandedLength = 134_217_728
/** What a name takes at most without being a long one. */
const shortNameLength = 64

/** A place that a cursor can go back to. */
export type SmilePlace = {
  readonly position: number
  readonly names: SavedTable
  readonly strings: SavedTable
  readonly rawBinary: boolean
}

/** Walks over Smile documents: first the place, then the value there. */
export class SmileCursor {
  #input: SmileInput
  readonly #budget: Budget
  readonly #maxDepth: number
  readonly #maxNameBytes: number
  readonly #maxExpandedLength: number
  #expandable: number
  readonly #names = new ReadTable('name', true)
  readonly #strings = new ReadTable('string', false)
  #rawBinary = false

  constructor(bytes: Uint8Array, options: SmileReadOptions = {}) {
    this.#budget = options.budget ?? new Budget('smile')
    this.#input = new SmileInput(bytes, this.#budget)
    this.#maxDepth = options.maxDepth ?? maxDepth
    this.#maxNameBytes = options.maxNameBytes ?? defaultMaxNameBytes
    this.#maxExpandedLength = options.maxExpandedLength ?? defaultMaxExpandedLength
    this.#expandable = this.#maxExpandedLength
  }

  /** Where the next byte is read. */
  get position(): number {
    return this.#input.position
  }

  /** Continues in other bytes, from their start, with the tables as they are. */
  continueIn(bytes: Uint8Array): void {
    this.#input = new SmileInput(bytes, this.#budget)
  }

  /** Marks the place here; from here on references to long names may use their whole limit again. */
  mark(): SmilePlace {
    this.#expandable = this.#maxExpandedLength
    const { position } = this.#input
    return { position, names: this.#names.save(), strings: this.#strings.save(), rawBinary: this.#rawBinary }
  }

  /** Goes back to a place in the same bytes. */
  goBack({ position, names, strings, rawBinary }: SmilePlace): void {
    this.#input.position = position
    this.#names.restore(names)
    this.#strings.restore(strings)
    this.#rawBinary = rawBinary
  }

  /** Moves to the next root value over headers and end markers; false at the end of the bytes. */
  nextRoot(): boolean {
    const input = this.#input
    while (input.position < input.bytes.length) {
      const token = input.bytes[input.position]
      if (token === tokens.header) this.#header()
      else if (token === tokens.endOfContent) this.#endOfContent()
      else return true
    }
    return false
  }

  /** Steps into an array, if there is one here. */
  enterArray(): boolean {
    return this.#enter(tokens.startArray)
  }

  /** Steps into an object, if there is one here. */
  enterObject(): boolean {
    return this.#enter(tokens.startObject)
  }

  /** Reads the next name of the object that was entered; undefined after its end. */
  nextName(): string | undefined {
    const token = this.#input.byte()
    return token === tokens.endObject ? undefined : this.#name(token)
  }

  /** Moves to the next element of the array that was entered, or past its end (false). */
  nextElement(): boolean {
    const input = this.#input
    while (input.bytes[input.position] === tokens.header) this.#header()
    if (input.byte() === tokens.endArray) return false
    input.position -= 1
    return true
  }

  /** Goes over the value here, which is not an array or object, without building it where it may be long. */
  skipScalar(): void {
    const token = this.#input.bytes[this.#input.position]
    switch (token) {
      case tokens.longAscii:
      case tokens.longUnicode:
        this.#input.position++
        this.#input.skipText()
        break
      case tokens.binary:
      case tokens.rawBinary:
        this.#input.position++
        this.#input.skipBinary(token === tokens.binary)
        break
      default:
        this.value()
    }
  }

  /** Reads the value here. @param depth levels that are open around it */
  value(depth = 0): Value {
    const input = this.#input
    this.#budget.value()
    const token = input.byte()
    switch (token >> 5) {
      case 0:
        if (token === 0) break
        return this.#sharedString(token - 1)
      case 1:
        return this.#scalar(token)
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

  #enter(token: number): boolean {
    const input = this.#input
    if (input.bytes[input.position] !== token) return false
    input.position += 1
    return true
  }

  #scalar(token: number): Value {
    const value = readScalar(this.#input, token)
    if (value === undefined) throw this.#unexpected('a value', token)
    return value
  }

  #structure(token: number, depth: number): Value {
    const input = this.#input
    switch (token) {
      case tokens.startObject:
        return this.#object(this.#deeper(depth))
      case tokens.startArray:
        return this.#array(this.#deeper(depth))
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
        if (token < 0xec || token > 0xef) throw this.#unexpected('a value', token)
        return this.#sharedString(((token & 3) << 8) + input.byte())
    }
  }

  #object(depth: number): { [key: string]: Value } {
    const object: { [key: string]: Value } = {}
    for (;;) {
      const name = this.nextName()
      if (name === undefined) return object
      setMember(object, name, this.value(depth))
    }
  }

  #array(depth: number): Value[] {
    const array: Value[] = []
    while (this.nextElement()) array.push(this.value(depth))
    return array
  }

  #name(token: number): string {
    const input = this.#input
    switch (token >> 6) {
      case 0:
        if (token === tokens.empty) return ''
        if (token === tokens.longName) return this.#names.add(input.long(false, this.#maxNameBytes))
        if (token >= 0x30 && token < 0x34) return this.#sharedName(((token & 3) << 8) + input.byte())
        break
      case 1:
        return this.#sharedName(token & 0x3f)
      case 2:
        return this.#names.add(input.ascii(token - 0x7f))
      default:
        if (token < 0xf8) return this.#names.add(input.utf8(token - 0xbe))
    }
    throw this.#unexpected('a name or the end of the object', token)
  }

  #sharedName(index: number): string {
    const name = this.#names.get(index)
    if (name === undefined) throw this.#input.error(this.#names.complaint(index))
    this.#budget.bytes(name.length)
    if (name.length > shortNameLength) {
      this.#expandable -= name.length
      if (this.#expandable < 0) throw this.#input.error('references to long names stand for more text than is allowed')
    }
    return name
  }

  #sharedString(index: number): string {
    const text = this.#strings.get(index)
    if (text === undefined) throw this.#input.error(this.#strings.complaint(index))
    this.#budget.bytes(text.length)
    return text
  }

  #header(): void {
    const input = this.#input
    const start = input.position
    for (const expected of header) {
      if (input.byte() !== expected) throw input.error('expected the header 3A 29 0A', start)
    }
    const byte = input.byte()
    if (byte >= 0x10) throw input.error(`version ${byte >> 4}, only version 0 is known`, start)
    this.#names.restart((byte & flags.sharedNames) !== 0)
    this.#strings.restart((byte & flags.sharedStrings) !== 0)
    this.#rawBinary = (byte & flags.rawBinary) !== 0
  }

  #endOfContent(): void {
    this.#input.position += 1
    this.#names.restart(true)
    this.#strings.restart(false)
    this.#rawBinary = false
  }

  #deeper(depth: number): number {
    if (depth < this.#maxDepth) return depth + 1
    throw this.#input.error(`nested deeper than ${this.#maxDepth} levels`, this.#input.position - 1)
  }

  #unexpected(expected: string, token: number): Error {
    const found = token.toString(16).toUpperCase().padStart(2, '0')
    return this.#input.error(`expected ${expected}, found ${found}`, this.#input.position - 1)
  }
}
