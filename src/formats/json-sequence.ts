/**
 * Events in a body that is not one JSON value: values one after another, with or without commas or whitespace, JSON
 * lines, arrays one after another or never closed; and the good ones among damaged ones.
 *
 * Between values, `[`, `]`, `,` and whitespace are punctuation, wherever they occur. After a damaged value the next one
 * is searched for, and everything in between is one error:
 * - after a bare word, at the next value;
 * - after an object or string that breaks off, at an object: any object where the grammar allows none, and otherwise
 *   (it may be a part of the damaged value) only one that `isEvent` accepts. Text that looked like a string is searched
 *   as well: a string that was cut short swallows the beginning of the next event.
 *
 * The work is linear. A scan that fails settles all objects that it went through: those still open fail at the same
 * place, those that closed are good. What is left are braces in strings, whose scans run with quotes the other way
 * round and settle theirs. A budget backs this up: beyond it the rest is one error.
 */
import { FormatError } from '../errors.ts'
import { gaps, JsonCursor, separators, spaces, word } from './json-cursor.ts'
import type { JsonScan, Work } from './json-scan.ts'

export type JsonSequenceLimits = {
  /** Objects and arrays within one another. @default 512 */
  readonly maxDepth?: number
  /** Whether an object found inside a damaged value is one of its own. @default it has a key `eventName` */
  readonly isEvent?: (value: unknown) => boolean
  /** Counts the characters looked at, each time; at most about 16 times the text. */
  readonly work?: Work
}

/** Offsets are in characters; `index` is the position among values and errors, from 0. */
export type JsonSequenceItem =
  | {
      readonly kind: 'value'
      readonly text: string
      readonly offset: number
      readonly index: number
      /** Values that the text holds, itself included: what parsing it makes. */
      readonly values: number
    }
  /** An empty array: something was taken, but it is not an event and has no index. */
  | { readonly kind: 'empty'; readonly offset: number }
  /** A damaged stretch that begins at `offset`; the error's own offset is where something else was expected. */
  | { readonly kind: 'error'; readonly error: FormatError; readonly offset: number; readonly index: number }

/** Finds all values of a body in their order. Nothing is thrown for what the text holds; values are not kept. */
export const splitJsonSequence = (text: string, limits: JsonSequenceLimits = {}): Generator<JsonSequenceItem> =>
  new Splitter(text, limits).split()

type Found = Pick<Extract<JsonScan, { ok: true }>, 'end' | 'values'>
type Failure = Pick<Extract<JsonScan, { ok: false }>, 'end' | 'expected' | 'isSyntax' | 'open'>

class Splitter {
  readonly #cursor: JsonCursor
  readonly #maxDepth: number
  readonly #isEvent: (value: unknown) => boolean
  #index = 0
  /** The damage found since the last value: one error, however long it is. */
  #damage: { readonly offset: number; readonly at: number; readonly expected: string } | undefined

  constructor(text: string, { maxDepth = 512, isEvent = hasEventName, work = { characters: 0 } }: JsonSequenceLimits) {
    this.#cursor = new JsonCursor(text, maxDepth, work)
    this.#maxDepth = maxDepth
    this.#isEvent = isEvent
  }

  *split(): Generator<JsonSequenceItem, void, undefined> {
    const cursor = this.#cursor
    for (let at = cursor.skip(gaps, 0); at < cursor.text.length; at = cursor.skip(gaps, at)) {
      const char = cursor.look(at)
      if (char === '[') {
        const close = cursor.skip(spaces, at + 1)
        if (cursor.look(close) === ']') {
          yield* this.#report()
          yield { kind: 'empty', offset: at }
        }
        at = close
        continue
      }
      const found = cursor.scan(at)
      if (found.ok && (char === '{' || cursor.isDelimited(found.end))) {
        if (cursor.parse(at, found) === undefined) this.#note(at, at, `at most ${this.#maxDepth} levels`)
        else yield* this.#take(at, found)
        at = found.end
      } else {
        const failure = found.ok ? { end: found.end, expected: 'a separator', isSyntax: true, open: [] } : found
        this.#note(at, failure.end, failure.expected)
        at = char === '{' || char === '"' ? yield* this.#recover(at, failure) : cursor.skip(word, at + 1)
      }
    }
    yield* this.#report()
  }

