import { ByteQueue } from '../codecs/byte-queue.ts'
import type { Codec } from '../codecs/codec.ts'
import { FormatError } from '../errors.ts'
import type { FileStatus, FileSystem } from '../filesystem/filesystem.ts'
import type { BudgetLimits } from '../formats/budget.ts'
import { avroFormat } from './avro.ts'
import { csvFormat } from './csv.ts'
import { readCustomRows } from './custom.ts'
import { detectCodec, detectFormat, type FormatName, headBytes, toFormatSuffix, toSuffixes } from './detect.ts'
import type { Format } from './format.ts'
import { jsonFormat } from './json.ts'
import { defaultRowLimits, type RowLimits, toBudgetLimits } from './limits.ts'
import { createParquetFormat } from './parquet.ts'
import type { Mark, Reading, RowBatch, Wanted } from './reading.ts'
import type { Registrar } from './registrar.ts'
import { createSequenceFileFormat } from './sequence-file.ts'
import type { SequenceFileSerialization } from './serializations.ts'
import type { RowContext, RowSerializer } from './serializer.ts'
import { smileFormat } from './smile.ts'
import { readRange, readSource } from './source.ts'
import { textFormat } from './text.ts'
import { thriftFormat } from './thrift.ts'

/** What a file is to be opened with. */
export type OpenRowsOptions = {
  readonly fileSystem: Pick<FileSystem, 'open'>
  readonly status: FileStatus
  readonly registrar: Registrar
  /** Custom serializers, asked before the built-in ones, in order. */
  readonly serializers: readonly RowSerializer[]
  /** Rows undecoded, one column `record`, as `raw=true` of old. @default false */
  readonly raw?: boolean
  /** Null where an event has null or lacks a column; else an empty string, as of old. @default false */
  readonly nulls?: boolean
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
  /** What one row may hold; a custom row serializer has to look after itself. @default {@link defaultRowLimits} */
  readonly limits?: RowLimits
}

/** Bytes that are read of a file's start when reading goes on from a mark: for its kind, header and columns. */
const resumeHeadBytes = 64 * 1024

/** Opens files as rows, with more deserializers than the built-in ones. */
export const createOpenRows = (options: CreateOpenRowsOptions = {}): OpenRows => {
  const { serializations = [], limits = defaultRowLimits } = options
  const kit: Kit = { formats: createFormats(serializations), limits: toBudgetLimits(limits) }
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

type Formats = { readonly [Name in FormatName]: Format }
type Kit = { readonly formats: Formats; readonly limits: BudgetLimits }

const createFormats = (serializations: readonly SequenceFileSerialization[]): Formats => ({
  sequencefile: createSequenceFileFormat(serializations),
  thrift: thriftFormat,
  smile: smileFormat,
  json: jsonFormat,
  csv: csvFormat,
  avro: avroFormat,
  parquet: createParquetFormat(),
  text: textFormat,
})

const openFromStart = async (options: OpenRowsOptions, { formats, limits }: Kit): Promise<Reading> => {
  const { status, registrar, raw = false } = options
  const suffixes = toSuffixes(status.path)
  const stored = new ByteQueue(readSource({ ...options, ...toFile(options), offset: 0 }))
  let queue = stored
  try {
    const codec = detectCodec(await peek(stored), suffixes)
    queue = codec ? new ByteQueue(codec.stream(stored.rest())) : stored
    const context = toContext(status.path, suffixes, await peek(queue))
    const custom = raw ? undefined : findCustom(options, context)
    if (custom) {
      const batches = readCustomRows(custom, registrar, queue, context)
      return { serializer: custom.name, codec: toName(codec), batches: closing(batches, queue) }
    }
    const format = formats[detectFormat(context.head, context.suffix)]
    const { path } = status
    const read = (offset: number, length: number) => readRange({ ...options, path }, offset, length)
    const readOrNot = codec ? {} : { readRange: read }
    const input = {
      queue,
      row: 0,
      hasMarks: !codec,
      limits,
      ...toFormatOptions(options),
      ...readOrNot,
    }
    const { batches, ...reading } = await format.open(input)
    return { ...reading, codec: toName(codec), batches: closing(batches, queue) }
  } catch (error) {
    await queue.close()
    throw error
  }
}

/** Goes on from a mark; undefined for a file that has none: it is read from the start then. */
const resume = async (
  options: OpenRowsOptions,
  { formats, limits }: Kit,
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
  const format = formats[detectFormat(context.head, context.suffix)]
  if (!format.isResumable) return undefined
  const queue = new ByteQueue(readSource({ ...options, ...toFile(options), offset: from.offset }), from.offset)
  try {
    const input = {
      queue,
      row: from.row,
      resumedAfter: head,
      hasMarks: true,
      limits,
      ...toFormatOptions(options),
    }
    const { batches, ...reading } = await format.open(input)
    return { ...reading, codec: 'none', batches: closing(batches, queue) }
  } catch (error) {
    await queue.close()
    throw error
  }
}

/** What formats are told of the file, and of what is wanted. */
const toFormatOptions = ({
  status,
  registrar,
  serializers,
  raw = false,
  nulls = false,
  wanted = {},
}: OpenRowsOptions) => ({
  raw,
  nulls,
  wanted,
  registrar,
  serializers,
  path: status.path,
  size: status.length,
})

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

/** The first bytes, without taking them. Damage in them is told when somebody reads that far. */
const peek = async (queue: ByteQueue): Promise<Uint8Array> => {
  try {
    await queue.ensure(headBytes)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
  }
  return queue.view().subarray(0, headBytes)
}

async function* closing(batches: AsyncIterable<RowBatch>, queue: ByteQueue): AsyncGenerator<RowBatch, void, undefined> {
  try {
    yield* batches
  } finally {
    await queue.close()
  }
}
