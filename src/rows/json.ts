import { type Buffer, isAscii } from 'node:buffer'
import type { ByteQueue } from '../codecs/byte-queue.ts'
import { rebase } from '../codecs/rebase.ts'
import { FormatError, LimitError } from '../errors.ts'
import { Budget, type BudgetLimits } from '../formats/budget.ts'
import { parseJson } from '../formats/json.ts'
import { closeBracket, comma, openBrace, openBracket, quoteByte } from '../formats/json-grammar.ts'
import { LongJson } from '../formats/json-long.ts'
import { type JsonScan, scanJson } from '../formats/json-scan.ts'
import { maxDepth, type Value } from '../formats/number.ts'
import { toBuffer } from '../formats/to-buffer.ts'
import { nextTurn } from '../runtime/next-turn.ts'
import { isLines, toFormatSuffix, toSuffixes } from './detect.ts'
import { createEventRows, type EventRows } from './events.ts'
import { type Format, type FormatInput, inSteps, toNothing } from './format.ts'
import { tooLong } from './limits.ts'
import type { RowBatch } from './reading.ts'
import type { Row } from './row.ts'
import { textFormat } from './text/text.ts'

/** Bytes that become rows in one step; a longer value is read piece by piece, each in a turn of its own. */
const stepBytes = 64 * 1024

/** So near to the end of the bytes at hand an error may be due to the end: no token but a string is longer. */
const tokenBytes = 64

/**
 * JSON lines, values one after another, and arrays of them: an object's keys are its columns, see `createEventRows`.
 * With `raw` a line is a row, as the old gateway read these files. Where each value has a line for itself, a bad line is a
 * row that says so, see {@link errorColumn}.
 */
export const jsonFormat: Format = {
  name: 'json',
  isResumable: true,
  open: input => (input.raw ? textFormat.open(input) : { serializer: 'json', batches: readJsonRows(input) }),
}

const readJsonRows = (input: FormatInput): AsyncIterable<RowBatch> => {
  const { queue, registrar, limits, nulls } = input
  const budget = new Budget('json', limits)
  const events = createEventRows({ registrar, absentValue: toNothing(nulls) })
  const reader = new JsonReader(events, budget, input.resumedAfter !== undefined, isInLines(input))
  let wanted = 1
  let isOver = false
  return inSteps(input, async first => {
    if (isOver) return undefined
    await queue.ensure(wanted)
    const { offset } = queue
    const view = queue.view()
    const bytes = view.subarray(0, stepBytes)
    const isLast = queue.isDone && bytes.length === view.length
    const rows: Row[] = []
    let failure: Error | undefined
    const taken = reader.read(bytes, isLast, rows, { row: first, offset }, error => {
      failure = rebase(error, offset)
    })
    queue.skip(taken)
    if (taken === 0 && bytes.length === stepBytes && failure === undefined) {
      budget.refill(first, offset)
      try {
        const value = await readLong(queue, new LongJson(budget), first, limits)
        await nextTurn()
        rows.push(events.fromValue(value))
      } catch (error) {
        if (!isBadLine(error) || !reader.isInLines || !(await passLine(queue))) throw error
        rows.push(toErrorRow(error, ''))
      }
      await nextTurn()
    }
    isOver = isLast
    wanted = queue.offset === offset ? Math.max(1, 2 * bytes.length) : 0
    return { rows, failure }
  })
}

/** Reads a value that is longer than a step. */
const readLong = async (queue: ByteQueue, value: LongJson, row: number, limits: BudgetLimits): Promise<Value> => {
  const start = queue.offset
  for (;;) {
    const view = queue.view()
    const piece = view.subarray(0, stepBytes)
    const isLast = queue.isDone && piece.length === view.length
    const taken = value.feed(piece, isLast, queue.offset)
    queue.skip(taken)
    if (queue.offset - start > limits.bytes.max) throw tooLong('json', row, start, limits)
    if (value.isDone) return value.value
    await nextTurn()
    if (queue.available < stepBytes) await queue.ensure(Math.min(stepBytes, queue.available + 1))
  }
}

