import { ByteQueue } from '../codecs/byte-queue.ts'
import { type Codec, type StreamOptions, usualWindows } from '../codecs/codec.ts'
import { FormatError } from '../errors.ts'
import type { FileStatus, FileSystem } from '../filesystem/filesystem.ts'
import type { BudgetLimits, Limit } from '../formats/budget.ts'
import { PageMemory } from '../formats/parquet/pages/page-memory.ts'
import { avroFormat } from './avro/avro.ts'
import { csvFormat, tsvFormat } from './csv/csv.ts'
import type { Dialect } from './csv/csv-dialect.ts'
import { detectCodec, detectFormat, headBytes, type RowFormat, toFormatSuffix, toSuffixes } from './detect.ts'
import { refuseBinary, refuseForeign } from './foreign.ts'
import type { Format } from './format.ts'
import { jsonFormat } from './json.ts'
import { toRowLimits } from './limits.ts'
import { parquetFormat } from './parquet/parquet.ts'
import type { Mark, Reading, RowBatch, Wanted } from './reading.ts'
import type { Registrar } from './registrar/registrar.ts'
import { createSequenceFileFormat } from './sequence-file/sequence-file.ts'
import type { SequenceFileSerialization } from './sequence-file/serializations.ts'
import { readCustomRows } from './serializers/custom.ts'
import type { RowContext, RowSerializer } from './serializers/serializer.ts'
import { smileFormat } from './smile.ts'
import { readRange, readSource } from './source.ts'
import { bomBytes, decideLate, decodeToUtf8, type Encoding, isUndecided, sniffEncoding } from './text/encoding.ts'
import { textFormat } from './text/text.ts'
import { thriftFormat } from './thrift.ts'

/** What a file is to be opened with. */
export type OpenRowsOptions = {
  readonly fileSystem: Pick<FileSystem, 'open'>
  readonly status: FileStatus
  readonly registrar: Registrar
  /** Custom serializers, asked before the built-in ones, in order. */
  readonly serializers: readonly RowSerializer[]
  /** Rows undecoded, one column `record`, as the original `raw=true`. @default false */
  readonly raw?: boolean
  /** Null where an event has null or lacks a column; else an empty string, as in the original. @default false */
  readonly nulls?: boolean
  /** What is known of a table of text. @default found out */
  readonly dialect?: Dialect | undefined
  /** How text is encoded. @default found out */
  readonly encoding?: Encoding | undefined
  /** Reads on from here; a place that is not a row start of this file gives a `FormatError` or other rows, never more. */
  readonly from?: Mark | undefined
  /** A format that can find it in the file leaves out the rest. @default everything */
  readonly wanted?: Wanted | undefined
  readonly signal?: AbortSignal | undefined
}

/** Opens a file as rows: finds out what it is by content, then by suffix. */
export type OpenRows = (options: OpenRowsOptions) => Promise<Reading>

export type CreateOpenRowsOptions = {
  /** Deserializers of sequence-file values, asked before the built-in ones. */
  readonly serializations?: readonly SequenceFileSerialization[]
  /** What one row may hold; a custom row serializer has to look after itself. @default that of 1 GiB */
  readonly limits?: BudgetLimits
  /** For pages of Parquet files, of all that are opened. @default 256 MiB */
  readonly pageMemory?: Limit
  /** Of compressed files, in bytes; what goes beyond 128 MiB counts with the pages. @default 128 MiB */
  readonly windows?: Limit
}

/** Bytes that are read of a file's start when reading resumes at a mark: for its kind, header and columns. */
const resumeHeadBytes = 64 * 1024

/** Opens files as rows, with more deserializers than the built-in ones. */
export const createOpenRows = (options: CreateOpenRowsOptions = {}): OpenRows => {
  const { serializations = [], limits = toRowLimits(0), pageMemory, windows = usualWindows } = options
  const memory = new PageMemory(pageMemory)
  const kit: Kit = {
    formats: createFormats(serializations),
    limits,
    memory,
    unfolding: { windows, hold: bytes => memory.add(bytes, 0, 0) },
  }
  return async options => {
    const { from } = options
    // The first row is found faster without a look at the top before.
    if (from && from.offset > 0 && from.row !== 0) {
      const resumed = await resume(options, kit, from)
      if (resumed) return resumed
    }
    return openFromStart(options, kit)
  }
}

