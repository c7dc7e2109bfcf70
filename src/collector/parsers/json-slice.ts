import { isUtf8 } from 'node:buffer'
import { FormatError } from '../../errors.ts'
import { JsonByteScan } from '../../formats/json-byte-scan.ts'
import { parseExactJson } from '../../formats/json-long.ts'
import { hasEscapedName } from '../../formats/json-names.ts'
import { maxEventBytes, tooManyBytes, tooManyValues } from '../event-limits.ts'
import { isJsonText } from './json-text.ts'
import { hasSurrogateEscape, replaceLoneSurrogates } from './lone-surrogates.ts'
import { createScan, findUnstorable, hasLongExponent, maxEventDepth, tooDeep } from './scan.ts'

/** Why a value cannot be stored, in its place. */
export class Unstorable {
  readonly why: string

  constructor(why: string) {
    this.why = why
  }
}

/**
 * Values of a UTF-8 body, each read by itself at its offset, and checked against the limits of an event before it is
 * built.
 */
export class JsonSlices {
  readonly #bytes: Buffer
  readonly #maxValues: number
  readonly #found
  /** Finds where a value ends; {@link findProblem} judges the value it went over last. */
  readonly scan: JsonByteScan
  /** Halves of surrogate pairs that became U+FFFD, in the body. */
  loneSurrogates = 0

  /** @param maxValues of one event */
  constructor(bytes: Buffer, maxValues: number) {
    this.#bytes = bytes
    this.#maxValues = maxValues
    this.#found = createScan(maxValues)
    this.scan = new JsonByteScan(bytes)
  }

  /** What forbids to build the value at all. */
  findProblem(start: number, end: number): string | undefined {
    const { values, depth, longBytes } = this.scan
    if (values > this.#maxValues) return tooManyValues(this.#maxValues)
    if (end - start > maxEventBytes) return tooManyBytes
    if (depth > maxEventDepth) return tooDeep
    if (longBytes > maxLongNumberBytes) return tooManyDigits
    return isUtf8(this.#bytes.subarray(start, end)) ? undefined : 'The event holds bytes that are not UTF-8'
  }

  /** The text of a value, as it will be stored. */
  decode(start: number, end: number): string {
    const text = this.#bytes.toString('utf8', start, end)
    if (!hasSurrogateEscape(text)) return text
    const replaced = replaceLoneSurrogates(this.#bytes, start, end)
    this.loneSurrogates += replaced
    return replaced === 0 ? text : this.#bytes.toString('utf8', start, end)
  }

  /**
   * Undefined when it is not JSON: no JSON text is undefined.
   * @param hasLongNumber whether the scan met a number that takes more than linear time to read
   */
  parse(text: string, hasLongNumber: boolean): unknown {
    try {
      const value: unknown = hasLongNumber || hasEscapedName(text) ? parseExactJson(text) : JSON.parse(text)
      this.#found.extremeNumber = false
      const problem = typeof value === 'object' && value !== null ? findUnstorable(value, this.#found) : undefined
      if (problem !== undefined) return new Unstorable(problem)
      return this.#found.extremeNumber && hasLongExponent(text) ? parseExactJson(text) : value
    } catch (error) {
      if (error instanceof FormatError) return isJsonText(text) ? new Unstorable(error.message) : undefined
      return undefined
    }
  }
}

/** Of numbers longer than 8 192 bytes in one event, for reading them takes more than linear time. */
const maxLongNumberBytes = 256 * 1024
const tooManyDigits = `The event has more than ${maxLongNumberBytes} bytes of numbers that are longer than 8192`