/** Skips the rest of a line; false if it has no end. */
const passLine = async (queue: ByteQueue): Promise<boolean> => {
  while (await queue.ensure(1)) {
    const end = queue.view().indexOf(newline)
    queue.skip(end < 0 ? queue.available : end + 1)
    if (end >= 0) return true
    await nextTurn()
  }
  return false
}

/** Whether each value has a line for itself, as far as that is known before: by the name, or by the first line. */
const isInLines = ({ path, resumedAfter }: FormatInput): boolean => {
  if (isLines(toFormatSuffix(toSuffixes(path)))) return true
  const head = resumedAfter && toBuffer(resumedAfter)
  const end = head?.indexOf(newline) ?? -1
  if (!head || end < 0) return false
  try {
    return typeof JSON.parse(head.toString('utf8', 0, end)) === 'object'
  } catch {
    return false
  }
}

/** The column of a row that replaces a line that is not JSON: what was expected where, and how the line begins. */
const errorColumn: readonly string[] = ['_error']
const maxQuotedCharacters = 200

const toErrorRow = (error: FormatError, line: string): Row => {
  const start = line.length > maxQuotedCharacters ? `${line.slice(0, maxQuotedCharacters)}…` : line
  return { names: errorColumn, values: [start === '' ? error.message : `${error.message}: ${start}`] }
}

/** A row over the limits is more than a bad line. */
const isBadLine = (error: unknown): error is FormatError =>
  error instanceof FormatError && !(error instanceof LimitError)

/** Finds values in bytes that arrive piece by piece. Offsets are bytes: the text that is scanned has one character each. */
class JsonReader {
  readonly #rows: EventRows
  /** Whether an array at the top is open; not known when reading began in the middle. */
  #isInArray: boolean | undefined
  /** Whether each value so far was alone on its line: such values need no scan. */
  #isSimple = true
  #isInLines: boolean
  /** Offset of the bytes at hand, for what errors say beside their own. */
  #base = 0
  readonly #budget: Budget

  constructor(rows: EventRows, budget: Budget, isResumed: boolean, isInLines: boolean) {
    this.#rows = rows
    this.#budget = budget
    this.#isInArray = isResumed ? undefined : false
    this.#isInLines = isInLines
  }

  /** Whether each value has a line for itself: a bad one then ends with its line. */
  get isInLines(): boolean {
    return this.#isInLines && this.#isInArray !== true
  }

  /**
   * Adds the rows of all whole values and returns how many bytes they take; `fail` is called with damage.
   * @param place number of the first row, and offset of `bytes`
   */
  read(bytes: Buffer, isLast: boolean, rows: Row[], place: Place, fail: (error: FormatError) => void): number {
    const text = bytes.toString('latin1')
    this.#base = place.offset
    const toText = isAscii(bytes)
      ? (start: number, end: number) => text.slice(start, end)
      : (start: number, end: number) => bytes.toString('utf8', start, end)
    let at = 0
    for (;;) {
      try {
        at = this.#skip(text, at)
        if (at === text.length) break
        this.#budget.refill(place.row + rows.length, place.offset + at)
        const end = this.#lineEnd(text, at, isLast, toText, rows) || this.#valueEnd(text, at, isLast, toText, rows)
        if (end === 0) return at
        at = end
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        const line = isBadLine(error) && this.isInLines ? findLine(text, at) : undefined
        // A line that is cut may continue.
        if (line && line.end < 0 && !isLast) return at
        if (!line || line.end < 0) {
          fail(error)
          return at
        }
        rows.push(toErrorRow(toPlaced(inLine(text, line, error), place.offset), toText(line.start, line.end)))
        at = line.end + 1
        this.#isSimple = true
      }
    }
    if (isLast && this.#isInArray === true) fail(fault(at, 'expected the end of an array, found the end'))
    return at
  }

  /** Skips the characters between values, and notes arrays that begin and end. */
  #skip(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === openBracket && this.#isInArray !== true) this.#isInArray = true
      else if (code === closeBracket && this.#isInArray !== false) this.#isInArray = false
      else if (code === closeBracket) throw fault(at, 'expected a value, found "]"')
      else if (!isBetween(code)) return at
    }
    return text.length
  }

