/**
 * Avro object container files (specification 1.12):
 *
 *     4f 62 6a 01 metadata sync:16          metadata: a map of bytes; avro.schema, avro.codec
 *     ( long count, long size, bytes, sync:16 )*
 */
import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { inflateRawSync, zstdDecompressSync } from 'node:zlib'
import { FormatError, LimitError } from '../../errors.ts'
import { Budget, type BudgetLimits } from '../budget.ts'
import { isObject, setMember } from '../members.ts'
import type { Value } from '../number.ts'
import { toBuffer } from '../to-buffer.ts'
import { AvroReader } from './reader.ts'
import { type AvroSchema, parseAvroSchema } from './schema.ts'
import { AvroWriter } from './writer.ts'

const magic = Buffer.from('Obj\u0001')
const syncBytes = 16

/** Longest metadata. */
export const maxAvroHeaderBytes = 1024 * 1024

const headerLimits: BudgetLimits = { of: 'header', values: { max: 1_000 }, bytes: { max: maxAvroHeaderBytes } }

export type AvroHeader = {
  readonly metadata: ReadonlyMap<string, string>
  readonly sync: Buffer
  /** Where the first block begins. */
  readonly end: number
}

/** Reads what a file begins with. @throws FormatError `avro` */
export const readAvroHeader = (bytes: Buffer): AvroHeader => {
  const reader = new AvroReader(bytes.subarray(magic.length), new Budget('avro', headerLimits))
  const found = reader.value({ type: 'map', items: { type: 'bytes' } })
  const end = magic.length + reader.position + syncBytes
  if (end > bytes.length) throw fault(bytes.length, 'expected a header, found the end')
  const metadata = new Map<string, string>()
  for (const [name, value] of Object.entries(isObject(found) ? found : {}))
    if (value instanceof Uint8Array) metadata.set(name, toBuffer(value).toString('utf8'))
  return { metadata, sync: bytes.subarray(end - syncBytes, end), end }
}

export type AvroFile = { readonly metadata: ReadonlyMap<string, string>; readonly records: readonly Value[] }

/**
 * Reads a whole file into memory, with integers as stored, even those that mean times.
 * @param limits of all of it
 * @throws FormatError `avro` damage, or a codec other than null, deflate and zstandard; LimitError over the limits
 */
export const readAvroFile = (bytes: Buffer, limits: BudgetLimits): AvroFile => {
  if (!bytes.subarray(0, magic.length).equals(magic)) throw fault(0, "expected an Avro file, which begins with 'Obj' 1")
  const { metadata, sync, end } = readAvroHeader(bytes)
  const schema = parseAvroSchema(withoutLogicalTypes(metadata.get('avro.schema') ?? ''))
  const unfold = toUnfold(metadata.get('avro.codec') ?? 'null')
  let room = limits.bytes.max
  const budget = new Budget('avro', limits)
  budget.refill(0, 0)
  const records: Value[] = []
  for (let offset = end; offset < bytes.length; ) {
    const head = new AvroReader(bytes.subarray(offset), new Budget('avro'))
    const [count, size] = [Number(head.zigzag()), Number(head.zigzag())]
    const start = offset + head.position
    if (count < 0 || size < 0 || start + size + syncBytes > bytes.length)
      throw fault(offset, `expected a block of ${size} bytes, found the end at ${bytes.length}`)
    const block = toBuffer(unfold(bytes.subarray(start, start + size), offset, Math.max(1, room)))
    room -= block.length
    if (room < 0)
      throw new LimitError('avro', offset, `expected blocks of at most ${limits.bytes.max} bytes, found more`)
    const reader = new AvroReader(block, budget)
    for (let i = 0; i < count; i++) records.push(reader.value(schema))
    offset = start + size + syncBytes
    if (!bytes.subarray(offset - syncBytes, offset).equals(sync))
      throw fault(offset - syncBytes, "expected the file's sync mark")
  }
  return { metadata, records }
}

/** Writes a file of one block, without compression. @param sync marks the end of the block */
export const writeAvroFile = (
  schemaJson: { readonly [name: string]: unknown },
  metadata: Readonly<Record<string, string>>,
  records: readonly Value[],
  sync: Buffer = randomBytes(syncBytes),
): Buffer => {
  const text = JSON.stringify(schemaJson)
  const schema: AvroSchema = parseAvroSchema(withoutLogicalTypes(text))
  const header = new AvroWriter()
  const all: { [name: string]: Value } = {}
  for (const [name, value] of Object.entries({ 'avro.schema': text, 'avro.codec': 'null', ...metadata }))
    setMember(all, name, Buffer.from(value))
  header.value({ type: 'map', items: { type: 'bytes' } }, all)
  if (records.length === 0) return Buffer.concat([magic, header.finish(), sync])
  const body = new AvroWriter()
  for (const record of records) body.value(schema, record)
  const block = body.finish()
  const counts = new AvroWriter()
  counts.long(records.length)
  counts.long(block.length)
  return Buffer.concat([magic, header.finish(), sync, counts.finish(), block, sync])
}

const withoutLogicalTypes = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text, (name, value: unknown) => (name === 'logicalType' ? undefined : value)))
  } catch (cause) {
    throw new FormatError('avro schema', 0, 'expected JSON', { cause })
  }
}

const toUnfold = (codec: string): ((bytes: Buffer, offset: number, maxOutputLength: number) => Uint8Array) => {
  if (codec === 'null') return bytes => bytes
  const inflate = codec === 'deflate' ? inflateRawSync : codec === 'zstandard' ? zstdDecompressSync : undefined
  if (!inflate) throw fault(0, `expected the codec null, deflate or zstandard, found ${codec.slice(0, 100)}`)
  return (bytes, offset, maxOutputLength) => {
    try {
      return inflate(bytes, { maxOutputLength })
    } catch (cause) {
      throw fault(offset, `expected a block that can be decompressed: ${(cause as Error).message}`, cause)
    }
  }
}

const fault = (at: number, message: string, cause?: unknown): FormatError =>
  new FormatError('avro', at, message, cause === undefined ? {} : { cause })
