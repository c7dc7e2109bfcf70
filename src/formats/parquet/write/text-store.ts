import type { Buffer } from 'node:buffer'
import { ByteSink } from './byte-sink.ts'
import { writeHybrid } from './hybrid-writer.ts'
import { type Bounds, type LeafValue, toLarger, type ValueStore, writeWord } from './value-store.ts'

/** A dictionary with more bytes than this is given up: a reader has to hold it whole. */
const maxDictionaryBytes = 1 << 20

/** Places of a table that is used again: to clear a large one would cost those more that have few values. */
const keptTable = 1_024

/** To a free place; texts crafted so that all near ones are taken must not take long. */
const maxSteps = 256

/** After this many values it is given up if more than three of four were new. */
const triedValues = 1_024

/**
 * Values of BYTE_ARRAY, each kept once as long as enough of them recur: `length:4 bytes`, both in a dictionary and in a
 * plain page.
 */
export class TextStore implements ValueStore {
  /** The dictionary, or, once it is given up, all values. */
  readonly #sink = new ByteSink()
  /** Where each value of the dictionary begins. */
  #starts = new Int32Array(64)
  #distinct = 0
  /** Number of a value of the dictionary + 1, by its hash; 0 is a free place. */
  #table = new Int32Array(keptTable)
  #hashes = new Int32Array(64)
  /** For each value its number in the dictionary. */
  #indexes = new Int32Array(64)
  #isPlain = false
  #isCrowded = false
  /** Where the next plain value is read. */
  #at = 0
  count = 0
  plainBytes = 0

  add(value: LeafValue): void {
    if (typeof value === 'string') this.addText(value)
    else if (value instanceof Uint8Array) this.addUtf8(value, 0, value.length)
  }

  addText(text: string): void {
    const sink = this.#sink
    sink.reserve(text.length * 3 + 4)
    const { bytes } = sink
    const start = sink.length + 4
    let hash = hashSeed
    let code = text.length > maxShort ? maxAscii + 1 : 0
    for (let i = 0; i < text.length && code <= maxAscii; i++) {
      code = text.charCodeAt(i)
      bytes[start + i] = code
      hash = Math.imul(hash ^ code, hashPrime)
    }
    if (code <= maxAscii) this.#take(start, start + text.length, hash)
    else this.#addLong(text, start)
  }

  /** Bytes of a text, or of anything. */
  addUtf8(from: Uint8Array, start: number, end: number): void {
    const sink = this.#sink
    sink.reserve(end - start + 4)
    const { bytes } = sink
    const at = sink.length + 4
    let hash = hashSeed
    for (let i = start; i < end; i++) {
      const byte = from[i] as number
      bytes[at + i - start] = byte
      hash = Math.imul(hash ^ byte, hashPrime)
    }
    this.#take(at, at + end - start, hash)
  }