type Formats = { readonly [Name in RowFormat]: Format }
type Kit = {
  readonly formats: Formats
  readonly limits: BudgetLimits
  readonly memory: PageMemory
  readonly unfolding: StreamOptions
}

const createFormats = (serializations: readonly SequenceFileSerialization[]): Formats => ({
  sequencefile: createSequenceFileFormat(serializations),
  thrift: thriftFormat,
  smile: smileFormat,
  json: jsonFormat,
  csv: csvFormat,
  tsv: tsvFormat,
  avro: avroFormat,
  parquet: parquetFormat,
  text: textFormat,
})

const openFromStart = async (
  options: OpenRowsOptions,
  { formats, limits, memory, unfolding }: Kit,
): Promise<Reading> => {
  const { status, registrar, raw = false, wanted } = options
  const suffixes = toSuffixes(status.path)
  const stored = new ByteQueue(readSource({ ...options, ...toFile(options), offset: 0 }))
  let queue = stored
  try {
    const codec = detectCodec(await peek(stored), suffixes)
    queue = codec ? new ByteQueue(codec.stream(stored.rest(), unfolding)) : stored
    let context = toContext(status.path, suffixes, await peek(queue))
    const custom = raw || wanted?.projection ? undefined : findCustom(options, context)
    if (custom) {
      const batches = readCustomRows(custom, registrar, queue, context)
      return { serializer: custom.name, codec: toName(codec), batches: closing(batches, queue, stored) }
    }
    const { head } = context
    refuseForeign(head, suffixes[0] ?? '')
    const encoding = toEncoding(context, options)
    const text = createText(encoding)
    if (text && isOpen(context, options)) queue = new ByteQueue(decideLate(queue.rest(), text.decide))
    else if (encoding === 'utf-8') queue.skip(bomBytes(context.head))
    else if (encoding !== undefined) {
      queue = new ByteQueue(decodeToUtf8(queue.rest(), encoding))
      context = toContext(status.path, suffixes, await peek(queue))
    }
    const name = wanted?.projection ? 'parquet' : detectFormat(context.head, context.suffix)
    if (options.encoding === undefined && plainFormats.has(name)) refuseBinary(head)
    const isAsStored = !codec && (encoding === undefined || encoding === 'utf-8')
    const format = formats[name]
    const { path } = status
    const read = (offset: number, length: number) => readRange({ ...options, path }, offset, length)
    const readOrNot = codec ? {} : { readRange: read }
    const input = {
      queue,
      row: 0,
      get hasMarks() {
        return isAsStored && text?.encoding === encoding
      },
      limits,
      memory,
      unfolding,
      ...toFormatOptions(options),
      ...readOrNot,
    }
    const { batches, ...reading } = await format.open(input)
    return withEncoding({ ...reading, codec: toName(codec), batches: closing(batches, queue, stored) }, text)
  } catch (error) {
    await queue.close()
    throw error
  }
}

/** Resumes at a mark; undefined for a file without one: it is then read from the start. */
const resume = async (
  options: OpenRowsOptions,
  { formats, limits, memory, unfolding }: Kit,
  from: NonNullable<OpenRowsOptions['from']>,
): Promise<Reading | undefined> => {
  const { status, raw = false } = options
  const { path, length } = status
  if (
    !(Number.isSafeInteger(from.offset) && Number.isSafeInteger(from.row) && from.row >= 0 && from.offset <= length)
  ) {
    throw new FormatError('mark', from.offset, `expected a place within the ${length} bytes of "${path}"`)
  }
  const head = await readRange({ ...options, path }, 0, resumeHeadBytes)
  const suffixes = toSuffixes(path)
  const context = toContext(path, suffixes, head.subarray(0, headBytes))
  if (detectCodec(head, suffixes) || (!raw && findCustom(options, context))) return undefined
  const encoding = toEncoding(context, options)
  if (encoding !== undefined && encoding !== 'utf-8') return undefined
  const format = formats[detectFormat(context.head, context.suffix)]
  if (!format.isResumable) return undefined
  const source = readSource({ ...options, ...toFile(options), offset: from.offset })
  const text = createText(encoding)
  const queue = new ByteQueue(text && isOpen(context, options) ? decideLate(source, text.decide) : source, from.offset)
  try {
    const input = {
      queue,
      row: from.row,
      resumedAfter: encoding === undefined ? head : head.subarray(bomBytes(head)),
      get hasMarks() {
        return text?.encoding === encoding
      },
      limits,
      memory,
      unfolding,
      ...toFormatOptions(options),
    }
    const { batches, ...reading } = await format.open(input)
    return withEncoding({ ...reading, codec: 'none', batches: closing(batches, queue) }, text)
  } catch (error) {
    await queue.close()
    throw error
  }
}

