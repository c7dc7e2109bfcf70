import type { Payload } from '../../spool/events/decode-events.ts'
import { isRefusedName } from '../../spool/refused.ts'
import { matchesGlob } from '../../text/glob.ts'
import type { LiveAccepted, LiveEvent, LiveFigures, LiveFilter, LiveListener, LiveRejected } from './feed.ts'

/** Events a second that one looker is shown; of more it gets a sample. */
export const maxShownPerSecond = 50

/** A viewer's condition on the fields of events. */
export type LiveWhere = {
  /** Whether an event is wanted; undefined where finding out would take too long. */
  readonly matches: (fields: Payload) => boolean | undefined
  /** A field that is asked about and none of the events so far has, as a sentence. */
  readonly problem: string | undefined
}

/** One who looks: what it is to be shown, and how much of that. */
export class Looker {
  readonly #filter: LiveFilter
  readonly #listener: LiveListener
  readonly #text: string
  readonly #where: LiveWhere | undefined
  /** Events that it may still be shown; they come back over a second. */
  #tokens = maxShownPerSecond
  #shown = 0
  #notLookedAt = 0
  #isSampled = false
  #filledAt: number

  /** @param where what `filter.where` says */
  constructor(filter: LiveFilter, listener: LiveListener, nowMs: number, where?: LiveWhere) {
    this.#filter = filter
    this.#listener = listener
    this.#text = (filter.text ?? '').toLowerCase()
    this.#where = where
    this.#filledAt = nowMs
  }

  wantsAccepted(type: string): boolean {
    return this.#filter.events !== 'rejected' && !isRefusedName(type) && this.#wantsType(type)
  }

  /** Whether it may be shown one more; that it was not is noted by {@link leaveOut}. */
  hasRoom(nowMs: number): boolean {
    const back = ((nowMs - this.#filledAt) * maxShownPerSecond) / 1_000
    this.#tokens = Math.min(maxShownPerSecond, this.#tokens + back)
    this.#filledAt = nowMs
    return this.#tokens >= 1
  }

  /** Whether something was left out since the last report. */
  get isSampled(): boolean {
    return this.#isSampled
  }

  leaveOut(): void {
    this.#isSampled = true
  }

  /** Shows an accepted event of a type that it wants, where it holds what it looks for. @param fields uncut */
  showAccepted(event: LiveAccepted, fields: Payload): void {
    const isMatch = this.#where === undefined || this.#where.matches(fields)
    if (isMatch === undefined) this.#notLookedAt++
    if (!isMatch) return
    if (this.#hasText(event.type) || this.#hasText(event.fields)) this.#show(event)
  }

  /** Shows the head of an event that is too large to be decoded here; a filter cannot judge it. */
  showHead(event: LiveAccepted): void {
    if (this.#where || this.#text !== '') this.#notLookedAt++
    else this.#show(event)
  }

  /** A refused request has no parsed type, but the request as sent may name one. */
  showRejected(event: LiveRejected, nowMs: number): void {
    if (!this.wantsRejected(event)) return
    if (this.hasRoom(nowMs)) this.#show(event)
    else this.leaveOut()
  }

  wantsRejected({ sent, code, detail }: LiveRejected): boolean {
    const { types = [], events } = this.#filter
    if (events === 'accepted' || this.#where) return false
    const text = sent ? new TextDecoder().decode(sent.bytes) : ''
    const isOfType = types.length === 0 || types.some(type => text.includes(type.replaceAll('*', '')))
    return isOfType && [code, detail, text].some(one => this.#hasText(one))
  }

  tell({ at, accepted, rejected, slowed }: Pick<LiveFigures, 'at' | 'accepted' | 'rejected' | 'slowed'>): void {
    const problem = this.#where?.problem?.replace('no row has a column', 'no event so far has a field') ?? null
    this.#listener.onFigures({
      problem,
      at,
      accepted,
      rejected,
      slowed,
      shown: this.#shown,
      isSampled: this.#isSampled,
      notLookedAt: this.#notLookedAt,
    })
    this.#shown = 0
    this.#notLookedAt = 0
    this.#isSampled = false
  }

  end(): void {
    this.#listener.onEnd()
  }

  #hasText(text: string): boolean {
    return this.#text === '' || text.toLowerCase().includes(this.#text)
  }

  #wantsType(type: string): boolean {
    const { types = [] } = this.#filter
    return types.length === 0 || types.some(one => matchesGlob(one, type))
  }

  #show(event: LiveEvent): void {
    this.#tokens--
    this.#shown++
    this.#listener.onEvent(event)
  }
}
