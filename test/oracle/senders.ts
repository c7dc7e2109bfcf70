import {
  type AnyRequestKind,
  maxEvents,
  moreRequestKinds,
  requestKinds,
  toCrashRequest,
  toExtra,
} from '../suites/crash-requests.ts'
import type { ClientLedger } from '../suites/ledger-of-client.ts'
import { createScribeClient } from '../suites/senders/scribe-client.ts'
import { createSending, keepSending } from '../suites/senders/traffic.ts'
import type { Route } from './contents.ts'

export const routes: readonly Route[] = [...requestKinds, ...moreRequestKinds, 'Scribe']

/** Clients on every route, which continue whatever the server does. */
export type Senders = {
  /** The way that each event went, by its number. */
  readonly routeOf: ReadonlyMap<number, Route>
  /** Answers that no fault excuses. */
  readonly oddities: readonly string[]
  start(): void
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>
  /** Repeats the requests with keys that were not answered when the senders were stopped; how many are left. */
  finishKeyed(): Promise<number>
  /** One request of new events; whether it was taken. */
  sendOnce(route: Route): Promise<boolean>
}

export type SendersOptions = {
  readonly client: ClientLedger
  readonly url: string
  readonly scribePort: number
}

type Keyed = { readonly kind: AnyRequestKind; readonly events: readonly number[]; readonly key: string }

/** Loops of requests at the same time, beside that of Scribe; each takes one route after the other. */
const connections = 6
/** Between two requests of a loop: the machine runs three Java processes besides. */
const restMs = 12
/** Between two attempts with one key. */
const retryMs = 40
/** A server that is stopped answers nothing at all. */
const timeoutMs = 15_000

export const createSenders = ({ client, url, scribePort }: SendersOptions): Senders => {
  const routeOf = new Map<number, Route>()
  const oddities: string[] = []
  const kinds = [...requestKinds, ...moreRequestKinds]
  const sending = createSending(client)
  const issue = (route: Route): number => {
    const event = client.issue()
    routeOf.set(event, route)
    return event
  }
  const scribe = createScribeClient(scribePort, { ...sending, issue: () => issue('Scribe') })
  let isOver = true
  let running: readonly { stop(): Promise<void> }[] = []
  let unanswered: Keyed[] = []

  const attempt = async ({ kind, events, key }: Omit<Keyed, 'key'> & { readonly key?: string }): Promise<boolean> => {
    try {
      const request = toCrashRequest(url, kind, events, { toExtra, ...(key === undefined ? {} : { key }) })
      const response = await fetch(request, { signal: AbortSignal.timeout(timeoutMs) })
      const text = await response.text()
      if (response.status === 202) {
        if (text !== '' && !text.includes('"rejected":0,')) oddities.push(`${kind}: 202 with ${text}`)
        client.acknowledge(...events)
        return true
      }
      if (response.status !== 503) oddities.push(`${kind}: ${response.status} ${text}`)
    } catch {
      // No server was there, or it did not answer.
    }
    return false
  }

  const sendKeyed = async (keyed: Keyed): Promise<void> => {
    while (!(await attempt(keyed))) {
      if (isOver) return void unanswered.push(keyed)
      await pause(retryMs)
    }
    // The same once more, as a client does that has not heard the answer.
    if (keyed.events.some(event => event % 4 === 0) && !(await attempt(keyed)) && isOver) unanswered.push(keyed)
  }

  const send = async (kind: AnyRequestKind): Promise<boolean> => {
    const count = 1 + (client.issued % maxEvents(kind))
    const events = Array.from({ length: count }, () => issue(kind))
    const [first = 0] = events
    if (!kind.startsWith('POST') || first % 3 > 0) return await attempt({ kind, events })
    await sendKeyed({ kind, events, key: `key-${first}` })
    return true
  }

  const scribeRound = async (): Promise<void> => {
    await scribe()
    await pause(5 * restMs)
  }
  const loop = (start: number): { stop(): Promise<void> } => {
    let next = start
    return keepSending(async () => {
      await send(kinds[next++ % kinds.length] ?? 'GET /1')
      await pause(restMs)
    })
  }

  return {
    routeOf,
    oddities,
    start: () => {
      isOver = false
      running = [...Array.from({ length: connections }, (_, index) => loop(index)), keepSending(scribeRound)]
    },
    stop: async () => {
      isOver = true
      await Promise.all(running.map(one => one.stop()))
    },
    finishKeyed: async () => {
      const left: Keyed[] = []
      for (const keyed of unanswered) if (!(await attempt(keyed))) left.push(keyed)
      unanswered = left
      return left.length
    },
    sendOnce: async route => {
      if (route !== 'Scribe') return await attempt({ kind: route, events: [issue(route)] })
      return await scribe().then(
        () => true,
        () => false,
      )
    },
  }
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
