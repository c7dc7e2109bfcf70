/**
 * When a connection ends while messages are under way, one of them may be why: it is larger than the broker takes in
 * one request, or the client fails over it. All types would wait for it forever. So the types whose messages were under
 * way are suspects, and leave the common connection. They are sent over one of their own, one type at a time: a request
 * over which it ends as well is halved, down to the one message, which is refused when that happens again and again.
 *
 * A broker that went away is not evidence: an end of the connection counts when the very next attempt succeeds.
 */
import { startTimeout } from '../runtime/timers.ts'
import type { Broker, BrokerConnection, Fate } from './brokers/broker.ts'
import { firstWaitMs, maxWaitMs } from './link.ts'
import type { Message } from './message.ts'

/** A message over which the connection ended this often, with nothing else under way, is refused. */
export const maxCutsOfOne = 3
/** How long a suspect may have the connection; a slow topic is not what ends connections. */
const maxTurnMs = 10_000

/** A type with messages that were under way when the connection ended. */
export type Suspect = {
  readonly topic: string
  /** Messages at the front of its queue that are suspected. */
  readonly count: number
  /** Removes messages from the front of its queue. */
  take(count: number): readonly Message[]
  /** Settles messages and puts back those that are to be sent again. @returns how many those are */
  give(messages: readonly Message[], fates: readonly Fate[]): number
  /** It sends over the common connection again. */
  release(): void
}

/** Where suspects are tried. */
export type Apart = {
  add(suspect: Suspect): void
  /** Ends the connection and releases all; more may be added later. */
  stop(): Promise<void>
}

export type ApartOptions = {
  readonly broker: Broker
  /** As of the link. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  /** @default 10 s */
  readonly maxTurnMs?: number
}

type Case = { readonly suspect: Suspect; left: number; limit: number; cuts: number }
/** A request over which the connection ended. */
type Cut = { readonly of: Case; readonly messages: readonly Message[]; readonly fates: readonly Fate[] }

/** Does nothing, and has no connection, until there is a suspect. */
export const createApart = ({ broker, wait, maxTurnMs: turnMs = maxTurnMs }: ApartOptions): Apart => {
  const cases: Case[] = []
  let stopping = new AbortController()
  let running: Promise<void> | undefined

  const settle = (one: Case, messages: readonly Message[], fates: readonly Fate[]): void => {
    const again = one.suspect.give(messages, fates)
    one.left -= messages.length - again
    if (one.left > 0 && messages.length > 0) cases.push(one)
    else one.suspect.release()
  }
  /** Nothing else was under way, and the broker answers: these messages are why the connection ended. */
  const judge = ({ of, messages, fates }: Cut): void => {
    const isLone = fates.filter(fate => fate === 'cut').length === 1
    if (!isLone) of.limit = messages.length >> 1
    else of.cuts++
    if (of.cuts < maxCutsOfOne) {
      settle(of, messages, fates)
      return
    }
    of.cuts = 0
    of.limit = of.left
    const refused = `the connection ended over this message alone, ${maxCutsOfOne} times`
    settle(
      of,
      messages,
      fates.map((fate): Fate => (fate === 'cut' ? { refused } : fate)),
    )
  }
  /** @returns what is to be judged; undefined when the connection is as it was, or closed */
  const tryOne = async (one: Case, connection: BrokerConnection, signal: AbortSignal): Promise<Cut | undefined> => {
    const messages = one.suspect.take(Math.min(one.limit, one.left))
    const sending = connection.send(one.suspect.topic, messages)
    const { promise: slow, resolve } = Promise.withResolvers<void>()
    const timer = startTimeout(resolve, turnMs).unref()
    const onAbort = (): void => resolve()
    signal.addEventListener('abort', onAbort)
    const fates = await Promise.race([sending, slow])
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    if (fates?.includes('cut')) return { of: one, messages, fates }
    one.cuts = 0
    if (!fates) {
      // Whatever it waits for, it is not the end of the connection; at a stop nothing is waited for.
      await connection.close()
      one.left = 0
    }
    settle(one, messages, fates ?? (await sending))
    return undefined
  }
  const run = async (signal: AbortSignal): Promise<void> => {
    let connection: BrokerConnection | undefined
    let cut: Cut | undefined
    for (let failures = 0; (cut || cases.length > 0) && !signal.aborted; ) {
      try {
        connection ??= await connect(signal, () => {
          connection = undefined
        })
        failures = 0
      } catch {
        // The broker is away: that is why the connection ended.
        if (cut) settle(cut.of, cut.messages, cut.fates)
        cut = undefined
        await wait(Math.min(firstWaitMs * 2 ** failures++, maxWaitMs), signal).catch(() => {})
        continue
      }
      if (signal.aborted) break
      if (cut) judge(cut)
      const one = cases.shift()
      cut = one && (await tryOne(one, connection, signal))
      if (cut) connection = undefined
      if (cut) await wait(firstWaitMs * 4 ** cut.of.cuts, signal).catch(() => {})
    }
    if (cut) settle(cut.of, cut.messages, cut.fates)
    await connection?.close()
  }
  const connect = async (signal: AbortSignal, onLost: () => void): Promise<BrokerConnection> => {
    const made = await broker.connect(signal)
    void made.lost.then(onLost)
    return made
  }
  const start = (): void => {
    running = run(stopping.signal).finally(() => {
      running = undefined
      if (cases.length > 0 && !stopping.signal.aborted) start()
    })
  }
  return {
    add(suspect) {
      cases.push({ suspect, left: suspect.count, limit: suspect.count, cuts: 0 })
      if (!running) start()
    },
    async stop() {
      stopping.abort()
      await running
      for (const { suspect } of cases.splice(0)) suspect.release()
      stopping = new AbortController()
    },
  }
}
