/** Files of events, as they become requests. */
import { createReadStream } from 'node:fs'
import { extname } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { Codec } from '../../../src/codecs/codec.ts'
import { gzip } from '../../../src/codecs/gzip.ts'
import { zstd } from '../../../src/codecs/zstd-stream.ts'
import { FormatError } from '../../../src/errors.ts'
import { CliError, usageError } from '../command/failure.ts'

/** How a file holds events. */
export const fileFormats = ['jsonl', 'json', 'smile', 'thrift'] as const
export type FileFormat = (typeof fileFormats)[number]

/** What becomes one request. */
export type EventBatch = {
  readonly body: Uint8Array<ArrayBuffer>
  readonly events: number | undefined
  /** The lines that it was made of, of which each should be an event. */
  readonly lines?: readonly EventLine[]
}

/** A line of a file, from 1. */
export type EventLine = { readonly number: number; readonly text: string }

/** Well within what the server takes at once: 64 MiB and 100 000 events. */
const maxBatchBytes = 4 << 20
const maxBatchEvents = 5_000
/** What a file that is not lines may have: it becomes one request. */
const maxWholeBytes = 64 << 20

/**
 * By the end of the name, before that of a compression; standard input counts as lines of JSON. @throws CliError
 * `usage` for another name
 */
export const toFileFormat = (file: string): FileFormat => {
  if (file === '-') return 'jsonl'
  const name = file.toLowerCase()
  const end = extname(decompressionOf(file) ? name.slice(0, -extname(name).length) : name)
    .slice(1)
    .replace('ndjson', 'jsonl')
  const format = fileFormats.find(one => one === end)
  if (format !== undefined) return format
  throw usageError(`${file}: its file name does not show the format`, `Give it with --format ${fileFormats.join('|')}.`)
}

/** The requests of a file: lines of JSON some thousand at once, everything else whole. @throws CliError it cannot be read */
export async function* readBatches(file: string, format: FileFormat): AsyncGenerator<EventBatch, void, undefined> {
  try {
    const input = openInput(file)
    if (format === 'jsonl') yield* readLines(input)
    else yield { body: await readWhole(input, file), events: undefined }
  } catch (error) {
    if (
      error instanceof FormatError ||
      (error instanceof Error && 'code' in error && ('syscall' in error || 'errno' in error))
    )
      throw new CliError(`${file} cannot be read: ${error.message}`, { code: 'unreadable', cause: error })
    throw error
  }
}

const decompressionOf = (file: string) => decompressions[extname(file).toLowerCase()]
const decompressions: Readonly<Record<string, Codec>> = {
  '.gz': gzip,
  '.zst': zstd,
}

const openInput = (file: string): NodeJS.ReadableStream => {
  if (file === '-') return process.stdin
  const codec = decompressionOf(file)
  const stored = createReadStream(file)
  return codec ? Readable.from(codec.stream(stored), { objectMode: false }) : stored
}

async function* readLines(input: NodeJS.ReadableStream): AsyncGenerator<EventBatch, void, undefined> {
  let lines: EventLine[] = []
  let bytes = 0
  let number = 0
  const take = (): EventBatch => {
    const body = new TextEncoder().encode(lines.map(({ text }) => text).join('\n'))
    const batch = { body, events: lines.length, lines }
    lines = []
    bytes = 0
    return batch
  }
  const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  // It does not report an error of its input, and would wait endlessly.
  const broken = Promise.withResolvers<never>()
  broken.promise.catch(() => {})
  input.once('error', broken.reject)
  const iterator = reader[Symbol.asyncIterator]()
  for (;;) {
    const next = await Promise.race([iterator.next(), broken.promise])
    if (next.done) break
    const text = next.value
    number++
    if (text.trim() === '') continue
    const size = Buffer.byteLength(text) + 1
    if (lines.length >= maxBatchEvents || (lines.length > 0 && bytes + size > maxBatchBytes)) yield take()
    lines.push({ number, text })
    bytes += size
  }
  if (lines.length > 0) yield take()
}

const readWhole = async (input: NodeJS.ReadableStream, file: string): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of input) {
    const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk))
    size += bytes.length
    if (size > maxWholeBytes)
      throw usageError(
        `${file}: larger than 64 MiB, the most that one request takes`,
        'A file of JSON lines may be of any size: --format jsonl.',
      )
    chunks.push(bytes)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
