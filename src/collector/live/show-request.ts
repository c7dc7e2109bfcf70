import { LimitError } from '../../errors.ts'
import { stringifyJson } from '../../formats/json.ts'
import type { Batch, EventHead } from '../../spool/batch.ts'
import { type DecodedEvent, decodeEvents, type Payload } from '../../spool/events/decode-events.ts'
import { toThriftPayload } from '../../spool/events/thrift-payload.ts'
import type { Audience } from './audience.ts'
import { cutValue } from './cut-value.ts'

/** Largest event that is decoded for those who look, in bytes: some 3 ms of the process that takes events. */
const maxEventBytes = 128 << 10

/** Longest piece of work between two turns of the event loop, in ms; the first event of a request is part of any. */
const pieceMs = 1

/** A request that is to be shown, with only those events whose type is wanted. */
export type ShownRequest = {
  readonly batch: Batch
  readonly peer: string
  /** The progress so far: work longer than one piece continues in the next turn. */
  progress?: Progress
}

/** How far a request was shown. */
type Progress = {
  readonly wanted: readonly EventHead[]
  readonly events: Generator<DecodedEvent>
  done: number
  /** Shows the event at hand to one looker after another. */
  showing?: Iterator<void> | undefined
}

export type ShowOptions = {
  readonly audience: Audience
  /** ms since the epoch. */
  readonly now: () => number
  /** Monotonic, in ms. */
  readonly nowMs: () => number
  readonly fieldNames: (eventName: string) => ReadonlyMap<number, string> | undefined
  /** The number of the next event that is shown. */
  readonly nextId: () => number
}

/** Makes what shows a piece of a request. It returns whether nothing is left of it. */
export const createShowRequest = ({ audience, now, nowMs, fieldNames, nextId }: ShowOptions) => {
  const { lookers } = audience
  /** Without the fields that the event's head has already. */
  const toFields = (event: DecodedEvent): Payload => {
    const { head } = event
    const fields = event.kind === 'smile' ? event.payload : toThriftPayload(event, fieldNames(head.name))
    if (fields['eventDate'] === head.date) delete fields['eventDate']
    if (fields['eventGranularity'] === head.granularity) delete fields['eventGranularity']
    return fields
  }

  /** Shows an event, with a step for each looker: each may have a filter that takes its time. */
  function* showOne(head: EventHead, event: DecodedEvent | undefined, { batch, peer }: ShownRequest): Generator<void> {
    const { name: type, date: eventDate } = head
    const wanting = Array.from(lookers).filter(looker => looker.wantsAccepted(type))
    const ready = wanting.filter(looker => looker.hasRoom(nowMs()))
    for (const looker of wanting) if (!ready.includes(looker)) looker.leaveOut()
    if (ready.length === 0) return
    audience.onDecoded()
    const whole = event && toFields(event)
    const { value, isCut } = whole === undefined ? { value: {}, isCut: true } : cutValue(whole)
    const fields = stringifyJson(value)
    const { api, format, receivedAt: at = now() } = batch
    const one = { kind: 'accepted', id: nextId(), at, api, peer, type, eventDate, format, fields, isCut } as const
    for (const looker of ready) {
      yield
      if (whole === undefined) looker.showHead(one)
      else looker.showAccepted(one, whole)
    }
  }
  /** @returns whether there was one */
  const decodeNext = (progress: Progress, request: ShownRequest): boolean => {
    const head = progress.wanted[progress.done]
    if (head === undefined) return false
    try {
      const next = progress.events.next()
      if (next.done) return false
      progress.done++
      progress.showing = showOne(next.value.head, next.value, request)
    } catch (error) {
      if (!(error instanceof LimitError)) throw error
      // The decoder ends there: the rest is not searched.
      audience.leaveOut(progress.wanted, progress.done + 1)
      progress.done = progress.wanted.length
      progress.showing = showOne(head, undefined, request)
    }
    return true
  }

  const show = (request: ShownRequest): boolean => {
    const end = nowMs() + pieceMs
    if (request.progress === undefined) {
      const wanted = audience.toWanted(request.batch.events)
      const events = decodeEvents({ ...request.batch, events: wanted }, maxEventBytes)
      request.progress = { wanted, events, done: 0 }
    }
    const { progress } = request
    while (progress.showing || progress.done < progress.wanted.length) {
      if (progress.showing?.next().done) progress.showing = undefined
      else if (progress.showing === undefined) {
        if (!audience.hasRoom()) {
          audience.leaveOut(progress.wanted, progress.done)
          return true
        }
        if (!decodeNext(progress, request)) return true
      }
      if (nowMs() > end) return progress.showing === undefined && progress.done === progress.wanted.length
    }
    return true
  }
  return show
}
