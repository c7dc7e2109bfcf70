import { SluiceError } from '../../errors.ts'
import { startTimeout } from '../../runtime/timers.ts'
import type { Held, Holding } from './holding.ts'

/** Requests up to this size are small: they have a quarter of all bytes to themselves. */
export const smallBytes = 256 * 1024

/** Of all bytes: what large requests may hold together, and those of one client. */
const largePart = 3 / 4
const clientLargePart = 1 / 2
/** Of the rest: the most bytes of incomplete bodies, large ones as far as they are read, and those of one client. */
const incompletePart = 1 / 8
const clientIncompletePart = 1 / 16
/** How soon bodies that wait see what another thread has given back. */
const lookAgainMs = 10
/** When so much of that is held, large bodies are not read until it is their turn. */
const crowded = 1 / 2

type Share = Pick<Held, 'large' | 'incomplete'>

/**
 * Bodies that are large, or arrive in pieces, of all clients. Only sums are kept, and who waits; what one client may
 * hold is counted for each thread.
 */
export class BodyLine {
  readonly #maxBytes: () => number
  readonly #held: Holding
  readonly #clients = new Map<string, Share>()
  /** Those that are read on when all of them fit, oldest first. */
  readonly #waiting = new Set<LinePlace>()
  #timer: unknown

  /** @param maxBytes of all requests, as it is now */
  constructor(maxBytes: () => number, held: Holding) {
    this.#maxBytes = maxBytes
    this.#held = held
  }

  /** What all requests hold. */
  get held(): Readonly<Held> {
    return this.#held.all
  }

  /** How many clients hold something. */
  get clients(): number {
    return this.#clients.size
  }

  /** The largest body that ever gets its turn. */
  get mostBytes(): number {
    return Math.floor(this.#maxBytes() * largePart)
  }

  /** Whether a body may have this many more bytes; a body that is alone may exceed the part of its client. */
  hasRoom({ client, bytes, kind }: LinePlace, more: number): boolean {
    const max = this.#maxBytes()
    if (this.held.inflightBytes + more > max) return false
    const [all, own] = [this.held[kind] + more, (this.#clients.get(client)?.[kind] ?? 0) + more]
    const isAlone = own === bytes + more
    if (kind === 'large') return all <= max * largePart && (isAlone || own <= max * clientLargePart)
    return all === bytes + more || (all <= max * incompletePart && (isAlone || own <= max * clientIncompletePart))
  }

  isCrowded({ client }: LinePlace): boolean {
    const max = this.#maxBytes() * crowded
    const own = this.#clients.get(client)?.incomplete ?? 0
    return this.held.incomplete > max * incompletePart || own > max * clientIncompletePart
  }

  count({ client, kind }: LinePlace, more: number): void {
    const own = this.#clients.get(client) ?? { large: 0, incomplete: 0 }
    this.#held.add('inflightBytes', more)
    this.#held.add(kind, more)
    own[kind] += more
    if (own.large + own.incomplete > 0) this.#clients.set(client, own)
    else this.#clients.delete(client)
  }

  wait(place: LinePlace): void {
    this.#waiting.add(place)
    this.next()
    if (this.#held.isShared) this.#lookAgain()
  }

  leave(place: LinePlace): void {
    this.#waiting.delete(place)
    this.next()
  }

  /** Other threads give back what they hold without a word. */
  #lookAgain(): void {
    if (this.#waiting.size === 0 || this.#timer !== undefined) return
    this.#timer = startTimeout(() => {
      this.#timer = undefined
      this.next()
      this.#lookAgain()
    }, lookAgainMs)
  }

  /** Gives the oldest ones their turn; a client over its limit does not hold up the others. */
  next(): void {
    if (this.#waiting.size === 0) return
    const max = this.#maxBytes()
    const full = new Set<string>()
    for (const place of this.#waiting) {
      const { client, wholeBytes } = place
      if (full.has(client)) continue
      if (this.held.inflightBytes + wholeBytes - place.bytes > max) return
      if (this.held.large + wholeBytes > max * largePart) return
      const own = this.#clients.get(client)?.large ?? 0
      if (own > 0 && own + wholeBytes > max * clientLargePart) full.add(client)
      else {
        this.#waiting.delete(place)
        place.begin()
      }
    }
  }
}

/** What one body holds. */
export class LinePlace {
  readonly client: string
  readonly #line: BodyLine
  /** What it holds, and what of that has arrived. */
  bytes = 0
  #arrived = 0
  #whole = 0
  kind: keyof Share = 'large'
  #hasTurn = false
  #wake = (): void => {}

  constructor(line: BodyLine, client: string) {
    this.#line = line
    this.client = client
  }

  /** What it holds when it has its turn. */
  get wholeBytes(): number {
    return Math.max(this.bytes, Math.min(this.#whole, this.#line.mostBytes))
  }

  /** @throws SluiceError `overloaded` */
  add(more: number): void {
    if (!this.#line.hasRoom(this, more)) throw toOverloaded(this.#line.held.inflightBytes, more)
    this.#change(more)
  }

  /** @returns what is to be waited for before more is read @throws SluiceError `overloaded` */
  receive(more: number, wholeBytes: number): void | Promise<void> {
    this.#arrived += more
    if (this.#hasTurn) {
      if (this.#arrived > this.bytes) this.add(this.#arrived - this.bytes)
      return undefined
    }
    this.kind = 'incomplete'
    this.add(more)
    const isLarge = wholeBytes > smallBytes
    if (this.bytes <= smallBytes && !(isLarge && this.#line.isCrowded(this))) return undefined
    this.#whole = wholeBytes
    this.#line.wait(this)
    if (this.#hasTurn) return undefined
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }

  /** The whole body fits. */
  begin(): void {
    const { wholeBytes } = this
    this.#hasTurn = true
    this.#become('large', wholeBytes)
    this.#wake()
  }

  /** It has arrived. @returns whether it is a small one, whose bytes the line no longer counts */
  received(): boolean {
    const isSmall = this.#arrived <= smallBytes
    this.#become('large', isSmall ? 0 : this.#arrived)
    this.#line.next()
    return isSmall
  }

  /** Gives everything back. */
  close(): void {
    this.#change(-this.bytes)
    this.#line.leave(this)
    this.#wake()
  }

  #become(kind: keyof Share, bytes: number): void {
    this.#change(-this.bytes)
    this.kind = kind
    this.#change(bytes)
  }

  #change(more: number): void {
    this.#line.count(this, more)
    this.bytes += more
  }
}

/** The error of what does not fit beside what all requests hold. */
export const toOverloaded = (inflightBytes: number, more: number): SluiceError =>
  new SluiceError('overloaded', `Requests hold ${inflightBytes} bytes, ${more} more do not fit; retry later`)
