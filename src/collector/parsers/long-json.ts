import { FormatError } from '../../errors.ts'
import type { ScanProgress } from '../../formats/json-byte-scan.ts'
import { JsonElements } from '../../formats/json-elements.ts'
import { splitJsonSequence } from '../../formats/json-sequence.ts'
import type { EventHead } from '../../spool/batch.ts'
import { createRejections, type EventDefaults, type Parsed, tooManyEvents } from '../parsed.ts'
import type { WorkTurns } from '../work-turns.ts'
import { type Envelope, type EnvelopeReader, nameAndPayload } from './envelope.ts'
import { createInspection, type InspectEvent } from './inspection.ts'
import { noValue } from './json-rebuild.ts'
import { JsonSlices, Unstorable } from './json-slice.ts'
import { maxEventDepth } from './scan.ts'

/** Bytes scanned between two looks at the clock. */
const stretchBytes = 512 * 1024

/** Events beyond this have turns of their own for each step. */
const largeBytes = 1024 * 1024

/** Objects looked at in search of the next event, in a whole body: damage that has more is one to its end. */
const maxCandidates = 200_000

/** Longest damage that is searched for events, and of longer ones the end: the search takes text, and a turn. */
const maxSalvageBytes = 128 * 1024

/**
 * The events of a long UTF-8 body, as `parseJsonEvents` finds them, in turns and in the memory of one event: the bytes
 * are scanned for where values end, and each is parsed alone. An event over the limits is never built. What cannot be
 * kept is written over with spaces, in `bytes`, which then are the batch's body.
 *
 * Where a value breaks off, the next event is searched for; what lies before it is searched as in a short body. Every
 * byte is scanned a bounded number of times.
 * @throws SluiceError `bad-event`: no complete value; `too-large`: too many events
 */
export const parseLongJson = (
  bytes: Buffer,
  defaults: EventDefaults,
  turns: WorkTurns,
  inspect?: InspectEvent,
  envelope: Envelope = nameAndPayload,
): Promise<Parsed> => new LongJson(bytes, defaults, envelope, turns, inspect).parse()

class LongJson {
  readonly #bytes: Buffer
  readonly #defaults: EventDefaults
  readonly #turns: WorkTurns
  readonly #inspection
  readonly #elements: JsonElements
  readonly #slices: JsonSlices
  readonly #scan: JsonSlices['scan']
  readonly #rejections = createRejections()
  readonly #reader: EnvelopeReader
  readonly #isEvent: Envelope['isEvent']
  readonly #events: EventHead[] = []
  #index = 0
  #candidates = 0
  #hasValue = false
  #firstError: FormatError | undefined

  constructor(
    bytes: Buffer,
    defaults: EventDefaults,
    envelope: Envelope,
    turns: WorkTurns,
    inspect: InspectEvent | undefined,
  ) {
    this.#bytes = bytes
    this.#defaults = defaults
    this.#turns = turns
    this.#inspection = createInspection(inspect)
    this.#elements = new JsonElements(bytes)
    this.#slices = new JsonSlices(bytes, defaults.maxValues)
    this.#scan = this.#slices.scan
    this.#isEvent = envelope.isEvent
    this.#reader = envelope.createReader(defaults, this.#rejections)
  }

  async parse(): Promise<Parsed> {
    const elements = this.#elements
    while (elements.skip(elements.at + stretchBytes) === 'done' || (await this.#goOn(elements))) {
      const start = elements.at
      const scanned = this.#scanValue(start)
      const isWhole = (typeof scanned === 'boolean' ? scanned : await scanned) && this.#isDelimited(start)
      const end = this.#scan.at
      elements.at = end
      const isTaken = isWhole && (end - start > largeBytes ? await this.#takeLarge(start, end) : this.#take(start, end))
      if (!isTaken) elements.at = await this.#salvage(start, end)
      if (this.#turns.isOver()) await this.#turns.next()
    }
    if (!this.#hasValue && elements.emptyArrays === 0) throw noValue(this.#firstError)
    return {
      format: 'json',
      body: this.#bytes,
      events: this.#events,
      rejections: this.#rejections,
      loneSurrogates: this.#slices.loneSurrogates,
      ...this.#inspection.result(),
    }
  }

  /** Moves to the next value; false at the end. */
  async #goOn(elements: JsonElements): Promise<boolean> {
    let progress = elements.skip(elements.at + stretchBytes)
    for (; progress === 'more'; progress = elements.skip(elements.at + stretchBytes)) await this.#giveWay()
    return progress === 'done'
  }

  /** Whether a whole value is at an offset; the scan knows where it ends, or breaks off. */
  #scanValue(start: number): boolean | Promise<boolean> {
    const scan = this.#scan
    scan.begin(start)
    const progress = scan.run(start + stretchBytes)
    return progress === 'more' ? this.#scanOn() : progress === 'done'
  }

  async #scanOn(): Promise<boolean> {
    const scan = this.#scan
    let progress: ScanProgress = 'more'
    for (; progress === 'more'; progress = scan.run(scan.at + stretchBytes)) await this.#giveWay()
    return progress === 'done'
  }

  /** Usually there is time left, and nothing to wait for. */
  #giveWay(): Promise<void> | undefined {
    return this.#turns.isOver() ? this.#turns.next() : undefined
  }

