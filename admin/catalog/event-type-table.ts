import { attribute, type Bean, defineBean } from '../../src/beans/bean.ts'
import { BeanError, quoteText } from '../../src/beans/bean-error.ts'
import type { TypeFigures } from '../../src/collector/type-activity.ts'
import { nearest } from '../../src/text/nearest.ts'
import type { ColumnFigures } from './schemas.ts'

/** Where the events of a type go at the broker. */
export type ForwardedTo = {
  readonly topic: string
  /** Whether that is another name than usual, because the topic of another type is in the way. */
  readonly isEscaped: boolean
}

/** What the collector knows of event types. */
export type EventTypesView = {
  readonly figures: () => readonly TypeFigures[]
  /** Events that are not in the file system yet, by event type. */
  readonly waiting: () => ReadonlyMap<string, number>
  /** Values since the start that columns of Parquet files could not hold, by event type. */
  readonly misfits: () => ReadonlyMap<string, number>
  /** The last 24 hours; ms since the epoch. */
  readonly hours: (eventType: string) => { readonly at: readonly number[]; readonly accepted: readonly number[] }
  readonly byApi: (eventType: string) => Readonly<Record<string, number>>
  /** Of its Parquet files, where they are remembered. */
  readonly columns: (eventType: string) => readonly ColumnFigures[] | undefined
  /** Of the types that are forwarded to a broker. */
  readonly topics: () => ReadonlyMap<string, ForwardedTo>
  /** Where its files go, in the file system. */
  readonly directory: (eventType: string) => string
}

/** A line of the table. */
type Line = TypeFigures & {
  readonly waiting: number
  readonly misfits: number
  readonly forwardedTo?: ForwardedTo
}

/** Types in one answer of `list`. */
const maxListed = 1_000

/** Falling, so that what matters comes first; names rise, and part what is equal. */
const orders: Readonly<Record<string, (line: Line) => number>> = {
  name: () => 0,
  rate: ({ rate }) => rate,
  accepted: ({ accepted }) => accepted,
  lastSeen: ({ lastSeenAt }) => lastSeenAt,
  bytes: ({ bytes }) => bytes,
  waiting: ({ waiting }) => waiting,
  mismatches: ({ mismatches }) => mismatches,
  misfits: ({ misfits }) => misfits,
}

/** All event types in one table, and one of them closely: the console's page of types. */
export const eventTypesBean = (vendor: string, view: EventTypesView): Bean => {
  const toLines = (): readonly Line[] => {
    const waiting = view.waiting()
    const misfits = view.misfits()
    const topics = view.topics()
    const toLine = (figures: TypeFigures): Line => {
      const { eventType } = figures
      const forwardedTo = topics.get(eventType)
      return {
        ...figures,
        waiting: waiting.get(eventType) ?? 0,
        misfits: misfits.get(eventType) ?? 0,
        ...(forwardedTo && { forwardedTo }),
      }
    }
    const lines = view.figures().map(toLine)
    const known = new Set(lines.map(({ eventType }) => eventType))
    // Those of an earlier run.
    const others = Array.from(waiting.keys()).filter(eventType => !known.has(eventType))
    return [...lines, ...others.map(eventType => toLine(toNothing(eventType)))]
  }
  return defineBean({
    name: `${vendor}.metrics.collector:name=EventTypes`,
    description: 'The event types that came since the start, and those whose events still wait.',
    attributes: {
      Types: attribute('long', 'How many there are; beyond 1,000 they share one line, "(other)".', () => {
        return view.figures().length
      }),
    },
    operations: {
      list: {
        arguments: [
          { name: 'contains', type: 'string' },
          { name: 'order', type: 'string' },
          { name: 'limit', type: 'long' },
        ],
        returns: 'map',
        isQuery: true,
        description:
          'Event types whose name contains a text (in any case), 1,000 at most, and how many there are in all: events accepted since the start and per second of the last minute, bytes of their requests, events that wait for the file system, events that did not fit their schema, values that columns of Parquet files could not hold. Ordered by name, rate, accepted, lastSeen, bytes, waiting, mismatches or misfits.',
        invoke: (contains, order, limit) => {
          const text = String(contains).toLowerCase()
          const found = toLines().filter(({ eventType }) => eventType.toLowerCase().includes(text))
          const most = Math.min(maxListed, Math.max(0, Number(limit)))
          return { total: found.length, types: sort(found, String(order)).slice(0, most) }
        },
      },
      describe: {
        arguments: [{ name: 'eventType', type: 'string' }],
        returns: 'map',
        isQuery: true,
        description:
          'The same of one type, with its events by API and by hour (UTC, the last 24), the directory of its files, and the columns of those where they are Parquet.',
        invoke: argument => {
          const eventType = String(argument)
          const lines = toLines()
          const line = lines.find(one => one.eventType === eventType)
          if (!line) throw new BeanError('bad-value', toUnknown(eventType, lines))
          const columns = view.columns(eventType)
          return {
            ...line,
            byApi: view.byApi(eventType),
            hours: view.hours(eventType),
            directory: view.directory(eventType),
            ...(columns ? { columns } : {}),
          }
        },
      },
    },
  })
}

const toUnknown = (eventType: string, lines: readonly Line[]): string => {
  const near = nearest(
    eventType,
    lines.map(line => line.eventType),
  )
  return `No event of the type ${quoteText(eventType)} came since the start${near === undefined ? '' : `; did you mean ${quoteText(near)}?`}`
}

const toNothing = (eventType: string): TypeFigures => ({
  eventType,
  accepted: 0,
  rate: 0,
  lastSeenAt: 0,
  bytes: 0,
  mismatches: 0,
})

/** @throws BeanError for an order that there is not */
const sort = (lines: readonly Line[], order: string): readonly Line[] => {
  const toNumber = Object.hasOwn(orders, order) ? orders[order] : undefined
  if (!toNumber) {
    throw new BeanError('bad-value', `Unknown order ${quoteText(order)}: use one of ${Object.keys(orders).join(', ')}`)
  }
  return lines.toSorted((a, b) => toNumber(b) - toNumber(a) || (a.eventType < b.eventType ? -1 : 1))
}
