/**
 * Load on one server from a process of its own. Closed loop: connections that each send a request, wait for the answer,
 * and send the next. Open loop: requests are due at a rate, and sent then, whether or not answers came, over as many
 * connections, each with a few requests on their way; what is due while none has room is counted as held back. Beside
 * it a few honest clients that wait for each answer, and for as long as a refusal says.
 *
 *     node test/overload/generator.ts '{"port":8080,"firstEvent":0,"connections":128,…}'
 *
 * prints a {@link GeneratorResult} as one line of JSON, and writes the numbers of accepted and refused events to files.
 */
import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createHistogram } from '../bench/histogram.ts'
import { createAnswerReader } from './answers.ts'
import { Connection, type ConnectionParts } from './connection.ts'
import type { GeneratorOptions, GeneratorResult, Times } from './load.ts'
import { createRequests } from './requests.ts'

const tickMs = 1
/** What a refused honest client waits, where `Retry-After` says a second: the run is short. */
const honestPauseMs = 100

const run = async (options: GeneratorOptions): Promise<GeneratorResult> => {
  const startedAt = performance.now()
  const countsFrom = startedAt + options.warmUpMs
  const endsAt = countsFrom + options.durationMs
  const accepted: number[] = []
  const refused: number[] = []
  const times = {
    accepted: createHistogram(),
    refused: createHistogram(),
    honest: createHistogram(),
    fresh: createHistogram(),
  }
  let nextEvent = options.firstEvent
  let due = 0
  let sent = 0
  let unanswered = 0
  let failures = 0
  let firstFailure = 0

  const record = (histogram: { record(ms: number): void }, dueAt: number): void => {
    const now = performance.now()
    if (now >= countsFrom && now < endsAt) histogram.record(now - dueAt)
  }
  const outcomesOf = (isHonest: boolean): ConnectionParts['outcomes'] => ({
    answered: (event, status, dueAt, isFirst) => {
      if (isFirst && dueAt >= countsFrom && dueAt < endsAt) times.fresh.record(performance.now() - dueAt)
      if (status === 202) {
        accepted.push(event)
        record(times.accepted, dueAt)
        if (isHonest) record(times.honest, dueAt)
      } else if (status === 503) {
        refused.push(event)
        record(times.refused, dueAt)
      } else if (failures++ === 0) firstFailure = status
    },
    lost: () => {
      unanswered++
    },
  })
  const shared = {
    port: options.port,
    requests: createRequests(`127.0.0.1:${options.port}`),
    readAnswer: createAnswerReader(),
  }
  const countSent = (now: number, count: number): void => {
    if (now >= countsFrom && now < endsAt) sent += count
  }
  const createWaiting = (isHonest: boolean): Connection => {
    const connection = new Connection({ ...shared, outcomes: outcomesOf(isHonest) })
    let refusedBefore = 0
    const send = (): void => {
      const now = performance.now()
      if (now >= endsAt || !connection.isOpen || connection.outstanding > 0) return
      countSent(now, 1)
      connection.send(nextEvent++, 1, now)
    }
    connection.onReady = () => {
      const wasRefused = isHonest && refused.length > refusedBefore
      refusedBefore = refused.length
      if (wasRefused) setTimeout(send, honestPauseMs)
      else send()
    }
    return connection
  }

  const isOpenLoop = options.requestsPerSecond > 0
  const count = isOpenLoop ? options.honest : options.connections
  const waiting = Array.from({ length: count }, () => createWaiting(isOpenLoop))
  const pool = Array.from(
    { length: isOpenLoop ? options.connections : 0 },
    () => new Connection({ ...shared, outcomes: outcomesOf(false) }),
  )

  const delays = monitorEventLoopDelay({ resolution: tickMs })
  delays.enable()
  let issued = 0
  let renewed = 0
  let turn = 0
  const tick = (now: number): void => {
    const elapsed = (now - startedAt) / 1_000
    const wanted = Math.floor(elapsed * options.requestsPerSecond) - issued
    issued += wanted
    if (now >= countsFrom) due += wanted
    let left = wanted
    for (let tried = 0; left > 0 && tried < pool.length; tried++) {
      const connection = pool[turn++ % pool.length]
      if (!connection?.isOpen) continue
      const burst = Math.min(left, options.depth - connection.outstanding)
      if (burst <= 0) continue
      connection.send(nextEvent, burst, now)
      nextEvent += burst
      countSent(now, burst)
      left -= burst
    }
    for (; renewed < elapsed * options.renewalsPerSecond; renewed++) {
      const connection = pool[(renewed * 7) % pool.length]
      if (connection?.isOpen === true) connection.renew()
    }
  }
  for (;;) {
    const now = performance.now()
    if (now >= endsAt) break
    if (isOpenLoop) tick(now)
    await new Promise(resolve => setTimeout(resolve, tickMs))
  }
  await settle([...pool, ...waiting])
  writeFileSync(`${options.file}.accepted`, Uint32Array.from(accepted))
  writeFileSync(`${options.file}.refused`, Uint32Array.from(refused))
  const perSecond = (of: number): number => (of * 1_000) / options.durationMs
  return {
    due: perSecond(isOpenLoop ? due : sent),
    sent: perSecond(sent),
    accepted: perSecond(times.accepted.count),
    refused: perSecond(times.refused.count),
    acceptedInAll: accepted.length,
    unanswered,
    acceptedMs: toTimes(times.accepted),
    refusedMs: toTimes(times.refused),
    honestAccepted: perSecond(times.honest.count),
    honestMs: toTimes(times.honest),
    newMs: toTimes(times.fresh),
    reopened: [...pool, ...waiting].reduce((sum, { reopened }) => sum + reopened, 0),
    failures,
    firstFailure,
    ownDelayP99Ms: delays.percentile(99) / 1e6,
    nextEvent,
  }
}

/** Waits for the answers that are on their way, a minute at most; closes all. */
const settle = async (connections: readonly Connection[]): Promise<void> => {
  const until = performance.now() + 60_000
  while (performance.now() < until && connections.some(({ outstanding }) => outstanding > 0)) {
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  for (const connection of connections) connection.close()
  await new Promise(resolve => setTimeout(resolve, 50))
}

const toTimes = (histogram: ReturnType<typeof createHistogram>): Times => ({
  p50: histogram.percentile(0.5),
  p99: histogram.percentile(0.99),
  max: histogram.max,
})

process.stdout.write(`${JSON.stringify(await run(JSON.parse(process.argv[2] ?? '')))}\n`)
