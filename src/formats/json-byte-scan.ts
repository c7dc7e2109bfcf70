/**
 * Finds where a JSON value (RFC 8259) ends in UTF-8 bytes, without building it and without taking more than a bit of
 * memory for each level; a stretch at a time, so that a scan of 100 MB can yield to other work. Values are counted
 * meanwhile. Words (numbers, `true`) and escapes are not checked: a parser may still refuse a value that is accepted
 * here, but what is refused here is not JSON.
 */
import { backslash, closeBrace, closeBracket, colon, comma, openBrace, openBracket, quoteByte } from './json-grammar.ts'
import { Levels } from './levels.ts'

/**
 * Whether a scan must continue, has found the end, or has met a byte that JSON does not allow there (or the end of the
 * bytes).
 */
export type ScanProgress = 'more' | 'done' | 'failed'

/** Words up to this long are read quickly whatever they are. */
const longWordBytes = 8_192

/** A class: it is used for each event of a body. */
export class JsonByteScan {
  readonly #bytes: Uint8Array
  #state: State = states.value
  readonly #open = new Levels()
  #wordStart = 0
  /** The next byte to look at; after the value when it is done, where it failed otherwise. */
  at = 0
  /** Values so far, arrays and objects included, names excluded. */
  values = 0
  /** Deepest level so far. */
  depth = 0
  /** Bytes of numbers longer than 8 192 bytes, which take more than linear time to read. */
  longBytes = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Begins with the value at an offset, after any white space. */
  begin(at: number): void {
    this.#state = states.value
    this.#open.clear()
    this.at = at
    this.values = 0
    this.depth = 0
    this.longBytes = 0
  }

  /** Continues up to this offset. */
  run(until: number): ScanProgress {
    const bytes = this.#bytes
    const end = Math.min(until, bytes.length)
    let state: State = this.#state
    const open = this.#open
    let at = this.at
    while (at < end) {
      const byte = bytes[at] as number
      if (state === states.text || state === states.name) {
        at = toTextEnd(bytes, at, end)
        const found = bytes[at]
        if (at >= end) break
        if (found === quoteByte) {
          state = state === states.name ? states.colon : states.after
          at++
        } else if (found === backslash) at += 2
        else return this.#stop(at, state, 'failed')
        if (state !== states.after || open.depth > 0) continue
        return this.#stop(at, state, 'done')
      }
      if (state === states.word) {
        if (isWordByte(byte)) {
          at++
          continue
        }
        this.#endWord(at)
        state = states.after
      }
      if (state === states.after && open.depth === 0) return this.#stop(at, state, 'done')
      if (byte <= 0x20) {
        if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return this.#stop(at, state, 'failed')
        at++
        continue
      }
      if (state === states.after) {
        if (byte === comma) state = open.isObject ? states.nextName : states.value
        else if (byte === (open.isObject ? closeBrace : closeBracket)) open.pop()
        else return this.#stop(at, state, 'failed')
      } else if (state === states.value || state === states.element) {
        if (byte === closeBracket && state === states.element) {
          open.pop()
          state = states.after
        } else {
          this.values++
          if (byte === quoteByte) state = states.text
          else if (byte === openBrace || byte === openBracket) {
            open.push(byte === openBrace)
            if (open.depth > this.depth) this.depth = open.depth
            state = byte === openBrace ? states.firstName : states.element
          } else if (isWordByte(byte)) {
            this.#wordStart = at
            state = states.word
          } else return this.#stop(at, state, 'failed')
        }
      } else if (state === states.colon) {
        if (byte !== colon) return this.#stop(at, state, 'failed')
        state = states.value
      } else if (byte === quoteByte) state = states.name
      else if (byte === closeBrace && state === states.firstName) {
        open.pop()
        state = states.after
      } else return this.#stop(at, state, 'failed')
      at++
      if (state === states.after && open.depth === 0) return this.#stop(at, state, 'done')
    }
    if (at < bytes.length) return this.#stop(at, state, 'more')
    if (state === states.word) this.#endWord(bytes.length)
    const isDone = open.depth === 0 && (state === states.word || state === states.after)
    return this.#stop(bytes.length, state, isDone ? 'done' : 'failed')
  }

  #stop(at: number, state: State, progress: ScanProgress): ScanProgress {
    this.at = at
    this.#state = state
    return progress
  }

  #endWord(at: number): void {
    if (at - this.#wordStart > longWordBytes) this.longBytes += at - this.#wordStart
  }
}

/** The next byte that is not a plain character of a text: a quote, a backslash, or one that no text has. */
const toTextEnd = (bytes: Uint8Array, from: number, end: number): number => {
  let at = from
  for (; at < end; at++) {
    const byte = bytes[at] as number
    if (byte === quoteByte || byte === backslash || byte < 0x20) break
  }
  return at
}

/** What may follow; within a text, a name or a word it is the rest of that. */
const states = {
  value: 0,
  element: 1,
  firstName: 2,
  nextName: 3,
  colon: 4,
  after: 5,
  text: 6,
  name: 7,
  word: 8,
} as const
type State = (typeof states)[keyof typeof states]

/** Of numbers and literals: letters, digits, `+`, `-` and `.`. */
const isWordByte = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x2d ||
  byte === 0x2e ||
  byte === 0x2b ||
  byte === 0x45
