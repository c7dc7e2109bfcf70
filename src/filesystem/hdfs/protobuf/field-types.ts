/** The types of fields that Hadoop's messages have, by their names in `.proto` files. */
import type { ProtobufReader, WireType } from './reader.ts'
import type { ProtobufWriter } from './writer.ts'

/** How a field's value is on the wire. */
export type FieldType<T> = {
  readonly wire: WireType
  read(reader: ProtobufReader): T
  write(writer: ProtobufWriter, value: T): void
}

/** All 64 bits. */
export const uint64: FieldType<bigint> = {
  wire: 0,
  read: reader => reader.varint64(),
  write: (writer, value) => writer.varint64(value),
}

/** With its sign: also for a `uint64` into which Java writes negative numbers. */
export const int64: FieldType<bigint> = {
  wire: 0,
  read: reader => BigInt.asIntN(64, reader.varint64()),
  write: (writer, value) => writer.varint64(value),
}

/** A `uint64` that counts bytes, entries or ms: none beyond 2^53 is taken, so that none is rounded. */
export const count64: FieldType<number> = {
  wire: 0,
  read: reader => reader.varint(),
  write: (writer, value) => writer.varint(value),
}

/** A `uint64` that Java fills with a number that may be negative, a time for example; none beyond 2^53 is taken. */
export const signed64: FieldType<number> = {
  wire: 0,
  read: reader => reader.signedVarint(),
  write: (writer, value) => writer.varint64(BigInt(value)),
}

/** Also of enumerations. */
export const uint32: FieldType<number> = {
  wire: 0,
  read: reader => {
    const value = reader.varint()
    return value < 2 ** 32 ? value : reader.fail('expected a number of 32 bits')
  },
  write: (writer, value) => writer.varint(value),
}

/** Zigzag: numbers near zero are short whatever their sign. */
export const sint32: FieldType<number> = {
  wire: 0,
  read: reader => {
    const value = uint32.read(reader)
    return (value >>> 1) ^ -(value & 1)
  },
  write: (writer, value) => writer.varint(((value << 1) ^ (value >> 31)) >>> 0),
}

/** Zigzag; none beyond 2^53. */
export const sint64: FieldType<number> = {
  wire: 0,
  read: reader => {
    const value = reader.varint()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  },
  write: (writer, value) => writer.varint(value < 0 ? -2 * value - 1 : 2 * value),
}

export const bool: FieldType<boolean> = {
  wire: 0,
  read: reader => reader.isNonZero(),
  write: (writer, value) => writer.varint(value ? 1 : 0),
}

export const sfixed32: FieldType<number> = {
  wire: 5,
  read: reader => reader.fixed32(),
  write: (writer, value) => writer.fixed32(value),
}

/** None beyond 2^53. */
export const sfixed64: FieldType<number> = {
  wire: 1,
  read: reader => reader.fixed64(),
  write: (writer, value) => writer.fixed64(BigInt(value)),
}

export const string: FieldType<string> = {
  wire: 2,
  read: reader => {
    const length = reader.varint()
    const start = reader.skip(length)
    return reader.bytes.toString('utf8', start, start + length)
  },
  write: (writer, value) => writer.delimited(Buffer.from(value)),
}

/** Not copied: they live as long as the whole message. */
export const bytes: FieldType<Buffer> = {
  wire: 2,
  read: reader => reader.delimited(),
  write: (writer, value) => writer.delimited(value),
}