  /**
   * Continues after a value at `start` that broke off: yields the events that it swallowed, and returns where values
   * may follow one another again.
   */
  *#recover(start: number, first: Failure): Generator<JsonSequenceItem, number, undefined> {
    const cursor = this.#cursor
    let at = start
    for (let failure = first; ; ) {
      const inside: Inside = yield* this.#searchInside(at, failure)
      if (inside.failure === undefined) return inside.at
      const { end, expected, isSyntax } = inside.failure
      if (inside.at > 0) {
        const rest = cursor.skip(separators, inside.at)
        if (rest >= end) return end
        this.#note(rest, end, expected)
      }
      at = cursor.toObject(end)
      let isNext = isSyntax && cursor.skip(separators, end) === at
      let found = cursor.scan(at)
      for (; found.ok; found = cursor.scan(at)) {
        const value = cursor.parse(at, found)
        if (value !== undefined && (isNext || cursor.isOutOfPlace(at) || this.#isEvent(value))) {
          yield* this.#take(at, found)
          return found.end
        }
        at = cursor.toObject(found.end)
        isNext = false
      }
      if (at === cursor.text.length) return at
      failure = found
    }
  }

  /** Yields the events inside a value that broke off, up to where it did; see the head of the file. */
  *#searchInside(start: number, first: Failure): Generator<JsonSequenceItem, Inside, undefined> {
    const cursor = this.#cursor
    let failure = first
    let taken = 0
    let settled = start
    let opened = 0
    let inString = cursor.look(start) === '"'
    for (let at = start + 1; at < failure.end; at++) {
      const char = cursor.look(at)
      if (char === '\\') at++
      else if (char === '"') inString = !inString
      if (char !== '{') continue
      if (!inString) {
        while ((failure.open[opened] ?? at) < at) opened++
        if (failure.open[opened] === at) continue
      } else if (at < settled) continue
      const found = cursor.scan(at)
      const value = found.ok ? cursor.parse(at, found) : undefined
      const isNext = value !== undefined && ((inString && found.end > failure.end) || this.#isEvent(value))
      if (isNext && found.ok) yield* this.#take(at, found)
      if (isNext && inString) return { at: found.end }
      if (isNext) taken = found.end
      if (inString) settled = Math.min(found.end, failure.end)
      else if (found.ok) at = found.end - 1
      if (inString && !found.ok && found.end > failure.end) {
        // The text that looked like a string is the better reading: it reaches further.
        failure = found
        opened = 0
        inString = false
      }
    }
    return { at: taken, failure }
  }

  *#take(start: number, { end, values }: Found): Generator<JsonSequenceItem, void, undefined> {
    yield* this.#report()
    yield { kind: 'value', text: this.#cursor.text.slice(start, end), offset: start, index: this.#index++, values }
  }

  *#report(): Generator<JsonSequenceItem, void, undefined> {
    if (this.#damage === undefined) return
    const { offset, at, expected } = this.#damage
    this.#damage = undefined
    const error = new FormatError('json', at, `expected ${expected} (the damage begins at ${offset})`, {
      unit: 'character',
    })
    yield { kind: 'error', error, offset, index: this.#index++ }
  }

  #note(offset: number, at: number, expected: string): void {
    this.#damage ??= { offset, at, expected }
  }
}

/** Where the search inside a value ended: after an event that reaches beyond it, or where it broke off. */
type Inside = {
  /** After the last event taken, 0 without. */
  readonly at: number
  readonly failure?: Failure
}

/** Whether a value calls itself an event. */
export const hasEventName = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'eventName')
