import { SluiceError } from '../../errors.ts'
import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quoteByte,
} from '../../formats/json-grammar.ts'
import { JsonSlices } from '../parsers/json-slice.ts'
import type { WorkSteps } from '../work-turns.ts'

/** The place of a value in a body. */
export type Slice = {
  readonly start: number
  readonly end: number
  /** What forbids to store it as an event. */
  readonly problem: string | undefined
  /** Whether a number in it takes more than linear time to read. */
  readonly hasLongNumber: boolean
}

/** Hears of a value. */
export type TakeSlice = (slice: Slice) => void

/** Bytes scanned between two looks at the clock. */
const stretchBytes = 512 * 1024

/**
 * Reads the outermost levels of one JSON document, strictly: a body of another make is a whole document or none, and the
 * bytes of its events are found without building them. Values within are scanned here, and parsed when they are used.
 */
export class JsonWalk {
  readonly #bytes: Buffer
  readonly slices: JsonSlices
  at = 0
  /** Of the value that is gone over. */
  #start = 0

  constructor(bytes: Buffer, maxValues: number) {
    this.#bytes = bytes
    this.slices = new JsonSlices(bytes, maxValues)
  }

  /** The next byte that is not white space; undefined at the end. */
  peek(): number | undefined {
    const bytes = this.#bytes
    while (isSpace(bytes[this.at])) this.at++
    return bytes[this.at]
  }

  /** @throws SluiceError `bad-event` where anything follows the document */
  end(): void {
    if (this.peek() !== undefined) throw this.#unexpected()
  }

  /**
   * Skips the next value at once, since nearly all are short enough for that; undefined for others, where {@link rest}
   * continues.
   * @throws SluiceError `bad-event`: it is not whole
   */
  valueNow(): Slice | undefined {
    if (this.peek() === undefined) throw this.#unexpected()
    this.#start = this.at
    this.slices.scan.begin(this.at)
    return this.#run()
  }

  /** Goes over the next value. @throws SluiceError `bad-event`: it is not whole */
  *value(): WorkSteps<Slice> {
    return this.valueNow() ?? (yield* this.rest())
  }

  /** The rest of a value that takes longer. @throws SluiceError as {@link valueNow} */
  *rest(): WorkSteps<Slice> {
    for (;;) {
      yield
      const found = this.#run()
      if (found) return found
    }
  }

  /** A stretch of the value that was begun. */
  #run(): Slice | undefined {
    const { slices } = this
    const { scan } = slices
    const progress = scan.run(scan.at + stretchBytes)
    this.at = scan.at
    if (progress === 'failed') throw this.#unexpected()
    if (progress !== 'done') return undefined
    const start = this.#start
    return { start, end: scan.at, problem: slices.findProblem(start, scan.at), hasLongNumber: scan.longBytes > 0 }
  }

  /** Goes over an array. @param visit goes over an element */
  *array(visit: () => WorkSteps<void>): WorkSteps<void> {
    this.#expect(openBracket)
    if (this.#accept(closeBracket)) return
    do {
      yield* visit()
      yield
    } while (this.#accept(comma))
    this.#expect(closeBracket)
  }

  /** Goes over an object. @param visit goes over the value of a member whose name begins at `start` */
  *object(visit: (name: string, start: number) => WorkSteps<void>): WorkSteps<void> {
    this.#expect(openBrace)
    if (this.#accept(closeBrace)) return
    do {
      if (this.peek() !== quoteByte) throw this.#unexpected()
      const { start, end } = this.valueNow() ?? (yield* this.rest())
      const name = this.#toName(start, end)
      if (name === undefined) throw this.#unexpected()
      this.#expect(colon)
      yield* visit(name, start)
    } while (this.#accept(comma))
    this.#expect(closeBrace)
  }

  /** Goes over lines that have one value each; blank ones are skipped. */
  *lines(take: TakeSlice): WorkSteps<void> {
    const bytes = this.#bytes
    while (this.peek() !== undefined) {
      const start = this.at
      const found = bytes.indexOf(newline, start)
      const end = found < 0 ? bytes.length : found
      const { scan } = this.slices
      scan.begin(start)
      let progress = scan.run(Math.min(end, scan.at + stretchBytes))
      for (; progress === 'more' && scan.at < end; progress = scan.run(Math.min(end, scan.at + stretchBytes))) yield
      this.at = scan.at
      // A number or word ends with its line.
      const isWhole = progress !== 'failed' && (progress === 'done' || !isNested(bytes[start]))
      while (this.at < end && isSpace(bytes[this.at])) this.at++
      const problem = isWhole && this.at >= end ? this.slices.findProblem(start, scan.at) : notOneValue
      take({ start, end: scan.at, problem, hasLongNumber: scan.longBytes > 0 })
      this.at = end
      yield
    }
  }

  /** Undefined unless it is a name. */
  #toName(start: number, end: number): string | undefined {
    const plain = this.#bytes.toString('latin1', start + 1, end - 1)
    if (isPlain.test(plain)) return plain
    const name = this.slices.parse(this.slices.decode(start, end), false)
    return typeof name === 'string' ? name : undefined
  }

  /** Whether a member of a name may be anywhere; false where none is. */
  mayHave(name: string): boolean {
    return this.#bytes.includes(`"${name}"`) || this.#bytes.includes('\\u')
  }

  #accept(byte: number): boolean {
    if (this.peek() !== byte) return false
    this.at++
    return true
  }

  #expect(byte: number): void {
    if (!this.#accept(byte)) throw this.#unexpected()
  }

  #unexpected(): SluiceError {
    return notJson(`it breaks off at byte ${this.at} of ${this.#bytes.length}`)
  }
}

/** The refusal of a body of which nothing is taken. */
export const notJson = (why: string): SluiceError =>
  new SluiceError('bad-event', `The body is not one complete JSON document: ${why}`)

/** White space of JSON. */
export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** A name without escapes. */
const isPlain = /^[ !#-[\]-~]*$/
const newline = 0x0a
const isNested = (byte: number | undefined): boolean => byte === openBrace || byte === openBracket

/** Why a line is refused. */
export const notOneValue = 'The line is not one JSON object'
