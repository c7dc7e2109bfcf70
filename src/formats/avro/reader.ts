/**
 * Avro's binary encoding (specification 1.12):
 *
 *     int, long       zigzag, 7 bits a byte, least significant first       boolean   1        null   nothing
 *     float, double   4, 8 bytes, little-endian                            enum      int: index of the symbol
 *     bytes, string   long length, bytes (UTF-8)                           fixed     bytes
 *     array, map      ( long count item* )* 00; a negative count is followed by the long size of its items
 *     union           long index, value                                    record    its fields
 */

import type { Buffer } from 'node:buffer'
import { FormatError } from '../../errors.ts'
import type { Budget } from '../budget.ts'
import { setMember } from '../members.ts'
import { Decimal, Float32, maxDepth, maxIntegerBytes, toDouble, toInteger, type Value } from '../number.ts'
import { fromTwosComplement } from '../twos-complement.ts'
import type { AvroSchema } from './schema.ts'

/** Reads values one after another. Every method throws FormatError `avro` at damage, and LimitError over the budget. */
export class AvroReader {
  readonly #bytes: Buffer
  readonly #budget: Budget
  position = 0
  /** Whether the last failure was that the bytes end: more of them may be all that is missing. */
  isCut = false

  /** @param budget refilled by the caller for each row: without it a count could stand for any number of values */
  constructor(bytes: Buffer, budget: Budget) {
    this.#bytes = bytes
    this.#budget = budget
  }

  /** A value; a record is an object. */
  value(schema: AvroSchema, depth = 0): Value {
    this.#budget.value()
    switch (schema.type) {
      case 'null':
        return null
      case 'boolean':
        return this.#bytes[this.#take(1)] === 1
      case 'int':
      case 'long':
        return this.long()
      case 'float':
        return new Float32(this.#bytes.readFloatLE(this.#take(4)))
      case 'double':
        return toDouble(this.#bytes.readDoubleLE(this.#take(8)))
      case 'string':
        return this.text()
      case 'bytes':
        return this.#binary(this.#length(), schema.scale)
      case 'fixed':
        return this.#binary(schema.size, schema.scale)
      case 'enum': {
        const symbol = schema.symbols[this.#index()]
        if (symbol === undefined) throw this.#fault(`expected one of ${schema.symbols.length} symbols`)
        return symbol
      }
      case 'union': {
        const branch = schema.branches[this.#index()]
        if (branch === undefined) throw this.#fault(`expected one of ${schema.branches.length} branches`)
        return this.value(branch, this.#deeper(depth))
      }
      case 'array': {
        const array: Value[] = []
        this.#blocks(() => array.push(this.value(schema.items, this.#deeper(depth))))
        return array
      }
      case 'map': {
        const map: { [key: string]: Value } = {}
        this.#blocks(() => {
          const key = this.text()
          setMember(map, key, this.value(schema.items, this.#deeper(depth)))
        })
        return map
      }
      case 'record': {
        const record: { [key: string]: Value } = {}
        for (const [i, field] of schema.fields.entries()) {
          setMember(record, schema.names[i] ?? '', this.value(field, this.#deeper(depth)))
        }
        return record
      }
    }
  }

  /** The values of a record's fields, in their order. */
  fields(schema: Extract<AvroSchema, { type: 'record' }>): Value[] {
    this.#budget.value()
    const values: Value[] = []
    for (const field of schema.fields) values.push(this.value(field, 1))
    return values
  }

  long(): number | bigint {
    const start = this.position
    let value = 0
    for (let shift = 1; ; shift *= 128) {
      const byte = this.#bytes[this.#take(1)] ?? 0
      value += (byte & 0x7f) * shift
      if (byte < 0x80) break
      // Six bytes are exact in a double; what is longer is read again.
      if (shift >= 128 ** 5) return this.#bigLong(start)
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  text(): string {
    const length = this.#length()
    const start = this.#take(length)
    this.#budget.bytes(length)
    return this.#bytes.toString('utf8', start, start + length)
  }

  #bigLong(start: number): number | bigint {
    this.position = start
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#bytes[this.#take(1)] ?? 0
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) break
      if (shift >= 63n) throw this.#fault('expected a long of at most 10 bytes')
    }
    return toInteger(BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n)))
  }

  #blocks(item: () => void): void {
    for (;;) {
      let count = Number(this.long())
      if (count === 0) return
      if (count < 0) {
        count = -count
        this.long()
      }
      for (let i = 0; i < count; i++) item()
    }
  }

  #binary(length: number, scale: number | undefined): Value {
    const start = this.#take(length)
    this.#budget.bytes(length)
    const bytes = this.#bytes.subarray(start, start + length)
    if (scale === undefined || length === 0 || length > maxIntegerBytes) return new Uint8Array(bytes)
    return new Decimal(fromTwosComplement(bytes), scale)
  }

  #length(): number {
    const length = this.#index()
    if (length > this.#bytes.length - this.position) {
      this.isCut = true
      throw this.#fault(`expected a length of at most ${this.#bytes.length - this.position}, found ${length}`)
    }
    return length
  }

  #index(): number {
    const index = this.long()
    if (typeof index === 'number' && index >= 0) return index
    throw this.#fault(`expected a number from 0, found ${index}`)
  }

  #take(size: number): number {
    const start = this.position
    if (size > this.#bytes.length - start) {
      this.isCut = true
      throw this.#fault(`expected ${size} more bytes, found ${this.#bytes.length - start}`)
    }
    this.position = start + size
    return start
  }

  #deeper(depth: number): number {
    if (depth < maxDepth) return depth + 1
    throw this.#fault(`nested deeper than ${maxDepth} levels`)
  }

  #fault(message: string): FormatError {
    return new FormatError('avro', this.position, message)
  }
}
