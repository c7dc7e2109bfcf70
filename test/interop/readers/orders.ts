/** The events that the pages of `docs/readers/` read: 36 orders of three days, each day sent and flushed by itself. */
import { type Row, toRow } from './rows.ts'
import { type SentEvent, sendJson, sendSmile } from './send.ts'

export const firstDay = Date.UTC(2026, 10, 21)
export const dayMs = 86_400_000
const hours = [7, 8, 9] as const
const perHour = 4

/** Sends the orders of a day, 0 to 2: as JSON, as Smile, as JSON. */
export const sendOrders = (server: string, day: number): Promise<void> =>
  (day === 1 ? sendSmile : sendJson)(server, ordersOf(day))

/** What they hold changes from day to day, as it does where programs are changed. */
const ordersOf = (day: number): readonly SentEvent[] =>
  hours.flatMap((hour, h) =>
    Array.from({ length: perHour }, (_, k) => toOrder(day, hour, (day * hours.length + h) * perHour + k)),
  )

/** Beyond 2^53, where a double holds every second integer only. */
export const firstId = 9_007_199_254_740_993n

const toOrder = (day: number, hour: number, i: number): SentEvent => ({
  name: 'Order',
  payload: {
    eventDate: firstDay + day * dayMs + hour * 3_600_000 + (i % perHour) * 600_000,
    id: firstId + BigInt(i),
    total: 10 + i * 2.25,
    paid: i % 3 !== 0,
    customer: { ...customers[i % customers.length], ...(day > 0 && { since: 2000 + i }) },
    items: Array.from({ length: 1 + (i % 2) }, (_, k) => ({ sku: `A-${k + 1}`, count: 1 + (i % 3) })),
    ...(i % 4 === 0 && { coupon: 'WELCOME' }),
    ...(i % 4 === 1 && { coupon: null }),
    ...(i % 2 === 0 && { discount: [5, 7.5, 'half'][day] ?? null }),
    ...(day > 1 && { channel: i % 2 === 0 ? 'app' : 'web' }),
  },
})

const customers = [
  { name: 'Ada', country: 'UK' },
  { name: 'Søren', country: 'DK' },
  { name: '美咲', country: 'JP' },
] as const

/** All of them, in the order of their ids. */
export const orders: readonly SentEvent[] = [0, 1, 2].flatMap(ordersOf)

/** The row of each: `discount` was a number first, and is a column of numbers. */
export const orderRows: readonly Row[] = orders.map(({ name, payload: { eventDate, discount, ...payload } }) =>
  toRow({
    eventName: name,
    eventDate: new Date(Number(eventDate)).toISOString(),
    eventGranularity: 'HOURLY',
    ...payload,
    ...(typeof discount === 'string' ? { _extra: { discount } } : discount !== undefined && { discount }),
  }),
)
