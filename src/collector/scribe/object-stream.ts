import { FormatError } from '../../errors.ts'
import { readEnvelope } from '../../formats/thrift/envelope.ts'
import { readRecords } from '../../formats/thrift/envelope-stream.ts'
import { ThriftReader } from '../../formats/thrift/reader.ts'
import { type Granularity, granularities } from '../../spool/batch.ts'
import { parseGranularity } from '../../spool/bucket.ts'

/** An event that brought its own name, date and granularity. */
export type EnvelopeEvent = {
  readonly typeName: string
  readonly name: string
  /** ms since the epoch; not checked. */
  readonly date: number
  readonly granularity: Granularity
  /** A field list; not checked. */
  readonly payload: Uint8Array
}

/**
 * An event as old clients wrote it into a Java object stream:
 *
 *     aced 0005                   magic and version
 *     (77 n:1 | 7a n:4) n bytes   block data, in pieces; put together:
 *         length:4
 *         date:8 n:4 granularity envelope     a record of `envelope-stream.ts` without its separator, or
 *         date:8 envelope                     older: the granularity follows as a Java enum,
 *     7e … 74 n:2 name            whose constant's name is the last thing in the stream
 *
 * Undefined when the bytes are something else, damaged included.
 */
export const readObjectStream = (bytes: Uint8Array): EnvelopeEvent | undefined => {
  if (!isObjectStream(bytes)) return undefined
  try {
    const { data, end } = readBlocks(bytes)
    const event = new ThriftReader(data).binary()
    return readRecord(event) ?? readOldRecord(event, bytes.subarray(end))
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

const magic = [0xac, 0xed, 0x00, 0x05] as const
const blockData = 0x77
const longBlockData = 0x7a

const isObjectStream = (bytes: Uint8Array): boolean => magic.every((byte, i) => bytes[i] === byte)

const readBlocks = (bytes: Uint8Array): { readonly data: Uint8Array; readonly end: number } => {
  const blocks: Uint8Array[] = []
  let at: number = magic.length
  for (;;) {
    const tag = bytes[at]
    if (tag === blockData) {
      const end = at + 2 + (bytes[at + 1] ?? 0)
      blocks.push(bytes.subarray(at + 2, end))
      at = end
    } else if (tag === longBlockData) {
      const reader = new ThriftReader(bytes, at + 1)
      blocks.push(reader.binary())
      at = reader.offset
    } else return { data: Buffer.concat(blocks), end: Math.min(at, bytes.length) }
  }
}

const readRecord = (event: Uint8Array): EnvelopeEvent | undefined => {
  try {
    const [record] = readRecords(Buffer.concat([separator, event]))
    const granularity = record && parseGranularity(record.granularity)
    return record && granularity ? { ...record, granularity } : undefined
  } catch (error) {
    // The older form has no granularity there, and its length makes no sense.
    if (error instanceof FormatError) return undefined
    throw error
  }
}

const separator = Uint8Array.of(0x0a)

const readOldRecord = (event: Uint8Array, rest: Uint8Array): EnvelopeEvent => {
  const reader = new ThriftReader(event)
  const date = Number(reader.i64())
  const tail = Buffer.from(rest).toString('latin1')
  const granularity = granularities.find(name => tail.endsWith(name)) ?? 'HOURLY'
  return { ...readEnvelope(reader), date, granularity }
}
