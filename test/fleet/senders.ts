import { setTimeout as pause } from 'node:timers/promises'
import { maxEvents, type RequestKind, requestKinds, toCrashRequest } from '../suites/crash-requests.ts'
import type { ClientLedger } from '../suites/ledger-of-client.ts'
import { keepSending } from '../suites/senders/traffic.ts'
import type { KeyedRequest, Machine } from './machine.ts'

/** Clients of all collectors, which continue whatever happens to these. */
export type Senders = {
  /** Answers that no fault excuses. */
  readonly oddities: readonly string[]
  stop(): Promise<void>
}

export type SendersOptions = {
  readonly client: ClientLedger
  /** The machines there are now, a place each. */
  readonly machines: () => readonly Machine[]
  /** How many loops of requests each place has. */
  readonly loops: number
  /** Between two requests of a loop, for now. */
  readonly restMs: () => number
}

/** Of a collector that is stopped: as long as it is impatient. */
const timeoutMs = 8_000
/** One request in this many has a key. */
const keyedShare = 4

/** The outcome of a request: `unknown` without an answer. */
export type Outcome = 'acknowledged' | 'refused' | 'unknown'

/** Sends events to a machine. @param oddities takes an answer that no fault excuses */
export const sendTo = async (
  machine: Machine,
  client: ClientLedger,
  { kind = 'POST JSON', events, key }: { kind?: RequestKind; events: readonly number[]; key?: string },
  oddities: string[],
): Promise<Outcome> => {
  const url = machine.sluice.urls()?.['server']
  if (url === undefined || machine.isLost) return 'unknown'
  try {
    const request = toCrashRequest(url, kind, events, key === undefined ? {} : { key })
    const response = await fetch(request, { signal: AbortSignal.timeout(timeoutMs) })
    const text = await response.text()
    if (response.status === 202) {
      client.acknowledge(...events)
      for (const event of events) machine.acknowledged.add(event)
      return 'acknowledged'
    }
    if (response.status === 503) return 'refused'
    oddities.push(`${kind}: ${response.status} ${text}`)
  } catch {
    // Its machine is lost, or stopped, or has reset the connection.
  }
  return 'unknown'
}

/** Starts sending; each place has loops of its own, so that a collector that is stopped delays no others. */
export const startSenders = ({ client, machines, loops, restMs }: SendersOptions): Senders => {
  const oddities: string[] = []

  const sendKeyed = async (machine: Machine, request: KeyedRequest): Promise<void> => {
    const { id } = machine
    const outcome = await sendTo(machine, client, request, oddities)
    if (outcome === 'acknowledged') machine.answered.push(request)
    if (outcome === 'refused') client.refuse(...request.events)
    if (outcome === 'unknown') machine.unanswered.push({ ...request, id })
  }

  const loop = (place: number, start: number): Senders['stop'] => {
    let round = start
    const sending = keepSending(async () => {
      const machine = machines()[place]
      await pause(restMs())
      if (machine?.sluice.urls() === undefined || machine.isLost) return
      const kind = requestKinds[round++ % requestKinds.length] ?? 'POST JSON'
      const events = Array.from({ length: 1 + (client.issued % maxEvents(kind)) }, () => client.issue())
      const [first = 0] = events
      if (kind.startsWith('POST') && first % keyedShare === 0) {
        return await sendKeyed(machine, { key: `key-${first}`, events })
      }
      const outcome = await sendTo(machine, client, { kind, events }, oddities)
      if (outcome === 'refused') client.refuse(...events)
    })
    return () => sending.stop()
  }

  const stops = machines().flatMap((_, place) => Array.from({ length: loops }, (__, at) => loop(place, at)))
  return { oddities, stop: async () => void (await Promise.all(stops.map(stop => stop()))) }
}
