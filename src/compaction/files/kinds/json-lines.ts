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
    if (!isLines(suffix) && !(await beginsWithObject(queue)))
      throw new FormatError('json', 0, 'expected an object in the first line')
    return ''
  },
  begin: () => ({ start: nothing, add: copyLines, end: () => nothing }),
}

/** Whether a file of Spark's, say, has an object in each line: its first line shows it. */
const beginsWithObject = async (queue: ByteQueue): Promise<boolean> => {
  while (!queue.view().includes(newline) && queue.available < maxLineBytes && (await queue.more()));
  const view = queue.view()
  const end = view.indexOf(newline)
  try {
    return isRecord(JSON.parse(view.toString('utf8', 0, end < 0 ? view.length : end)))
  } catch {
    return false
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
    tally.add(bytes, rows)
    yield bytes
  }
  check()
  if (isAtStart) return
  tally.add(lineEnd, isFilled ? 1 : 0)
  yield lineEnd
}

const newline = 0x0a
const lineEnd = Uint8Array.of(newline)

const hasText = (bytes: Uint8Array, start: number, end: number): boolean => {
  for (let at = start; at < end; at++) if ((bytes[at] ?? 0) > 0x20) return true
  return false
}
