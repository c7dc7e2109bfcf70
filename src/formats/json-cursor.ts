import { type JsonScan, scanJson, type Work } from './json-scan.ts'

/** Work beyond this many times the text ends the search; genuine damage takes about three. */
const maxWorkFactor = 16

/**
 * Patterns of one repeated class of characters, for {@link JsonCursor.skip}. U+FEFF begins a text appended to another.
 */
export const spaces = /[ \t\n\r]*/y
export const gaps = /[ \t\n\r,\]\ufeff]*/y
export const separators = /[ \t\n\r,[\]\ufeff]*/y
export const word = /[^ \t\n\r,[\]{"\ufeff]*/y

/** What may follow a value that is not an object; empty is the end. */
const delimiters = new Set(['', ' ', '\t', '\n', '\r', ',', '[', ']', '{', '\ufeff'])

/** Ways to look at a text that may be JSON, from any offset, with every character that is looked at counted. */
export class JsonCursor {
  readonly text: string
  readonly #maxDepth: number
  readonly #work: Work
  readonly #mostWork: number

  constructor(text: string, maxDepth: number, work: Work) {
    this.text = text
    this.#maxDepth = maxDepth
    this.#work = work
    this.#mostWork = work.characters + maxWorkFactor * text.length
  }

  /** The character at an offset; empty at the end. */
  look(at: number): string {
    this.#work.characters++
    return this.text.charAt(at)
  }

  /** Scans the value at an offset; beyond the budget it is one that goes wrong at the end of the text. */
  scan(at: number): JsonScan {
    if (this.#work.characters > this.#mostWork) {
      return { ok: false, end: this.text.length, expected: 'less damage', isSyntax: false, open: [] }
    }
    // A value may follow a broken one that is as deep as allowed; its own depth is checked by `parse`.
    return scanJson(this.text, at, 2 * this.#maxDepth, this.#work)
  }

  /** The value that a scan has found; undefined when it is too deep. */
  parse(start: number, { end, depth }: Extract<JsonScan, { ok: true }>): unknown {
    if (depth > this.#maxDepth) return undefined
    try {
      return JSON.parse(this.text.slice(start, end))
    } catch {
      return undefined
    }
  }

  /** The first offset from `at` on that a pattern does not take. */
  skip(pattern: RegExp, at: number): number {
    pattern.lastIndex = at
    pattern.test(this.text)
    this.#work.characters += pattern.lastIndex - at
    return pattern.lastIndex
  }

  /** The offset of the next brace that may begin an object, judged by what follows it; the end without. */
  toObject(from: number): number {
    for (let at = from; ; ) {
      const brace = this.text.indexOf('{', at)
      const end = brace < 0 ? this.text.length : brace
      this.#work.characters += end - at + 1
      if (brace < 0) return end
      at = brace + 1
      const next = this.text.charAt(this.skip(spaces, at))
      if (next === '"' || next === '}') return brace
    }
  }

  /** Whether a value that is not an object may end here. */
  isDelimited(end: number): boolean {
    return delimiters.has(this.text.charAt(end))
  }

  /** Whether the text before an object rules one out there, whatever value it may be a part of. */
  isOutOfPlace(at: number): boolean {
    const before = this.text.slice(0, at).trimEnd().at(-1)
    return before !== ':' && before !== ',' && before !== '['
  }
}
