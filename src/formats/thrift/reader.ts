import { FormatError } from '../../errors.ts'
import { fixedBytes, thriftType, toTypeName } from './types.ts'

/** How deep {@link ThriftReader.skip} follows structs and containers within one another. */
export const maxSkipDepth = 64

/**
 * A cursor over bytes in Thrift's binary protocol, struct level: no message header.
 *
 *     struct    (type:1 id:2 value)* 00      bool 1 byte (01 is true), byte 1, i16 2, i32 4, i64 8, double 8 (IEEE 754)
 *     binary    length:4 bytes               list, set   type:1 count:4 element*
 *     map       keyType:1 valueType:1 count:4 (key value)*
 *
 * No length or count is believed: each is checked against the bytes that are left before anything is made of it.
 * Every method throws FormatError `thrift` with the offset in `bytes` where the value begins.
 */
export class ThriftReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #end: number
  #at: number

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    if (start < 0 || end < start || end > bytes.length) {
      throw new RangeError(`Cannot read bytes ${start} to ${end}: there are ${bytes.length}`)
    }
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = start
    this.#end = end
  }

  /** Offset of the next byte. */
  get offset(): number {
    return this.#at
  }

  /** How many bytes are left. */
  get left(): number {
    return this.#end - this.#at
  }

  /** The type of the next field; 0 is the end of the struct. After any other the id follows, an i16. */
  fieldType(): number {
    return this.#view.getUint8(this.#take(1, 'a field type or the end of the struct'))
  }

  bool(): boolean {
    return this.#view.getInt8(this.#take(1, 'a bool')) === 1
  }

  byte(): number {
    return this.#view.getInt8(this.#take(1, 'a byte'))
  }

  i16(): number {
    return this.#view.getInt16(this.#take(2, 'an i16'))
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4, 'an i32'))
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.#take(8, 'an i64'))
  }

  double(): number {
    return this.#view.getFloat64(this.#take(8, 'a double'))
  }

  /** A length and as many bytes; the result is a view of the input, not a copy. */
  binary(): Uint8Array {
    const end = this.#binaryEnd()
    const start = this.#at
    this.#at = end
    return this.#bytes.subarray(start, end)
  }

  /** Goes over a value of any type that is not known to the caller, at most {@link maxSkipDepth} levels deep. */
  skip(type: number): void {
    this.#skip(type, 0)
  }

  #skip(type: number, depth: number): void {
    const size = fixedBytes(type)
    if (size > 0) {
      this.#take(size, toTypeName(type))
      return
    }
    if (depth > maxSkipDepth) throw this.#error(`nested deeper than ${maxSkipDepth} levels`, this.#at)
    switch (type) {
      case thriftType.string:
        this.#at = this.#binaryEnd()
        return
      case thriftType.struct:
        for (let field = this.fieldType(); field !== thriftType.stop; field = this.fieldType()) {
          this.i16()
          this.#skip(field, depth + 1)
        }
        return
      case thriftType.list:
      case thriftType.set:
        this.#skipElements([this.fieldType()], depth)
        return
      case thriftType.map:
        this.#skipElements([this.fieldType(), this.fieldType()], depth)
        return
      default:
        throw this.#error(`expected a value of a known type, found ${toTypeName(type)}`, this.#at)
    }
  }

  /** A count, and then as many elements, each made of one value of each type. */
  #skipElements(types: readonly number[], depth: number): void {
    const at = this.#at
    const count = this.i32()
    if (count === 0) return
    const least = types.reduce((sum, type) => sum + leastBytes(type), 0)
    if (count < 0 || count * least > this.left) {
      throw this.#error(
        `expected at most ${Math.floor(this.left / least)} elements in what is left, found ${count}`,
        at,
      )
    }
    if (types.every(type => fixedBytes(type) > 0)) {
      this.#take(count * least, 'elements')
      return
    }
    // Every element takes a byte or more, so the count check above bounds this loop by the input.
    for (let i = 0; i < count; i++) for (const type of types) this.#skip(type, depth + 1)
  }

  /** Reads the length of a binary value and returns where it ends. */
  #binaryEnd(): number {
    const at = this.#at
    const length = this.i32()
    if (length < 0 || length > this.left) {
      throw this.#error(`expected a length of at most the ${this.left} bytes left, found ${length}`, at)
    }
    return this.#at + length
  }

  #take(size: number, what: string): number {
    const at = this.#at
    if (size > this.#end - at) {
      throw this.#error(`expected ${what} of ${size} byte${size === 1 ? '' : 's'}, found ${this.left}`, at)
    }
    this.#at = at + size
    return at
  }

  #error(message: string, at: number): FormatError {
    return new FormatError('thrift', at, message)
  }
}

/** The fewest bytes that a value of a type can take; unknown types are refused when they are met. */
const leastBytes = (type: number): number => Math.max(fixedBytes(type), type === thriftType.string ? 4 : 1)
