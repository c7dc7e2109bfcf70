import { Buffer } from 'node:buffer'
import type { ByteQueue } from '../../../codecs/byte-queue.ts'
import { FormatError } from '../../../errors.ts'
import { isRecord } from '../../../is-record.ts'
import { headBytes, isLines } from '../../../rows/detect.ts'
import { bomBytes } from '../../../rows/text/encoding.ts'
import type { RecordTally } from '../record-tally.ts'
import { type FileKind, nothing } from './file-kind.ts'

/** Longest first line of a file whose name does not say that it has lines. */
const maxLineBytes = 1024 * 1024

/** JSON lines: bytes of UTF-8 as they are, and a line end behind the last line of each file. */
export const jsonLines: FileKind = {
  toKey: async (queue, suffix) => {
    await queue.ensure(headBytes)
    if (bomBytes(queue.view()) > 0) throw new FormatError('json', 0, 'expected UTF-8 without a byte order mark')
    const line = await peekLine(queue)
    const value = line === undefined ? undefined : parse(line)
    if (!isLines(suffix) && !isRecord(value)) throw new FormatError('json', 0, 'expected an object in the first line')
    if (value === undefined && /^(?:\[|\{$)/.test(line ?? ''))
      throw new FormatError('json', 0, 'expected a value in each line, found one over several lines')
    return ''
  },
  // `{"a":1}` is a file of lines with one of them, or a document that programs read as a whole: a second line decides.
  isDoubtful: async (queue, suffix) => {
    if (isLines(suffix)) return false
    const hasSecondLine = (): boolean => {
      const [, end] = findLine(queue.view())
      return end >= 0 && hasText(queue.view(), end, queue.available)
    }
    while (!hasSecondLine() && queue.available < 2 * maxLineBytes && (await queue.more()));
    return !hasSecondLine()
  },
  begin: () => ({ start: nothing, add: copyLines, end: () => nothing }),
}

/** The first line that has more than white space; undefined where it is too long. */
const peekLine = async (queue: ByteQueue): Promise<string | undefined> => {
  while (findLine(queue.view())[1] < 0 && queue.available < maxLineBytes && (await queue.more()));
  const view = queue.view()
  const [start, end] = findLine(view)
  if (end < 0 && queue.available >= maxLineBytes) return undefined
  return view.toString('utf8', Math.max(start, 0), end < 0 ? view.length : end).trim()
}

/** Where it begins and ends; -1 where that is not here. */
const findLine = (bytes: Buffer): [start: number, end: number] => {
  const start = bytes.findIndex(byte => byte > space)
  return [start, start < 0 ? -1 : bytes.indexOf(newline, start)]
}

/** @returns undefined for what is no JSON */
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function* copyLines(queue: ByteQueue, tally: RecordTally): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const check = (bytes?: Uint8Array): void => {
    try {
      decoder.decode(bytes, { stream: bytes !== undefined })
    } catch (cause) {
      throw new FormatError('json', queue.offset, 'expected UTF-8', { cause })
    }
  }
  /** Whether the line at hand has more than white space. */
  let isFilled = false
  let isAtStart = true
  const tail = new LastLine()
  while (await queue.ensure(1)) {
    const bytes = queue.take(queue.available)
    check(bytes)
    let rows = 0
    for (let at = 0; at < bytes.length; ) {
      const found = bytes.indexOf(newline, at)
      const end = found < 0 ? bytes.length : found
      isFilled ||= hasText(bytes, at, end)
      if (found >= 0 && isFilled) rows++
      if (found >= 0) isFilled = false
      at = end + 1
    }
    isAtStart = bytes.at(-1) === newline
    tail.add(bytes)
    tally.add(bytes, rows)
    yield bytes
  }
  check()
  if (isAtStart) return
  if (isFilled && !tail.isValue())
    throw new FormatError('json', queue.offset, 'expected a whole value in the last line, which has no end')
  tally.add(lineEnd, isFilled ? 1 : 0)
  yield lineEnd
}

/** What is behind the last line end. A writer that was killed leaves a part of a value there. */
class LastLine {
  #pieces: Buffer[] = []
  #length = 0

  add(bytes: Buffer): void {
    const end = bytes.lastIndexOf(newline)
    if (end >= 0) {
      this.#pieces = []
      this.#length = 0
    }
    this.#length += bytes.length - end - 1
    if (this.#length <= maxLastLineBytes) this.#pieces.push(bytes.subarray(end + 1))
    else this.#pieces = []
  }

  isValue(): boolean {
    return this.#length <= maxLastLineBytes && parse(Buffer.concat(this.#pieces).toString('utf8')) !== undefined
  }
}

/** Longest last line without an end. */
const maxLastLineBytes = 32 * 1024 * 1024

const space = 0x20
const newline = 0x0a
const lineEnd = Uint8Array.of(newline)

const hasText = (bytes: Uint8Array, start: number, end: number): boolean => {
  for (let at = start; at < end; at++) if ((bytes[at] ?? 0) > space) return true
  return false
}
