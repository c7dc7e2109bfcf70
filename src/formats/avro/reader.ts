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
import type { Budget } from '../budget.ts'
import { ByteReader } from '../byte-reader.ts'
import { toIsoDate, toIsoTimeOfDay, toIsoTimestamp } from '../iso-time.ts'
import { setMember } from '../members.ts'
import { Decimal, Float32, maxDepth, maxIntegerBytes, toDouble, type Value } from '../number.ts'
import { fromTwosComplement } from '../twos-complement.ts'
import { formatUuid } from '../uuid.ts'
import type { AvroSchema, AvroTime } from './schema.ts'

/** Reads values one after another. Every method throws FormatError `avro` at damage, and LimitError over the budget. */
export class AvroReader extends ByteReader {
  readonly #bytes: Buffer
  readonly #budget: Budget

  /** @param budget refilled by the caller for each row: without it a count could claim any number of values */
  constructor(bytes: Buffer, budget: Budget) {
    super(bytes, 'avro')
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
        return this.#bytes[this.take(1)] === 1
      case 'int':
      case 'long':
        return toShown(this.zigzag(), schema.time)
      case 'float':
        return new Float32(this.#bytes.readFloatLE(this.take(4)))
      case 'double':
        return toDouble(this.#bytes.readDoubleLE(this.take(8)))
      case 'string':
        return this.text()
      case 'bytes':
        return this.#binary(this.#length(), schema.scale)
      case 'fixed':
        return schema.isUuid ? this.#uuid(schema.size) : this.#binary(schema.size, schema.scale)
      case 'enum': {
        const symbol = schema.symbols[this.#index()]
        if (symbol === undefined) throw this.fault(`expected one of ${schema.symbols.length} symbols`)
        return symbol
      }
      case 'union': {
        const branch = schema.branches[this.#index()]
        if (branch === undefined) throw this.fault(`expected one of ${schema.branches.length} branches`)
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

  text(): string {
    const length = this.#length()
    const start = this.take(length)
    this.#budget.bytes(length)
    return this.#bytes.toString('utf8', start, start + length)
  }

  #blocks(item: () => void): void {
    for (;;) {
      let count = Number(this.zigzag())
      if (count === 0) return
      if (count < 0) {
        count = -count
        this.zigzag()
      }
      for (let i = 0; i < count; i++) item()
    }
  }

  #binary(length: number, scale: number | undefined): Value {
    const start = this.take(length)
    this.#budget.bytes(length)
    const bytes = this.#bytes.subarray(start, start + length)
    if (scale === undefined || length === 0 || length > maxIntegerBytes) return new Uint8Array(bytes)
    return new Decimal(fromTwosComplement(bytes), scale)
  }

  #uuid(size: number): string {
    const start = this.take(size)
    this.#budget.bytes(size)
    return formatUuid(this.#bytes.toString('hex', start, start + size))
  }

  #length(): number {
    const length = this.#index()
    if (length > this.#bytes.length - this.position) {
      this.isCut = true
      throw this.fault(`expected a length of at most ${this.#bytes.length - this.position}, found ${length}`)
    }
    return length
  }

  #index(): number {
    const index = this.zigzag()
    if (typeof index === 'number' && index >= 0) return index
    throw this.fault(`expected a number from 0, found ${index}`)
  }

  #deeper(depth: number): number {
    if (depth < maxDepth) return depth + 1
    throw this.fault(`nested deeper than ${maxDepth} levels`)
  }
}

/** An integer, or the time that it means. */
const toShown = (count: number | bigint, time: AvroTime | undefined): Value => {
  switch (time?.kind) {
    case undefined:
      return count
    case 'date':
      return toIsoDate(Number(count))
    case 'time':
      return toIsoTimeOfDay(count, time.digits) ?? count
    case 'timestamp':
      return toIsoTimestamp(count, time.digits)
  }
}
