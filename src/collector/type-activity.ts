/**
 * The activity of each event type, read off the counters by a clock: nothing is done where events are counted. Kept for
 * as many types as are counted, since the start.
 */
import { tickMs } from '../figures/meter.ts'
import type { ApiFigures, CollectorFigures } from './counters.ts'

/** Ticks that a rate is taken over. */
const rateTicks = 60_000 / tickMs

/** Hours that are kept, the current one among them. */
const keptHours = 24
const hourMs = 3_600_000

/** Figures of one event type since the start. */
export type TypeFigures = {
  readonly eventType: string
  readonly accepted: number
  /** Accepted per second, over the last minute. */
  readonly rate: number
  /** The first look after the newest one: late by a tick at most. ms since the epoch, 0 without any. */
  readonly lastSeenAt: number
  /** Bytes of the bodies that held them, decompressed; types that arrived together share by their numbers of events. */
  readonly bytes: number
  /** Events that did not fit their schema, kept or refused. */
  readonly mismatches: number
}

/** What was accepted in each of the last 24 hours (UTC), the current one among them. */
export type TypeHours = {
  /** When they began, ms since the epoch; rising. */
  readonly at: readonly number[]
  readonly accepted: readonly number[]
}

/** Activity by event type. */
export type TypeActivity = {
  /** To be called every `tickMs`. */
  tick(): void
  /** All types of which events were accepted, or did not fit. */
  figures(): readonly TypeFigures[]
  hours(eventType: string): TypeHours
}

/** What it is read from. */
export type TypeActivityOptions = {
  readonly counters: CollectorFigures
  /** ms since the epoch. */
  readonly now: () => number
  /** Monotonic, in ms. */
  readonly nowMs: () => number
}

type Totals = ReadonlyMap<string, number>
type Seen = { accepted: number; lastSeenAt: number; readonly hours: Map<number, number> }

/** Begins with what is counted now. */
export const createTypeActivity = ({ counters, now, nowMs }: TypeActivityOptions): TypeActivity => {
  const seen = new Map<string, Seen>()
  /** Oldest first. */
  const totalsBefore: { readonly at: number; readonly totals: Totals }[] = []

  const look = (): Totals => {
    const at = now()
    const hour = Math.floor(at / hourMs)
    const totals = sumByType(counters, 'byType')
    for (const [eventType, accepted] of totals) {
      const known = seen.get(eventType) ?? { accepted: 0, lastSeenAt: 0, hours: new Map() }
      seen.set(eventType, known)
      if (accepted === known.accepted) continue
      known.hours.set(hour, (known.hours.get(hour) ?? 0) + accepted - known.accepted)
      known.accepted = accepted
      known.lastSeenAt = at
      for (const one of known.hours.keys()) if (one <= hour - keptHours) known.hours.delete(one)
    }
    return totals
  }
  const tick = (): void => {
    totalsBefore.push({ at: nowMs(), totals: look() })
    if (totalsBefore.length > rateTicks) totalsBefore.shift()
  }
  tick()
  return {
    tick,
    figures: () => {
      const accepted = look()
      const bytes = sumByType(counters, 'bytesByType')
      const mismatches = sumByType(counters, 'mismatches')
      const oldest = totalsBefore[0]
      const seconds = Math.max(tickMs, nowMs() - (oldest?.at ?? 0)) / 1_000
      return Array.from(new Set([...accepted.keys(), ...mismatches.keys()]), (eventType): TypeFigures => {
        const count = accepted.get(eventType) ?? 0
        return {
          eventType,
          accepted: count,
          rate: (count - (oldest?.totals.get(eventType) ?? 0)) / seconds,
          lastSeenAt: seen.get(eventType)?.lastSeenAt ?? 0,
          bytes: Math.round(bytes.get(eventType) ?? 0),
          mismatches: mismatches.get(eventType) ?? 0,
        }
      })
    },
    hours: eventType => {
      look()
      const newest = Math.floor(now() / hourMs)
      const hours = Array.from({ length: keptHours }, (_, i) => newest - keptHours + 1 + i)
      const known = seen.get(eventType)?.hours
      return { at: hours.map(hour => hour * hourMs), accepted: hours.map(hour => known?.get(hour) ?? 0) }
    },
  }
}

/** Over all APIs. */
const sumByType = (counters: CollectorFigures, name: 'byType' | 'bytesByType' | 'mismatches'): Totals => {
  const totals = new Map<string, number>()
  const apis: readonly ApiFigures[] = Object.values(counters)
  for (const api of apis) {
    for (const [eventType, count] of api[name]) totals.set(eventType, (totals.get(eventType) ?? 0) + count)
  }
  return totals
}