  /** Values of the dictionary; 0 without one, for example when it would save nothing. */
  get dictionarySize(): number {
    if (this.#isPlain || this.count === 0) return 0
    return this.#sink.length + (this.count * this.#width) / 8 < this.plainBytes ? this.#distinct : 0
  }

  /** The dictionary as a plain page. */
  dictionary(): Uint8Array {
    return this.#sink.view()
  }

  /** Numbers of the dictionary. */
  writeIndexes(start: number, end: number, sink: ByteSink): void {
    sink.byte(this.#width)
    writeHybrid(this.#indexes, start, end, this.#width, sink)
  }

  write(start: number, end: number, sink: ByteSink): void {
    const { bytes } = this.#sink
    if (!this.#isPlain) {
      for (let i = start; i < end; i++) {
        const from = this.#starts[this.#indexes[i] as number] as number
        sink.copy(bytes, from, from + 4 + bytes.readUInt32LE(from))
      }
      return
    }
    if (start === 0) this.#at = 0
    const from = this.#at
    for (let i = start; i < end; i++) this.#at += 4 + bytes.readUInt32LE(this.#at)
    sink.append(bytes.subarray(from, this.#at))
  }

  /** For texts without an order bounds are of no use to a reader. */
  bounds(): Bounds | undefined {
    return undefined
  }

  clear(): void {
    this.#sink.length = 0
    if (this.#table.length > keptTable) this.#table = new Int32Array(keptTable)
    else if (this.#distinct > 0) this.#table.fill(0)
    this.#distinct = 0
    this.#isPlain = false
    this.#isCrowded = false
    this.count = 0
    this.plainBytes = 0
  }

  get #width(): number {
    return Math.max(1, 32 - Math.clz32(this.#distinct - 1))
  }

  #addLong(text: string, start: number): void {
    const { bytes } = this.#sink
    const end = start + bytes.write(text, start, 'utf8')
    let hash = hashSeed
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), hashPrime)
    this.#take(start, end, hash)
  }

  /** Takes the value that was written after the others, with space for its length before it. */
  #take(start: number, end: number, hash: number): void {
    const sink = this.#sink
    this.plainBytes += end - start + 4
    if (this.#isPlain) this.count++
    else {
      if (this.count === this.#indexes.length) this.#indexes = toLarger(this.#indexes)
      const known = this.#find(start, end, hash)
      if (known >= 0) {
        this.#indexes[this.count++] = known
        return
      }
      this.#indexes[this.count++] = this.#distinct - 1
    }
    writeWord(sink.bytes, start - 4, end - start)
    sink.length = end
    if (this.#isPlain) return
    const isVain = this.#isCrowded || (this.count >= triedValues && this.#distinct * 4 > this.count * 3)
    if (isVain || sink.length > maxDictionaryBytes) this.#giveUp()
  }

  /** The number of a value of the dictionary; -1 where it is new, and has its place now. */
  #find(start: number, end: number, hash: number): number {
    const { bytes, length } = this.#sink
    const table = this.#table
    const mask = table.length - 1
    let place = (hash ^ (hash >>> 15)) & mask
    let steps = 0
    for (let entry = table[place] as number; entry !== 0; entry = table[place] as number) {
      if (this.#hashes[entry - 1] === hash && isEqual(bytes, this.#starts[entry - 1] as number, start, end)) {
        return entry - 1
      }
      place = (place + 1) & mask
      steps++
    }
    if (steps > maxSteps) this.#isCrowded = true
    if (this.#distinct === this.#starts.length) {
      this.#starts = toLarger(this.#starts)
      this.#hashes = toLarger(this.#hashes)
    }
    this.#starts[this.#distinct] = length
    this.#hashes[this.#distinct++] = hash
    table[place] = this.#distinct
    if (2 * this.#distinct > table.length) this.#rehash()
    return -1
  }

  #rehash(): void {
    const table = new Int32Array(2 * this.#table.length)
    const mask = table.length - 1
    for (let i = 0; i < this.#distinct; i++) {
      const hash = this.#hashes[i] as number
      let place = (hash ^ (hash >>> 15)) & mask
      while (table[place] !== 0) place = (place + 1) & mask
      table[place] = i + 1
    }
    this.#table = table
  }

  /** From the dictionary to all values in their order. */
  #giveUp(): void {
    const plain = new ByteSink(2 * this.plainBytes)
    this.write(0, this.count, plain)
    this.#sink.length = 0
    this.#sink.append(plain.view())
    this.#isPlain = true
  }
}

/** Longer texts, and those with others than ASCII, are written by the engine. */
const maxShort = 128
const maxAscii = 0x7f

/** FNV-1a, of 32 bits. */
const hashSeed = 0x811c9dc5 | 0
const hashPrime = 0x01000193

/** Whether the value of the dictionary that begins at `known` has the same bytes. */
const isEqual = (bytes: Buffer, known: number, start: number, end: number): boolean => {
  if (bytes.readUInt32LE(known) !== end - start) return false
  for (let i = start, at = known + 4; i < end; i++, at++) if (bytes[i] !== bytes[at]) return false
  return true
}
