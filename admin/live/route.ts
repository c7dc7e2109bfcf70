import type { LiveFeed, LiveFigures, LiveFilter } from '../../src/collector/live/feed.ts'
import { SluiceError } from '../../src/errors.ts'
import { startTimeout } from '../../src/runtime/timers.ts'
import type { Product } from '../protocol.ts'
import type { AdminCall } from '../routes.ts'
import { toFiguresMessage, toHelloMessage, toLiveMessage } from './message.ts'

/** Bytes that may wait for one looker; what comes while more do is not sent to it. */
const maxWaitingBytes = 4 << 20

/** Messages are gathered for this long, in ms: sent one by one they cost the server more than the events in them. */
const gatherMs = 100

/** Longest text of a filter, and most types. */
const maxTextChars = 1_000
const maxTypes = 100

export type LiveRouteOptions = {
  /** Undefined where no collector runs in this process. */
  readonly live: LiveFeed | undefined
  readonly product: Pick<Product, 'version' | 'startedAt'>
}

/**
 * Answers `GET /live`: server-sent events (WHATWG HTML, 9.2) of what the collector takes and refuses, until the client
 * goes or the server ends. The caller needs the role `read` as well: events are what files hold.
 */
export const createLiveRoute =
  ({ live, product }: LiveRouteOptions) =>
  (call: AdminCall): Response => {
    if (!live) throw new SluiceError('not-found', 'No collector runs in this process')
    const filter = toFilter(new URL(call.target, 'http://localhost').searchParams)
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }
    if (call.method === 'HEAD') return new Response(null, { headers })
    return new Response(toStream(live, filter, toHelloMessage(product)), { headers })
  }

const toStream = (live: LiveFeed, filter: LiveFilter, hello: string): ReadableStream<Uint8Array<ArrayBuffer>> => {
  let stop = (): void => {}
  let notSent = 0
  /** Figures that could not be sent: the next ones have them, too. */
  let unsent: LiveFigures | undefined
  let gathered = ''
  let timer: NodeJS.Timeout | undefined
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start: controller => {
        const flush = (): void => {
          clearTimeout(timer)
          timer = undefined
          if (gathered !== '') controller.enqueue(encoder.encode(gathered))
          gathered = ''
        }
        const send = (message: string): boolean => {
          if ((controller.desiredSize ?? 0) <= gathered.length) return false
          gathered += message
          timer ??= startTimeout(flush, gatherMs)
          return true
        }
        send(hello)
        flush()
        stop = live.watch(filter, {
          onEvent: event => {
            if (!send(toLiveMessage(event))) notSent++
          },
          onFigures: figures => {
            const { shown, isSampled } = figures
            const own = { ...figures, shown: shown - notSent, isSampled: isSampled || notSent > 0 }
            notSent = 0
            const all = unsent === undefined ? own : addFigures(unsent, own)
            unsent = send(toFiguresMessage(all)) ? undefined : all
          },
          onEnd: () => {
            flush()
            controller.close()
          },
        })
      },
      cancel: () => {
        clearTimeout(timer)
        stop()
      },
    },
    { highWaterMark: maxWaitingBytes, size: chunk => chunk.length },
  )
}

const encoder = new TextEncoder()

/** Of one time and the next, as of the next. */
const addFigures = (before: LiveFigures, next: LiveFigures): LiveFigures => ({
  ...next,
  accepted: before.accepted + next.accepted,
  rejected: before.rejected + next.rejected,
  shown: before.shown + next.shown,
  isSampled: before.isSampled || next.isSampled,
  notLookedAt: before.notLookedAt + next.notLookedAt,
})

/** @throws SluiceError `bad-parameter` */
const toFilter = (query: URLSearchParams): LiveFilter => {
  for (const name of query.keys()) {
    if (!parameters.includes(name))
      throw new SluiceError(
        'bad-parameter',
        `There is no parameter ${JSON.stringify(name)}; there are ${parameters.join(', ')}`,
      )
  }
  const types = query.getAll('type').filter(type => type !== '')
  const text = query.get('text') ?? ''
  const where = query.get('where')?.trim() ?? ''
  if (types.length > maxTypes)
    throw new SluiceError('bad-parameter', `type: at most ${maxTypes} of them, found ${types.length}`)
  if (text.length > maxTextChars)
    throw new SluiceError('bad-parameter', `text: at most ${maxTextChars} characters, found ${text.length}`)
  const events = toEvents(query.get('events') ?? 'all')
  return { types, text, events, ...(where === '' ? {} : { where }) }
}

const parameters = ['type', 'text', 'events', 'where']

const toEvents = (text: string): NonNullable<LiveFilter['events']> => {
  if (text === 'all' || text === 'accepted' || text === 'rejected') return text
  throw new SluiceError('bad-parameter', `events: expected all, accepted or rejected, found ${JSON.stringify(text)}`)
}