  /** Objects and arrays end by themselves; what follows anything else has to be no part of it. */
  #isDelimited(start: number): boolean {
    const first = this.#bytes[start]
    const next = this.#bytes[this.#scan.at]
    return first === openBrace || first === openBracket || next === undefined || delimiters.has(next)
  }

  /** Takes or refuses the value that was scanned; false when it is not JSON after all. */
  #take(start: number, end: number): boolean {
    const problem = this.#slices.findProblem(start, end)
    if (problem !== undefined) {
      this.#refuse(start, end, problem)
      return true
    }
    const value = this.#slices.parse(this.#slices.decode(start, end), this.#scan.longBytes > 0)
    if (value === undefined) return false
    this.#read(start, end, value)
    return true
  }

  /** The same, with a turn for each step: together they may take too long. */
  async #takeLarge(start: number, end: number): Promise<boolean> {
    await this.#turns.next()
    if (this.#slices.findProblem(start, end) !== undefined) return this.#take(start, end)
    const text = this.#slices.decode(start, end)
    await this.#turns.next()
    const value = this.#slices.parse(text, this.#scan.longBytes > 0)
    if (value === undefined) return false
    await this.#turns.next()
    this.#read(start, end, value)
    return true
  }

  #read(start: number, end: number, value: unknown): void {
    if (value instanceof Unstorable) {
      this.#refuse(start, end, value.why)
      return
    }
    const head = this.#reader.read(value, this.#nextIndex(), this.#events.length)
    this.#hasValue = true
    if (head === undefined) this.#blank(start, end, true)
    else {
      this.#events.push(head)
      this.#inspection.look(head, value, () => this.#slices.parse(this.#bytes.toString('utf8', start, end), true))
    }
  }

  #refuse(start: number, end: number, why: string): void {
    this.#hasValue = true
    this.#rejections.add(this.#nextIndex(), 'bad-event', why)
    this.#blank(start, end, true)
  }

  #nextIndex(): number {
    if (this.#index >= this.#defaults.maxEvents) throw tooManyEvents(this.#defaults.maxEvents)
    return this.#index++
  }

  #blank(start: number, end: number, isLast = false): void {
    if (isLast) this.#rejections.keep(this.#index - 1, this.#bytes.subarray(start, end), 'application/json')
    this.#bytes.fill(' ', start, end)
  }

  /** Keeps the events within what broke off, and returns where the next one begins. */
  async #salvage(start: number, brokenAt: number): Promise<number> {
    const end = await this.#findNext(Math.max(brokenAt, start + 1))
    const from = Math.max(start, end - maxSalvageBytes)
    if (from > start) this.#note(new FormatError('json', brokenAt, 'expected the rest of a value'))
    let keptTo = start
    const text = this.#bytes.toString('latin1', from, end)
    const limits = { maxDepth: maxEventDepth, isEvent: this.#isEvent }
    for (const item of splitJsonSequence(text, limits)) {
      if (item.kind === 'error') {
        if (from === start) this.#note(item.error)
      } else if (item.kind === 'empty') this.#hasValue = true
      else {
        const at = from + item.offset
        const itemEnd = at + item.text.length
        // In the middle of something only what calls itself an event is one.
        if (from > start && !this.#isEvent(JSON.parse(item.text))) continue
        this.#blank(keptTo, at)
        keptTo = itemEnd
        this.#scan.begin(at)
        this.#scan.run(itemEnd)
        if (!this.#take(at, itemEnd)) this.#blank(at, itemEnd)
      }
      if (this.#turns.isOver()) await this.#turns.next()
    }
    this.#blank(keptTo, end)
    return end
  }

  #note(error: FormatError): void {
    this.#firstError ??= error
    this.#rejections.add(this.#nextIndex(), 'bad-event', error.message)
  }

  /** Where the next object begins that calls itself an event, or is too large to look into; the end without. */
  async #findNext(from: number): Promise<number> {
    const bytes = this.#bytes
    const scan = this.#scan
    for (let at = bytes.indexOf(openBrace, from); at >= 0; at = bytes.indexOf(openBrace, at)) {
      if (++this.#candidates > maxCandidates) break
      const scanned = this.#scanValue(at)
      const isWhole = typeof scanned === 'boolean' ? scanned : await scanned
      if (isWhole && this.#mayBeEvent(at, scan.at)) return at
      at = Math.max(scan.at, at + 1)
      if (this.#turns.isOver()) await this.#turns.next()
    }
    return bytes.length
  }

  /** An object that calls itself an event, or is too large to look into. */
  #mayBeEvent(start: number, end: number): boolean {
    if (this.#slices.findProblem(start, end) !== undefined) return true
    try {
      return this.#isEvent(JSON.parse(this.#bytes.toString('utf8', start, end)))
    } catch {
      return false
    }
  }
}

const openBrace = 0x7b
const openBracket = 0x5b
const delimiters = new Set(Buffer.from(' \t\n\r,[]{'))
