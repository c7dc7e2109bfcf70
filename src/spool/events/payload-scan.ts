/**
 * Finds the payload of an event in well-formed JSON (UTF-8), and whether its bytes say the same as what would be written of its
 * value: in one pass, and without building a value.
 */
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quoteByte,
} from '../../formats/json-grammar.ts'

/** Deeper events are not looked into. */
const maxDepth = 500

/** Names of one event that are remembered; those of an event that has more may repeat. */
const maxNames = 1_024

/** Twice as many, so that a free place is near. A power of 2. */
const places = 2 * maxNames

/** To a free place; names crafted so that all near ones are taken must not take long. */
const maxSteps = 32

/** A class, with memory that all events share. */
export class PayloadScan {
  /** Where the payload begins, at its opening brace. */
  start = 0
  end = 0
  /**
   * Whether the payload may be written unchanged: in one line, with no name twice in an object, none with an escape,
   * and no null for a date or granularity.
   */
  isPlain = false
  isEmpty = false
  hasDate = false
  hasGranularity = false
  hasEventName = false
  /** For each open level a mark that distinguishes the names of its object from those of others; 0 for an array. */
  readonly #levels = new Int32Array(maxDepth + 1)
  /** Hashes of names, each mixed with its object; 0 is a free place. */
  readonly #hashes = new Int32Array(places)
  readonly #used = new Int32Array(maxNames)
  #names = 0
  #isPayloadNext = false

  /** @returns the end of the event that begins there; -1 unless it is an object with one member `payload`, an object */
  read(bytes: Uint8Array, start: number): number {
    this.#reset()
    if (bytes[start] !== openBrace) return -1
    const levels = this.#levels
    const { length } = bytes
    let depth = 0
    let level = 0
    let objects = 0
    let isName = false
    for (let at = start; at < length; ) {
      const byte = bytes[at++] as number
      if (byte === quoteByte) {
        const textStart = at
        let hash = level
        let next = bytes[at++]
        if (isName) {
          for (; next !== quoteByte && at < length; next = bytes[at++]) {
            if (next === backslash) {
              this.isPlain = false
              at++
            }
            hash = Math.imul(hash ^ (next as number), hashPrime)
          }
          isName = false
          this.#note(hash | 1)
          if (depth <= 2) this.#readName(bytes, textStart, at - 1, depth)
        } else {
          for (; next !== quoteByte && at < length; next = bytes[at++]) if (next === backslash) at++
        }
      } else if (byte === comma) isName = level !== 0
      else if (byte >= openBracket) {
        if (byte === openBrace || byte === openBracket) {
          if (depth === maxDepth) return -1
          isName = byte === openBrace
          level = isName ? Math.imul(++objects, goldenRatio) : 0
          levels[++depth] = level
          if (depth === 2 && isName && this.#isPayloadNext) this.start = at - 1
        } else if (byte === closeBrace || byte === closeBracket) {
          isName = false
          if (depth === 2 && this.#isPayloadNext) {
            this.end = at
            this.#isPayloadNext = false
          }
          if (--depth <= 0) return this.end > this.start && this.start > start ? at : -1
          level = levels[depth] as number
        }
      } else if (byte < space && byte !== tab && depth > 1) this.isPlain = false
    }
    return -1
  }

  #readName(bytes: Uint8Array, start: number, end: number, depth: number): void {
    if (depth === 1) this.#isPayloadNext = isText(bytes, start, end, payloadName)
    else if (this.#isPayloadNext) this.#readMember(bytes, start, end)
  }

  /** A member of the payload itself. */
  #readMember(bytes: Uint8Array, start: number, end: number): void {
    this.isEmpty = false
    if (isText(bytes, start, end, eventName)) this.hasEventName = true
    else if (isText(bytes, start, end, eventDate)) {
      this.hasDate = true
      if (isNull(bytes, end + 1)) this.isPlain = false
    } else if (isText(bytes, start, end, eventGranularity)) {
      this.hasGranularity = true
      if (isNull(bytes, end + 1)) this.isPlain = false
    }
  }

  /** Rarely two names have one hash, or many need one slot: they are then treated as one name that occurs twice. */
  #note(hash: number): void {
    if (!this.isPlain) return
    if (this.#names < maxNames) {
      const hashes = this.#hashes
      const first = hash >>> 7
      for (let step = 0; step < maxSteps; step++) {
        const place = (first + step) & (places - 1)
        const known = hashes[place]
        if (known === hash) break
        if (known !== 0) continue
        hashes[place] = hash
        this.#used[this.#names++] = place
        return
      }
    }
    this.isPlain = false
  }

  #reset(): void {
    for (let i = 0; i < this.#names; i++) this.#hashes[this.#used[i] as number] = 0
    this.#names = 0
    this.start = 0
    this.end = 0
    this.isPlain = true
    this.isEmpty = true
    this.hasDate = false
    this.hasGranularity = false
    this.hasEventName = false
    this.#isPayloadNext = false
  }
}

const isText = (bytes: Uint8Array, start: number, end: number, text: Uint8Array): boolean => {
  if (end - start !== text.length) return false
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text[i]) return false
  return true
}

/** Of a value, after its colon. */
const isNull = (bytes: Uint8Array, from: number): boolean => {
  let at = from
  for (let byte = bytes[at]; byte === colon || (byte !== undefined && byte <= space); byte = bytes[at]) at++
  return bytes[at] === letterN
}

const payloadName = Buffer.from('payload')
const eventName = Buffer.from('eventName')
const eventDate = Buffer.from('eventDate')
const eventGranularity = Buffer.from('eventGranularity')

/** For hashes: multiplied by it, numbers that follow one another are far apart (Knuth); FNV-1a. */
const goldenRatio = 0x9e3779b1
const hashPrime = 0x01000193

const tab = 0x09
const space = 0x20
const letterN = 0x6e