  /** Takes an object that has a line for itself; 0 when it has not. */
  #lineEnd(text: string, at: number, isLast: boolean, toText: ToText, rows: Row[]): number {
    if (!this.#isSimple || text.charCodeAt(at) !== openBrace) return 0
    const newline = text.indexOf('\n', at)
    if (newline < 0 && !isLast) return 0
    const end = newline < 0 ? text.length : newline
    // Each value takes two characters, with what separates it; where that could be too many they are counted.
    if (end - at > 2 * this.#budget.maxValues) return 0
    try {
      rows.push(this.#rows.fromValue(parseJson(toText(at, end))))
      if (newline >= 0 && this.#isInArray === false) this.#isInLines = true
      return end
    } catch {
      // The scan shows more, also whether there is damage at all.
      this.#isSimple = false
      return 0
    }
  }

  /** Takes any value; 0 when it continues after the bytes. @throws FormatError damage */
  #valueEnd(text: string, at: number, isLast: boolean, toText: ToText, rows: Row[]): number {
    const found = scanJson(text, at, maxDepth, { characters: 0 })
    if (!isLast && mayGoOn(found, text, at)) return 0
    if (!found.ok) throw fault(found.end, `expected ${found.expected} (the value begins at ${this.#base + at})`)
    const code = text.charCodeAt(at)
    if (code !== openBrace && found.end < text.length && !isDelimiter(text.charCodeAt(found.end))) {
      throw fault(found.end, `expected a separator (the value begins at ${this.#base + at})`)
    }
    // A value over several lines: the beginning of a line is then not that of a value.
    if (this.#isInLines && text.slice(at, found.end).includes('\n')) this.#isInLines = false
    this.#budget.values(found.values)
    rows.push(this.#rows.fromValue(parseAt(toText(at, found.end), at)))
    return found.end
  }
}

type Place = { readonly row: number; readonly offset: number }
type ToText = (start: number, end: number) => string

/** White space, commas, record separators (RFC 7464), and the bytes of a U+FEFF. */
const isBetween = (code: number): boolean =>
  code === 0x20 ||
  code === 0x09 ||
  code === 0x0a ||
  code === 0x0d ||
  code === comma ||
  code === 0x1e ||
  code === 0xef ||
  code === 0xbb ||
  code === 0xbf

/** What may follow a value that is not an object. */
const isDelimiter = (code: number): boolean =>
  isBetween(code) || code === openBracket || code === closeBracket || code === openBrace

const mayGoOn = (found: JsonScan, text: string, at: number): boolean => {
  if (!found.ok) return found.isSyntax && found.end + tokenBytes > text.length
  // A number may have more digits.
  const code = text.charCodeAt(at)
  return found.end === text.length && code !== openBrace && code !== openBracket && code !== quoteByte
}

const parseAt = (text: string, at: number): Value => {
  try {
    return parseJson(text)
  } catch (error) {
    throw rebase(error, at)
  }
}

type Line = { readonly start: number; readonly end: number }

/** The line of the next value; its end is negative where it is not there. */
const findLine = (text: string, from: number): Line => {
  let start = from
  while (isBetween(text.charCodeAt(start))) start++
  return { start, end: text.indexOf('\n', start) }
}

/** Damage found after its line was there before: the line ends too soon. */
const inLine = (text: string, { start, end }: Line, error: FormatError): FormatError => {
  if (error.offset <= end) return error
  const found = scanJson(text.slice(0, end), start, maxDepth, { characters: 0 })
  return found.ok ? error : fault(found.end, `expected ${found.expected}`)
}

/** An error by its place in the file. */
const toPlaced = (error: FormatError, base: number): FormatError => {
  const placed = rebase(error, base)
  return placed instanceof FormatError ? placed : error
}

const newline = 0x0a

const fault = (at: number, message: string): FormatError => new FormatError('json', at, message)
