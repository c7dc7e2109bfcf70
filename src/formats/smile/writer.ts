import { FormatError } from '../../errors.ts'
import { toName } from '../members.ts'
import { Decimal, Float32, Float64, maxDepth, maxIntegerBytes, type Value } from '../number.ts'
import { toTwosComplement } from '../twos-complement.ts'
import { SmileOutput } from './output.ts'
import { TextWriter } from './text-writer.ts'
import { flags, header, tokens } from './tokens.ts'

/** What the header announces. */
export type SmileWriteOptions = {
  /** @default true */
  readonly sharedNames?: boolean
  /** @default true */
  readonly sharedStrings?: boolean
  /** Binary as it is, not 7 bits a byte. @default false */
  readonly rawBinary?: boolean
}

/** Writes Smile documents, byte for byte as Jackson (2.7 and later) does. */
export type SmileWriter = {
  /** Opens an array around the values that follow. */
  startArray(): void
  endArray(): void
  /**
   * Appends a value: whole, or not at all when it throws.
   * @throws FormatError what Smile cannot hold: a lone surrogate, an integer of more than 4096 bytes, more than 1000
   *   levels
   * @throws TypeError anything but a {@link Value}
   */
  write(value: Value): void
  /** The bytes written since the last call, which are no longer kept; references to them remain valid. */
  take(): Uint8Array
  /** Bytes that {@link SmileWriter.take} would give. */
  readonly byteLength: number
}

export const createSmileWriter = (options: SmileWriteOptions = {}): SmileWriter => new Writer(options)

class Writer implements SmileWriter {
  readonly #out = new SmileOutput()
  readonly #texts: TextWriter
  readonly #rawBinary: boolean
  #openArrays = 0

  constructor({ sharedNames = true, sharedStrings = true, rawBinary = false }: SmileWriteOptions) {
    this.#texts = new TextWriter(this.#out, sharedNames, sharedStrings)
    this.#rawBinary = rawBinary
    this.#out.raw(header)
    this.#out.byte(
      (sharedNames ? flags.sharedNames : 0) |
        (sharedStrings ? flags.sharedStrings : 0) |
        (rawBinary ? flags.rawBinary : 0),
    )
  }

  get byteLength(): number {
    return this.#out.length
  }

  startArray(): void {
    this.#openArrays += 1
    this.#out.reserve(1)
    this.#out.byte(tokens.startArray)
  }

  endArray(): void {
    if (this.#openArrays === 0) throw new TypeError('Cannot end an array: none is open')
    this.#openArrays -= 1
    this.#out.reserve(1)
    this.#out.byte(tokens.endArray)
  }

  write(value: Value): void {
    const start = this.#out.length
    this.#texts.mark()
    try {
      this.#value(value, this.#openArrays)
    } catch (error) {
      this.#out.length = start
      this.#texts.rollback()
      throw error
    }
  }

  take(): Uint8Array {
    const taken = new Uint8Array(this.#out.bytes.subarray(0, this.#out.length))
    this.#out.length = 0
    return taken
  }

  #value(value: Value, depth: number): void {
    switch (typeof value) {
      case 'string':
        this.#texts.value(value)
        break
      case 'number':
        this.#number(value)
        break
      case 'boolean':
        this.#token(value ? tokens.true : tokens.false)
        break
      case 'bigint':
        this.#bigint(value)
        break
      case 'object':
        this.#object(value, depth)
        break
      default:
        throw new TypeError(`Cannot write ${typeof value} as Smile: it is not a value`)
    }
  }

  #object(value: Exclude<Value, string | number | boolean | bigint>, depth: number): void {
    if (value === null) this.#token(tokens.null)
    else if (Array.isArray(value)) {
      this.#token(tokens.startArray, this.#check(depth))
      for (const element of value) this.#value(element, depth + 1)
      this.#token(tokens.endArray)
    } else if (value instanceof Float64) this.#double(value.value)
    else if (value instanceof Float32) {
      this.#token(tokens.float, 5)
      this.#out.float(value.value)
    } else if (value instanceof Decimal) {
      this.#token(tokens.decimal, 5)
      this.#out.int32(value.scale)
      this.#packedInteger(value.unscaled)
    } else if (value instanceof Uint8Array) this.#binary(value)
    else {
      this.#token(tokens.startObject, this.#check(depth))
      for (const key of Object.keys(value)) {
        this.#texts.name(toName(key))
        this.#value(value[key] as Value, depth + 1)
      }
      this.#token(tokens.endObject)
    }
  }

  /** A token, with room for it and what follows. */
  #token(token: number, more = 0): void {
    this.#out.reserve(1 + more)
    this.#out.byte(token)
  }

  #number(value: number): void {
    if ((value | 0) === value) {
      if (value >= -16 && value <= 15) this.#token(0xc0 + ((value << 1) ^ (value >> 31)))
      else {
        this.#token(tokens.int32, 5)
        this.#out.int32(value)
      }
    } else if (Number.isSafeInteger(value)) {
      this.#token(tokens.int64, 10)
      this.#out.int64(Math.floor(value / 2 ** 32), (value % 2 ** 32) | 0)
    } else this.#double(value)
  }

  #bigint(value: bigint): void {
    if (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER) this.#number(Number(value))
    else if (BigInt.asIntN(64, value) === value) {
      this.#token(tokens.int64, 10)
      this.#out.int64(Number(value >> 32n), Number(BigInt.asIntN(32, value)))
    } else {
      this.#token(tokens.bigInteger)
      this.#packedInteger(value)
    }
  }

  #double(value: number): void {
    this.#token(tokens.double, 10)
    this.#out.double(value)
  }

  #packedInteger(value: bigint): void {
    const bytes = toTwosComplement(value)
    if (bytes.length > maxIntegerBytes)
      throw this.#unwritable(`an integer of ${bytes.length} bytes, at most ${maxIntegerBytes} are allowed`)
    this.#out.reserve(9)
    this.#out.packed(bytes)
  }

  #binary(value: Uint8Array): void {
    this.#token(this.#rawBinary ? tokens.rawBinary : tokens.binary, 9 + (this.#rawBinary ? value.length : 0))
    if (this.#rawBinary) {
      this.#out.vint(value.length)
      this.#out.raw(value)
    } else this.#out.packed(value)
  }

  #check(depth: number): number {
    if (depth >= maxDepth) throw this.#unwritable(`more than ${maxDepth} levels of nesting`)
    return 0
  }

  #unwritable(what: string): FormatError {
    return new FormatError('smile', this.#out.length, `cannot write ${what},`)
  }
}
