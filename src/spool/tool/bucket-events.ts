import { type CodecName, outputCodecs } from '../../codecs/codecs.ts'
import { FormatError } from '../../errors.ts'
import { parseJson, stringifyJson } from '../../formats/json.ts'
import type { Value } from '../../formats/number.ts'
import { classNames } from '../../formats/sequence-file/layout.ts'
import { readSequenceFile, readSequenceFileHeader } from '../../formats/sequence-file/reader.ts'
import { readSmileElements } from '../../formats/smile/reader.ts'
import { decodeEnvelope } from '../../formats/thrift/envelope.ts'
import { readRecords, type ThriftRecord } from '../../formats/thrift/envelope-stream.ts'
import { parseTableDirectory } from '../bucket.ts'
import type { DecodedEvent } from '../events/decode-events.ts'
import { createEncoder } from '../events/encoders.ts'
import type { BucketFile } from '../files/bucket-file.ts'
import { type FoundRow, readRows } from '../parquet/read-rows.ts'

/** Most bytes that one bucket file may unfold into. */
const maxUnpackedBytes = 2 ** 30

/** The events of a bucket file as JSON lines `{"eventName", "payload"}`, without line ends. @throws FormatError */
export async function* bucketLines(
  bytes: Uint8Array,
  file: Pick<BucketFile, 'directory' | 'format' | 'codec' | 'kind' | 'eventName'>,
): AsyncGenerator<string> {
  if (file.format === 'parquet') {
    for await (const row of bucketRows(bytes, file)) yield stringifyJson(row)
    return
  }
  const raw = unpack(bytes, file.codec)
  if (file.format === 'jsonl') {
    const { eventName } = file
    for (const line of new TextDecoder().decode(raw).split('\n')) {
      if (line !== '') yield eventName === undefined ? line : withEnvelope(line, eventName)
    }
  } else if (file.format === 'sequencefile') yield* sequenceFileLines(raw)
  else if (file.kind === 'smile') for (const value of readSmileElements(raw)) yield stringifyJson(value)
  else for (const record of readRecords(raw)) yield recordLine(record)
}

/** The events of a Parquet file; where it is that of a table, their name is that of the table. @throws FormatError */
export async function* bucketRows(
  bytes: Uint8Array,
  { directory }: Pick<BucketFile, 'directory'>,
): AsyncGenerator<FoundRow> {
  const table = parseTableDirectory(directory)?.table
  const ofTable = table && decodeURIComponent(table.slice(table.lastIndexOf('/') + 1))
  for await (const { eventName, payload } of readRows(bytes)) yield { eventName: eventName ?? ofTable ?? null, payload }
}

/** One event as a JSON line, as `collector.output.format` = `jsonl` writes it. */
export const eventLine = (event: DecodedEvent): string => {
  const encoder = createEncoder('jsonl', event.kind, { codec: 'none', envelope: true })
  encoder.add(event)
  return new TextDecoder().decode(encoder.finish()).trimEnd()
}

/**
 * Puts the envelope around a payload that was written without one. A payload that itself began with the same name as
 * its event's is the one thing that such a line cannot show: it comes back without that member.
 */
const withEnvelope = (line: string, eventName: string): string => {
  const front = `{"eventName":${stringifyJson(eventName)}`
  const payload = line.startsWith(`${front},`) ? `{${line.slice(front.length + 1)}` : line
  return `${front},"payload":${payload}}`
}

const unpack = (bytes: Uint8Array, codec: CodecName): Uint8Array => {
  try {
    return outputCodecs[codec].decompress(bytes, maxUnpackedBytes)
  } catch (cause) {
    if (cause instanceof FormatError) throw cause
    throw new FormatError(codec, 0, `expected data of at most ${maxUnpackedBytes} bytes`, { cause })
  }
}

const recordLine = (record: ThriftRecord): string =>
  eventLine({
    kind: 'thrift',
    // Only for display: an unknown granularity stays as it is written.
    head: {
      index: 0,
      name: record.typeName,
      date: record.date,
      granularity: record.granularity as DecodedEvent['head']['granularity'],
    },
    record,
    bytes: new Uint8Array(),
  })

/** Values of sequence files have no date and no granularity: none may be made up here. */
function* sequenceFileLines(bytes: Uint8Array): Generator<string> {
  const { valueClass } = readSequenceFileHeader(bytes)
  for (const { value } of readSequenceFile(bytes)) {
    if (valueClass === classNames.thriftEnvelope) {
      const envelope = decodeEnvelope(value)
      const line = recordLine({ ...envelope, start: 0, end: value.length, date: 0, granularity: 'HOURLY' })
      yield stringifyJson(withoutDate(parseJson(line)))
      continue
    }
    const nameLength = new DataView(value.buffer, value.byteOffset, value.byteLength).getInt32(0)
    if (nameLength < 0 || nameLength > value.length - 4) throw new FormatError('smile value', 0, 'expected a name')
    const eventName = Buffer.from(value.subarray(4, 4 + nameLength)).toString('latin1')
    for (const payload of readSmileElements(value.subarray(4 + nameLength))) {
      yield stringifyJson({ eventName, payload })
    }
  }
}

const withoutDate = (envelope: Value): Value => {
  const { eventName, payload } = envelope as { [key: string]: Value }
  const { eventDate: _date, eventGranularity: _granularity, ...rest } = payload as { [key: string]: Value }
  return { eventName: eventName ?? null, payload: rest }
}
