import { Buffer } from 'node:buffer'
import { isObject, toKey } from '../members.ts'
import type { Value } from '../number.ts'
import { ByteSink } from '../parquet/write/byte-sink.ts'
import type { AvroSchema } from './schema.ts'

/** Integers up to here can be doubled without loss. */
const maxPlain = 2 ** 52

/** Writes values in Avro's binary encoding, whose layout is in `reader.ts`, one after another. */
export class AvroWriter {
  readonly #sink = new ByteSink()

  /**
   * A value; a record is an object, whose members that are missing are null.
   * @throws TypeError a value that is not of the schema, or of a schema that is only read: a union of several types
   */
  value(schema: AvroSchema, value: Value | undefined): void {
    switch (schema.type) {
      case 'null':
        if (value !== null && value !== undefined) throw mismatch(schema, value)
        return
      case 'boolean':
        if (typeof value !== 'boolean') throw mismatch(schema, value)
        this.#sink.byte(value ? 1 : 0)
        return
      case 'int':
      case 'long':
        if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) throw mismatch(schema, value)
        this.long(value as number | bigint)
        return
      case 'float': {
        const bytes = Buffer.alloc(4)
        bytes.writeFloatLE(Number(value))
        this.#sink.append(bytes)
        return
      }
      case 'enum': {
        const index = typeof value === 'string' ? schema.symbols.indexOf(value) : -1
        if (index < 0) throw mismatch(schema, value)
        this.long(index)
        return
      }
      case 'double': {
        const bytes = Buffer.alloc(8)
        bytes.writeDoubleLE(Number(value))
        this.#sink.append(bytes)
        return
      }
      case 'string':
        if (typeof value !== 'string') throw mismatch(schema, value)
        this.#prefixed(Buffer.from(value))
        return
      case 'bytes':
        if (!(value instanceof Uint8Array)) throw mismatch(schema, value)
        this.#prefixed(value)
        return
      case 'fixed':
        if (!(value instanceof Uint8Array) || value.length !== schema.size) throw mismatch(schema, value)
        this.#sink.append(value)
        return
      case 'array':
        if (!Array.isArray(value)) throw mismatch(schema, value)
        this.#block(value, item => this.value(schema.items, item))
        return
      case 'map':
        if (!isObject(value)) throw mismatch(schema, value)
        this.#block(Object.entries(value), ([key, item]) => {
          this.#prefixed(Buffer.from(key))
          this.value(schema.items, item)
        })
        return
      case 'record':
        if (!isObject(value)) throw mismatch(schema, value)
        for (const [i, field] of schema.fields.entries()) this.value(field, value[toKey(schema.names[i] ?? '')])
        return
      case 'union':
        this.#union(schema.branches, value)
        return
    }
  }

  long(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0 && value < maxPlain) this.#sink.varint(2 * value)
    else if (typeof value === 'number' && value < 0 && value > -maxPlain) this.#sink.varint(-2 * value - 1)
    else this.#bigVarint(BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n)))
  }

  finish(): Buffer {
    return Buffer.from(this.#sink.view())
  }

  #union(branches: readonly AvroSchema[], value: Value | undefined): void {
    const isNull = value === null || value === undefined
    const index = branches.findIndex(({ type }) => (type === 'null') === isNull)
    const branch = branches[index]
    if (branch === undefined || branches.length > 2)
      throw new TypeError(`Avro: a union of ${branches.length} types cannot be written`)
    this.long(index)
    this.value(branch, value)
  }

  #block<T>(items: readonly T[], each: (item: T) => void): void {
    if (items.length > 0) {
      this.long(items.length)
      for (const item of items) each(item)
    }
    this.long(0)
  }

  #prefixed(bytes: Uint8Array): void {
    this.long(bytes.length)
    this.#sink.append(bytes)
  }

  #bigVarint(value: bigint): void {
    let rest = value
    for (; rest > 0x7fn; rest >>= 7n) this.#sink.byte(Number(rest & 0x7fn) | 0x80)
    this.#sink.byte(Number(rest))
  }
}

const mismatch = ({ type }: AvroSchema, value: unknown): TypeError =>
  new TypeError(`Avro: a value of ${value === null ? 'null' : typeof value} cannot be written as ${type}`)
