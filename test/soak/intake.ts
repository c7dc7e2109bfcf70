import { Agent, request } from 'node:http'
import type { ClientLedger } from '../suites/ledger-of-client.ts'
import { eventsOf, meanEvents, type RequestKind, requestKinds, type SoakRequest, toRequest } from './requests.ts'
import { createScribeCaller } from './scribe-caller.ts'
import type { Tally } from './tally.ts'

export type IntakeOptions = {
  readonly port: number
  readonly scribePort: number
  /** Events/s, over all kinds of requests. */
  readonly rate: number
  readonly ledger: ClientLedger
  readonly tally: Tally
}

/** Connections that are kept, at most. */
const maxConnections = 16
/** One in so many requests has a connection of its own, which ends with it. */
const onceEvery = 20
/** Requests without an answer; a client that reaches it says so and sends no more until answers come. */
const maxWaiting = 5_000
const timeoutMs = 60_000
const lookEveryMs = 5

/**
 * Sends events of every kind at a fixed rate, whether or not answers come: each request has a time when it is due, from
 * which its latency counts. `stop` resolves when all are answered.
 */
export const startIntake = ({ port, scribePort, rate, ledger, tally }: IntakeOptions): { stop(): Promise<void> } => {
  const agent = new Agent({ keepAlive: true, maxSockets: maxConnections, scheduling: 'lifo' })
  const scribe = createScribeCaller(scribePort)
  const everyMs = (1_000 * meanEvents) / rate
  const waiting = new Set<Promise<void>>()
  let dueAt = performance.now()
  let count = 0

  const send = async (what: SoakRequest, isAlone: boolean): Promise<void> => {
    if ('frame' in what) return scribe.call(what.frame)
    const status = await call(port, what, isAlone ? false : agent)
    if (status !== 202) throw new Error(`answered ${status}`)
  }
  const one = async (kind: RequestKind, isAlone: boolean, due: number): Promise<void> => {
    const events = Array.from({ length: eventsOf(kind) }, () => ledger.issue())
    try {
      await send(toRequest(kind, events, Date.now()), isAlone)
      ledger.acknowledge(...events)
      tally.answered(performance.now() - due, events.length)
    } catch (error) {
      tally.failed(`${kind}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const sendDue = (): void => {
    for (const now = performance.now(); dueAt <= now; dueAt += everyMs) {
      const kind = requestKinds[count++ % requestKinds.length] ?? 'JSON'
      if (waiting.size >= maxWaiting) tally.failed(`${kind}: not sent, ${maxWaiting} requests wait for their answers`)
      else {
        const done = one(kind, count % onceEvery === 0, dueAt)
        waiting.add(done)
        void done.finally(() => waiting.delete(done))
      }
    }
  }
  const timer = setInterval(sendDue, lookEveryMs)
  return {
    stop: async () => {
      clearInterval(timer)
      await Promise.all(waiting)
      scribe.close()
      agent.destroy()
    },
  }
}

/** The status of the answer, once it is read whole. */
const call = (
  port: number,
  { method, path, headers, body }: Exclude<SoakRequest, { readonly frame: unknown }>,
  agent: Agent | false,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent, timeout: timeoutMs }, answer => {
      answer.once('end', () => resolve(answer.statusCode ?? 0))
      answer.once('error', reject)
      answer.resume()
    })
    sent.once('error', reject)
    sent.once('timeout', () => sent.destroy(new Error(`not answered within ${timeoutMs} ms`)))
    sent.end(body)
  })
