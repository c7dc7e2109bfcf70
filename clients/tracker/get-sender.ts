import { type FieldEvent, toEventDate } from './event.ts'
import { type QueryVersion, toQueryText } from './fields.ts'
import { readAnswer, toOutcome } from './http-answer.ts'
import { createRequest, type HttpOptions, toError } from './http-options.ts'
import type { RejectedRecord, Sender } from './sender.ts'

/** How to send by GET. */
export type GetOptions = HttpOptions & {
  /** @default 2 */
  readonly version?: QueryVersion
}

/** The server accepts 8 KiB; the rest is for its own address. */
const maxQueryLength = 7_900

/**
 * Sends events one by one by `GET /1` or `/2`. There is no idempotency key here: an event whose answer was lost is sent
 * again, and may count twice.
 */
export const createGetSender = (options: GetOptions): Sender<FieldEvent> => {
  const request = createRequest(options)
  const { version = 2 } = options
  return {
    form: `get${version}`,
    encode: (event, now) => new TextEncoder().encode(toQuery(event, version, now)),
    describe: toText,
    send: async (records, { from, signal }) => {
      const rejected: RejectedRecord[] = []
      for (let index = from; index < records.length; index++) {
        try {
          const response = await request(`/${version}?${toText(records[index])}`, { signal })
          const outcome = toOutcome(await readAnswer(response, Date.now()))
          if (outcome.kind === 'retry') return { ...outcome, done: index, rejected }
          if (outcome.kind === 'refused') rejected.push({ index, code: outcome.code, detail: outcome.detail })
          if (outcome.kind === 'too-large') rejected.push({ index, code: 'too-large', detail: 'The URL is too long' })
        } catch (thrown) {
          return { kind: 'retry', error: toError(thrown, 'Cannot GET'), done: index, rejected }
        }
      }
      return { kind: 'settled', rejected }
    },
    close: () => {},
  }
}

/**
 * The parameters of an event: `v`, its date, and its granularity where it has one.
 * @throws RangeError longer than a server takes
 */
export const toQuery = (event: FieldEvent, version: QueryVersion, now: number): string => {
  const v = encodeURIComponent(toQueryText(event.eventName, event.fields, version))
  const date = encodeURIComponent(new Date(toEventDate(event, now)).toISOString())
  const gr = event.granularity === undefined ? '' : `&gr=${event.granularity}`
  const query = `v=${v}&date=${date}${gr}`
  if (query.length <= maxQueryLength) return query
  throw new RangeError(
    `Cannot send the event by GET: its URL has ${query.length} characters, ${maxQueryLength} are allowed`,
  )
}

const toText = (record: Uint8Array | undefined): string => new TextDecoder().decode(record)
