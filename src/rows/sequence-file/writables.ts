/**
 * Hadoop's Writables, as values of sequence files; numbers are big-endian.
 *
 *     Text            vint length, UTF-8        BytesWritable   length:4 bytes        UTF8   length:2 bytes
 *     IntWritable     4   LongWritable   8      ShortWritable   2   ByteWritable  1   BooleanWritable   1
 *     FloatWritable   4   DoubleWritable 8      VIntWritable, VLongWritable  vint     NullWritable      nothing
 */
import type { Buffer } from 'node:buffer'
import { FormatError } from '../../errors.ts'
import { toJavaDouble, toJavaFloat } from '../../formats/java-text.ts'
import { Float32, type Float64, toDouble, toInteger, type Value } from '../../formats/number.ts'
import { readVint } from '../../formats/sequence-file/vint.ts'

/** How values of one class are read. */
export type Writable = {
  /** The value of all of `bytes`. @throws FormatError malformed bytes */
  read(bytes: Buffer): Value
  /** Java's `toString` of it. */
  toText(value: Value): string
}

const number = (size: number, read: (bytes: Buffer) => Value): Writable => ({
  read(bytes) {
    if (bytes.length === size) return read(bytes)
    throw fault(`expected ${size} bytes, found ${bytes.length}`)
  },
  toText: String,
})

const text: Writable = {
  read(bytes) {
    // A length below 128 is one byte.
    const first = bytes[0] ?? 0
    if (first < 0x80 && first === bytes.length - 1) return bytes.toString('utf8', 1)
    const { value: length, end } = readVint(bytes, 0)
    if (length !== bytes.length - end) throw fault(`expected a text of ${bytes.length - end} bytes, found ${length}`)
    return bytes.toString('utf8', end)
  },
  toText: String,
}

const io = 'org.apache.hadoop.io.'
const ning = 'com.ning.metrics.serialization.thrift.hadoop.'

/** By class name. */
export const writables: ReadonlyMap<string, Writable> = new Map<string, Writable>([
  [`${io}Text`, text],
  [`${io}BytesWritable`, { read: readBytes, toText: toHexPairs }],
  [`${io}UTF8`, { read: readShortText, toText: String }],
  [`${io}IntWritable`, number(4, bytes => bytes.readInt32BE())],
  [`${io}LongWritable`, number(8, bytes => toInteger(bytes.readBigInt64BE()))],
  [`${io}ShortWritable`, number(2, bytes => bytes.readInt16BE())],
  [`${io}ByteWritable`, number(1, bytes => bytes.readInt8())],
  [`${io}BooleanWritable`, number(1, bytes => bytes[0] !== 0)],
  [
    `${io}FloatWritable`,
    { ...number(4, bytes => new Float32(bytes.readFloatBE())), toText: value => toJavaFloat(toNumber(value)) },
  ],
  [
    `${io}DoubleWritable`,
    { ...number(8, bytes => toDouble(bytes.readDoubleBE())), toText: value => toJavaDouble(toNumber(value)) },
  ],
  [`${io}VIntWritable`, { read: readVlong, toText: String }],
  [`${io}VLongWritable`, { read: readVlong, toText: String }],
  [`${io}NullWritable`, { ...number(0, () => null), toText: () => '(null)' }],
  [`${io}MD5Hash`, number(16, bytes => bytes.toString('hex'))],
  ...[`${ning}TBooleanWritable`, 'com.ning.serialization.TBooleanWritable'].map(
    name => [name, number(5, bytes => bytes[3] === 1)] as const,
  ),
])

function readBytes(bytes: Buffer): Value {
  if (bytes.length >= 4 && bytes.readInt32BE() === bytes.length - 4) return new Uint8Array(bytes.subarray(4))
  throw fault(`expected a length and as many bytes, found ${bytes.length} bytes in all`)
}

function readShortText(bytes: Buffer): Value {
  if (bytes.length >= 2 && bytes.readUInt16BE() === bytes.length - 2) return bytes.toString('utf8', 2)
  throw fault(`expected a length and as many bytes, found ${bytes.length} bytes in all`)
}

function readVlong(bytes: Buffer): Value {
  const first = bytes.length > 0 ? bytes.readInt8() : 0
  const size = first >= -112 ? 0 : first < -120 ? -120 - first : -112 - first
  if (bytes.length !== size + 1) throw fault(`expected a vint, found ${bytes.length} bytes`)
  if (size === 0) return first
  let value = 0n
  for (let i = 1; i <= size; i++) value = (value << 8n) | BigInt(bytes[i] ?? 0)
  return toInteger(BigInt.asIntN(64, first < -120 ? ~value : value))
}

function toHexPairs(value: Value): string {
  const pairs: string[] = []
  if (value instanceof Uint8Array) for (const byte of value) pairs.push(byte.toString(16).padStart(2, '0'))
  return pairs.join(' ')
}

const toNumber = (value: Value): number => Number(value as number | Float32 | Float64)

const fault = (message: string): FormatError => new FormatError('writable', 0, message)
