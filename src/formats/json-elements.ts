/**
 * A sequence of JSON values: at the root, or as elements of arrays at the root. Commas and white space between them are
 * ignored, and so is an extra closing bracket. Only the end of each value is found, so that each can be parsed alone:
 * text of 100 MB then costs no more than its largest value.
 */
import { LimitError } from '../errors.ts'
import { JsonByteScan, type ScanProgress } from './json-byte-scan.ts'
import { closeBracket, comma, openBracket } from './json-grammar.ts'

/** Walks over the values of a body, a stretch at a time; to be moved over each value by {@link JsonElements.at}. */
export class JsonElements {
  readonly #bytes: Uint8Array
  #isInArray = false
  #isEmpty = false
  /** The next byte to look at; after `done`, the first one of a value. */
  at = 0
  /** Arrays at the root that were closed without an element. */
  emptyArrays = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Goes to the next value, to an offset at most; `failed` is the end of the bytes. */
  skip(until: number): ScanProgress {
    const bytes = this.#bytes
    const end = Math.min(until, bytes.length)
    let at = this.at
    for (; at < end; at++) {
      const byte = bytes[at] as number
      if (isGap(byte)) continue
      if (byte === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf) at += 2
      else if (byte === openBracket && !this.#isInArray) {
        this.#isInArray = true
        this.#isEmpty = true
      } else if (byte === closeBracket) {
        if (this.#isInArray && this.#isEmpty) this.emptyArrays++
        this.#isInArray = false
      } else {
        this.#isEmpty = false
        this.at = at
        return 'done'
      }
    }
    this.at = at
    return at < bytes.length ? 'more' : 'failed'
  }
}

/** The place of a value in its bytes. */
export type JsonElement = { readonly start: number; readonly end: number }

/**
 * The values of a body that is known to be well-formed; what is not ends it.
 * @param maxBytes of one value
 * @throws LimitError a value has more, which takes no longer than `maxBytes` to find
 */
export function* jsonElements(
  bytes: Uint8Array,
  maxBytes = Number.POSITIVE_INFINITY,
): Generator<JsonElement, void, undefined> {
  const elements = new JsonElements(bytes)
  const scan = new JsonByteScan(bytes)
  while (elements.skip(bytes.length) === 'done') {
    const start = elements.at
    scan.begin(start)
    const progress = scan.run(Math.min(bytes.length, start + maxBytes))
    if (progress === 'more' && bytes.length > start + maxBytes) {
      throw new LimitError('json', start, `expected a value of at most ${maxBytes} bytes, found more`)
    }
    if (progress !== 'done') return
    elements.at = scan.at
    yield { start, end: scan.at }
  }
}

/** White space and commas; U+FEFF, which begins a text that was appended to another, is one as well. */
const isGap = (byte: number): boolean =>
  byte === 0x20 || byte === comma || byte === 0x0a || byte === 0x0d || byte === 0x09
