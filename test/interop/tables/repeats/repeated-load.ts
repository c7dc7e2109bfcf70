/** An SDK, as that of Segment, that sends each event one to five times, to any collector, up to thirty days after its date. */
import { eventName, type Load } from '../faults/collectors.ts'

export type RepeatedLoad = Load & {
  /** How often each event was sent, by its number: each time may have become a row. */
  readonly sent: readonly number[]
}

export type RepeatedLoadOptions = {
  readonly random: () => number
  /** In ms since the epoch. */
  readonly now: number
}

const eventsOfRequest = 10
const mostTimes = 5
const hourMs = 3_600_000
/** The hours of the events: the first one of thirty days, the last one closed. */
const hours = 12
const firstHour = 30 * 24
const lastHour = 2
/** Keeps dates of one hour apart, without an order. */
const scatter = 7_919_993

export const createRepeatedLoad = ({ random, now }: RepeatedLoadOptions): RepeatedLoad => {
  const sent: number[] = []
  /** Events that may be sent again, whether or not they were acknowledged. */
  const again: number[] = []
  const open = Math.floor(now / hourMs)
  const below = (most: number): number => Math.floor(random() * most)

  /** It is the same at each try. */
  const dateOf = (event: number): string => {
    const before = firstHour - Math.round(((event % hours) * (firstHour - lastHour)) / (hours - 1))
    return new Date((open - before) * hourMs + ((event * scatter) % hourMs)).toISOString()
  }
  const takeAgain = (): number | undefined => {
    const at = below(again.length)
    const event = again[at]
    if (event === undefined) return undefined
    const times = (sent[event] ?? 0) + 1
    sent[event] = times
    if (times === mostTimes) {
      const last = again.pop()
      if (last !== undefined && at < again.length) again[at] = last
    }
    return event
  }
  return {
    sent,
    path: '/v1/batch',
    restMs: 100,
    next: client => {
      const events = new Set<number>()
      while (events.size < eventsOfRequest) {
        const known = random() < 0.6 ? takeAgain() : undefined
        if (known === undefined) {
          const event = client.issue()
          sent[event] = 1
          again.push(event)
          events.add(event)
        } else events.add(known)
      }
      return [...events]
    },
    toBody: events => ({
      batch: events.map(event => ({
        type: 'track',
        event: eventName,
        messageId: String(event),
        timestamp: dateOf(event),
        userId: `user-${event % 97}`,
        properties: { total: event / 4 },
      })),
    }),
    take: (client, events, status) => {
      if (status === 200) client.acknowledge(...events)
      return status === 200 || status === 503
    },
  }
}
