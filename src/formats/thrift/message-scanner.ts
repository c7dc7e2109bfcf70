import { FormatError } from '../../errors.ts'
import { checkNameLength, checkVersion } from './message.ts'
import { maxSkipDepth } from './reader.ts'
import { fixedBytes, thriftType, toTypeName } from './types.ts'

/**
 * Finds the end of a message of unknown length (layout: a header as in `message.ts`, then one struct as in
 * `reader.ts`), as its bytes arrive: what was looked at is not looked at again, and nothing is kept but the state.
 */
export class MessageScanner {
  readonly #maxBytes: number
  /** Structs and containers that are open, the innermost last. */
  readonly #open: Level[] = []
  /** What the next bytes are: some to pass over, then some to gather into `#value`, which decides the step. */
  #step: Step = 'version'
  #skip = 0
  #take = 4
  #value = 0
  /** Bytes so far and bytes announced. */
  #size = 4
  /** Types of the container that is being opened. */
  #types: number[] = []

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /**
   * Takes the next bytes of the message, from `start` on. Returns the offset after its last byte, or undefined when it
   * continues in later bytes.
   * @throws FormatError `thrift`: more than `maxBytes`, too deep, an unknown type or version; its offset counts from
   *   the start of the message
   */
  feed(bytes: Uint8Array, start = 0): number | undefined {
    let at = start
    for (;;) {
      const passed = Math.min(this.#skip, bytes.length - at)
      this.#skip -= passed
      at += passed
      if (this.#skip > 0) return undefined
      for (; this.#take > 0; this.#take--) {
        const byte = bytes[at]
        if (byte === undefined) return undefined
        this.#value = (this.#value << 8) | byte
        at++
      }
      if (this.#act()) return at
    }
  }

  /** Does the step for which the bytes are together; true at the end of the message. */
  #act(): boolean {
    const value = this.#value
    switch (this.#step) {
      case 'version':
        if (value < 0) {
          checkVersion(value, 0)
          this.#expect('name', 4)
        } else this.#openStruct(value, 5)
        return false
      case 'name':
        this.#openStruct(value, 4)
        return false
      case 'field':
        if (value === thriftType.stop) {
          this.#open.pop()
          return this.#next()
        }
        this.#pass(2)
        return !this.#begin(value) && this.#next()
      case 'length':
        if (value < 0) throw this.#error(`expected a length, found ${value}`)
        this.#pass(value)
        return this.#next()
      case 'keyType':
        this.#types.push(value)
        this.#expect('elementType', 1)
        return false
      case 'elementType':
        this.#types.push(value)
        this.#expect('count', 4)
        return false
      case 'count':
        this.#openContainer(value)
        return this.#next()
    }
  }

  /** Continues in the innermost struct or container, and closes what is done; true when nothing is open. */
  #next(): boolean {
    for (let level = this.#open.at(-1); level !== undefined; level = this.#open.at(-1)) {
      if (level.types === undefined) {
        this.#expect('field', 1)
        return false
      }
      if (level.left === 0) this.#open.pop()
      else {
        const type = level.types[level.left-- % level.types.length]
        if (this.#begin(type ?? 0)) return false
      }
    }
    return true
  }

  /** Begins a value; false when its type alone says all about its length. */
  #begin(type: number): boolean {
    const size = fixedBytes(type)
    if (size > 0) {
      this.#pass(size)
      return false
    }
    switch (type) {
      case thriftType.string:
        this.#expect('length', 4)
        return true
      case thriftType.struct:
        this.#push(aStruct)
        this.#expect('field', 1)
        return true
      case thriftType.map:
        this.#types = []
        this.#expect('keyType', 1)
        return true
      case thriftType.list:
      case thriftType.set:
        this.#types = []
        this.#expect('elementType', 1)
        return true
      default:
        throw this.#error(`expected a value of a known type, found ${toTypeName(type)}`)
    }
  }

  /** The struct of the message, after its name and `more` bytes. */
  #openStruct(nameLength: number, more: number): void {
    checkNameLength(nameLength, this.#size - 4)
    this.#pass(nameLength + more)
    this.#push(aStruct)
    this.#expect('field', 1)
  }

  #openContainer(count: number): void {
    const types = this.#types
    if (count < 0) throw this.#error(`expected a count, found ${count}`)
    const sizes = types.map(fixedBytes)
    // Of values whose types do not say their length, each is at least a byte: the size bounds the loop over them.
    if (sizes.includes(0)) this.#push({ types, left: count * types.length })
    else this.#pass(count * sizes.reduce((sum, size) => sum + size))
  }

  #push(level: Level): void {
    if (this.#open.length > maxSkipDepth) throw this.#error(`nested deeper than ${maxSkipDepth} levels`)
    this.#open.push(level)
  }

  #expect(step: Step, bytes: number): void {
    this.#step = step
    this.#take = bytes
    this.#value = 0
    this.#grow(bytes)
  }

  #pass(bytes: number): void {
    this.#skip += bytes
    this.#grow(bytes)
  }

  #grow(bytes: number): void {
    this.#size += bytes
    if (this.#size > this.#maxBytes)
      throw this.#error(`expected a message of at most ${this.#maxBytes} bytes, found more`)
  }

  #error(message: string): FormatError {
    return new FormatError('thrift', this.#size, message)
  }
}

/** A struct, or a container with the types of its values in turn (of a map: value and key) and how many are left. */
type Level = { readonly types: readonly number[] | undefined; left: number }

/** All structs are alike, and there may be millions of them. */
const aStruct: Level = { types: undefined, left: 0 }

type Step = 'version' | 'name' | 'field' | 'length' | 'keyType' | 'elementType' | 'count'