/** What formats need to know of the file, and of what is wanted. */
const toFormatOptions = ({
  status,
  registrar,
  serializers,
  raw = false,
  nulls = false,
  dialect,
  wanted = {},
}: OpenRowsOptions) => ({
  raw,
  nulls,
  dialect,
  wanted,
  registrar,
  serializers,
  path: status.path,
  size: status.length,
})

/** Of text; undefined of what is not. Text of another encoding is found after it. */
const toEncoding = ({ head, suffix }: RowContext, { encoding }: OpenRowsOptions): Encoding | undefined =>
  textFormats.has(detectFormat(head, suffix)) ? (encoding ?? sniffEncoding(head)) : undefined

/** Whether bytes after the first ones decide how a text is encoded. */
const isOpen = ({ head }: RowContext, { encoding }: OpenRowsOptions): boolean =>
  encoding === undefined && head.length === headBytes && isUndecided(head)

/** How a text is encoded, as far as it is known. */
type Text = { readonly encoding: Encoding; readonly decide: (encoding: Encoding) => void }

const createText = (first: Encoding | undefined): Text | undefined => {
  if (first === undefined) return undefined
  let encoding = first
  return {
    get encoding() {
      return encoding
    },
    decide: found => {
      encoding = found
    },
  }
}

const withEncoding = (reading: Reading, text: Text | undefined): Reading =>
  text === undefined
    ? reading
    : Object.defineProperty(reading, 'encoding', { get: () => text.encoding, enumerable: true })

const textFormats: ReadonlySet<RowFormat> = new Set<RowFormat>(['text', 'csv', 'tsv', 'json'])

/** Those that take any bytes. */
const plainFormats: ReadonlySet<RowFormat> = new Set<RowFormat>(['text', 'csv', 'tsv'])

const toFile = ({ status }: OpenRowsOptions) => ({ path: status.path, size: status.length })

const toName = (codec: Codec | undefined): string => codec?.name ?? 'none'

const toContext = (path: string, suffixes: readonly string[], head: Uint8Array): RowContext => ({
  path,
  suffix: toFormatSuffix(suffixes),
  head,
})

/** A sequence file is not for a row serializer as a whole, but value by value. */
const findCustom = ({ serializers }: OpenRowsOptions, context: RowContext) =>
  detectFormat(context.head, context.suffix) === 'sequencefile'
    ? undefined
    : serializers.find(serializer => serializer.accepts(context))

/** The first bytes, without taking them. Damage in them is reported when a reader reaches it. */
const peek = async (queue: ByteQueue): Promise<Uint8Array> => {
  try {
    await queue.ensure(headBytes)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
  }
  return queue.view().subarray(0, headBytes)
}

/** Rows that close their source, also if they were never read. */
const closing = (batches: AsyncIterable<RowBatch>, ...queues: readonly ByteQueue[]): AsyncIterable<RowBatch> => ({
  [Symbol.asyncIterator]: () => {
    const iterator = batches[Symbol.asyncIterator]()
    const close = async (): Promise<void> => {
      for (const queue of queues) await queue.close()
    }
    return {
      next: async () => {
        try {
          const step = await iterator.next()
          if (step.done) await close()
          return step
        } catch (error) {
          await close()
          throw error
        }
      },
      return: async () => {
        try {
          await iterator.return?.()
        } finally {
          await close()
        }
        return { done: true, value: undefined }
      },
    }
  },
})
