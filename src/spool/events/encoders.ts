import { randomBytes } from 'node:crypto'
import type { CodecName } from '../../codecs/codecs.ts'
import { classNames, encodeSmileValue, trueKey } from '../../formats/sequence-file/layout.ts'
import { defaultPacking, gzipPacking, type Packing, zstdPacking } from '../../formats/sequence-file/packing.ts'
import { createSequenceFileWriter, type SequenceFileWriter } from '../../formats/sequence-file/writer.ts'
import { createSmileWriter, type SmileWriter } from '../../formats/smile/writer.ts'
import { encodeEnvelope } from '../../formats/thrift/envelope.ts'
import { encodeEventName } from '../bucket.ts'
import type { OutputFormat } from '../files/bucket-file.ts'
import type { DecodedEvent } from './decode-events.ts'
import { JsonLines } from './json-lines.ts'
import { wrapPayload } from './line-values.ts'
import { PiecedBytes } from './pieced-bytes.ts'

/** Gathers the events of one bucket file. */
export type Encoder = {
  /** File name extension, without a dot in front and without that of a codec. */
  readonly extension: string
  /**
   * Adds an event whole, or throws and adds nothing; what it keeps of views that the event has of its batch is a copy.
   * @param id in base64url; of use to those that have a column for it
   */
  add(event: DecodedEvent, id?: string): void
  /** The file, or what of it was not taken. */
  finish(): Uint8Array
  /** Of those whose bytes are ready as soon as an event is added: how many are, */
  readonly readyBytes?: number
  /** and takes them, in memory that is then the caller's. */
  take?(): Uint8Array
  /** Of those that hold events until they can be written together: writes what they hold. */
  pack?(): void
  /** Of the same: whether it holds as much as it should write at once. */
  readonly isFull?: boolean
}

/** Formats of which a file holds events as they are, one after another; see `parquet/` for the other one. */
type RowFormat = Exclude<OutputFormat, 'parquet'>

/** What a format leaves open. */
export type EncoderOptions = {
  /** Of formats that compress themselves; see {@link packsItself}. */
  readonly codec: CodecName
  /** Whether lines of `jsonl` have an envelope. */
  readonly envelope: boolean
}

/** One encoder per output format and kind of event. */
export const createEncoder = (format: RowFormat, kind: DecodedEvent['kind'], options: EncoderOptions): Encoder =>
  encoders[format][kind](options)

/** Whether events of all kinds may share one file. */
export const mixesKinds = (format: OutputFormat): boolean => format === 'jsonl' || format === 'parquet'

/** Whether files of a format are compressed inside, and must not be once more: Hadoop would not know a packed one. */
export const packsItself = (format: OutputFormat): boolean => format === 'sequencefile' || format === 'parquet'

/** Sequence files always have a codec, as their format has had since 2010. */
const toPacking = (codec: CodecName): Packing => {
  if (codec === 'lzf') throw new TypeError('Cannot write a sequence file with lzf: Hadoop has no codec for it')
  return codec === 'gzip' ? gzipPacking : codec === 'zstd' ? zstdPacking : defaultPacking
}

/** One Smile array of envelopes; back references span all of it, as in the predecessor's files. */
const smile = (): Encoder => {
  const writer = createSmileWriter()
  writer.startArray()
  return {
    extension: 'smile',
    add: event => writer.write(wrapPayload(event)),
    get readyBytes() {
      return writer.byteLength
    },
    take: () => writer.take(),
    finish: () => {
      writer.endArray()
      return writer.take()
    },
  }
}

/** `.thrift` records one after another, as they were kept. */
const thrift = (): Encoder => {
  const records = new PiecedBytes()
  return {
    extension: 'thrift',
    add: event => {
      if (event.kind === 'thrift') records.append(event.bytes)
    },
    get readyBytes() {
      return records.length
    },
    take: () => records.take(),
    finish: () => records.take(),
  }
}

const newSequenceFile = (valueClass: string, codec: CodecName): SequenceFileWriter =>
  createSequenceFileWriter({
    keyClass: classNames.key,
    valueClass,
    sync: randomBytes(16),
    packing: toPacking(codec),
  })

/**
 * A ThriftEnvelope per event: type name and payload. As in the original format, it has no place for date and
 * granularity.
 */
const thriftSequenceFile = ({ codec }: EncoderOptions): Encoder => {
  const writer = newSequenceFile(classNames.thriftEnvelope, codec)
  return {
    extension: 'seq',
    add: event => {
      if (event.kind === 'thrift') writer.append(trueKey, encodeEnvelope(event.record))
    },
    finish: () => writer.finish(),
  }
}

/** Smile of one value before the next one begins. */
const smileValueBytes = 512 << 10

/** Values of many payloads each: the old readers take a whole block as one value, so a value is a block of its own. */
const smileSequenceFile = ({ codec }: EncoderOptions): Encoder => {
  const file = newSequenceFile(classNames.smile, codec)
  let open: { readonly name: string; readonly document: SmileWriter } | undefined
  const endValue = (): void => {
    if (!open) return
    open.document.endArray()
    file.append(trueKey, encodeSmileValue(open.name, open.document.take()))
    file.endBlock()
    open = undefined
  }
  return {
    extension: 'seq',
    add: event => {
      if (event.kind !== 'smile') return
      if (!open) {
        // A bucket has one name; what ISO-8859-1 cannot write is escaped as in the path.
        open = {
          name: latin1.test(event.head.name) ? event.head.name : encodeEventName(event.head.name),
          document: createSmileWriter(),
        }
        open.document.startArray()
      }
      open.document.write(event.payload)
      if (open.document.byteLength >= smileValueBytes) endValue()
    },
    finish: () => {
      endValue()
      return file.finish()
    },
  }
}

const jsonLines = ({ envelope }: EncoderOptions): Encoder => new JsonLines(envelope)

const latin1 = /^[\p{ASCII}\u0080-\u00ff]*$/u

const encoders: Record<RowFormat, Record<DecodedEvent['kind'], (options: EncoderOptions) => Encoder>> = {
  native: { smile, thrift },
  sequencefile: { smile: smileSequenceFile, thrift: thriftSequenceFile },
  jsonl: { smile: jsonLines, thrift: jsonLines },
}
