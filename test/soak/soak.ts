import { setTimeout } from 'node:timers/promises'
import { createClientLedger } from '../suites/ledger-of-client.ts'
import type { Harvest } from './harvest.ts'
import { startIntake } from './intake.ts'
import { createOperator, type Figures, type Operator } from './operator.ts'
import { readProcess, type Sample, sampleEveryMs } from './sample.ts'
import { toQuarter } from './series.ts'
import type { SoakServer } from './server.ts'
import { createTally, type Tally } from './tally.ts'
import type { Ended } from './verdict.ts'
import { startVisitor } from './visitor.ts'
import { startYardstick } from './yardstick.ts'

export type SoakOptions = {
  readonly minutes: number
  /** Events/s. */
  readonly rate: number
  readonly server: SoakServer
  /** On the disk that the server uses. */
  readonly directory: string
  readonly harvest: Harvest
  /** Progress for people, a line at a time. */
  readonly say: (line: string) => void
}

const pollEveryMs = 2_500
const pollsOfSample = sampleEveryMs / pollEveryMs
const sweepEveryMs = 20_000
/** Age at which an event file is taken out of the file system. */
const harvestAfterMs = 180_000

/** The load, its end, and what is known then. */
export const soak = async ({
  minutes,
  rate,
  server,
  directory,
  harvest,
  say,
}: SoakOptions): Promise<{ readonly ended: Ended; readonly visits: number; readonly polls: number }> => {
  const totalMs = minutes * 60_000
  const startedAt = performance.now()
  const elapsedMs = (): number => performance.now() - startedAt
  const tally = createTally(() => toQuarter(elapsedMs(), totalMs))
  const ledger = createClientLedger()
  const operator = createOperator(server.adminUrl)
  const { port, scribePort, pid } = server
  const intake = startIntake({ port, scribePort, rate, ledger, tally })
  const visitor = startVisitor({ port, directory: '/soak/visitor', eventFiles: () => harvest.young, tally })
  const yardstick = await startYardstick(directory)
  const sweeping = keepSweeping(harvest, say)
  const samples: Sample[] = []
  let polls = 0
  for (let figures: Figures | undefined; elapsedMs() < totalMs; ) {
    await setTimeout(Math.max(0, ++polls * pollEveryMs - elapsedMs()))
    figures = (await pollWith(operator, tally)) ?? figures
    if (polls % pollsOfSample > 0 || figures === undefined) continue
    const sample = toSample(elapsedMs(), pid, figures, { ...tally.take(), syncP99Ms: yardstick.take() })
    samples.push(sample)
    say(toLine(sample))
  }
  await Promise.all([intake.stop(), visitor.stop(), sweeping.stop(), yardstick.stop()])

  await operator.flush()
  const { books, backlogFiles, quarantinedFiles } = await operator.round()
  const exitCode = await server.stop()
  await harvest.sweep(Number.POSITIVE_INFINITY)
  for (const error of tally.firstErrors) say(`error: ${error}`)
  return {
    visits: visitor.rounds,
    polls,
    ended: {
      minutes,
      samples,
      quarterP99Ms: tally.quarters.map(quarter => quarter.percentile(0.99)),
      errors: tally.errors,
      events: ledger.compare(harvest.found),
      acknowledged: ledger.acknowledged.size,
      found: harvest.found.length,
      books,
      strayFiles: backlogFiles + quarantinedFiles + (await harvest.leftOver()).length,
      exitCode,
    },
  }
}

const pollWith = (operator: Operator, tally: Tally): Promise<Figures | undefined> =>
  operator.round().catch((error: unknown) => {
    tally.failed(`management: ${String(error)}`)
    return undefined
  })

/** A sweep that fails is the file system's affair and is made up for by the next one. */
const keepSweeping = (harvest: Harvest, say: (line: string) => void): { stop(): Promise<void> } => {
  const stopping = new AbortController()
  const all = (async () => {
    while (!stopping.signal.aborted) {
      await setTimeout(sweepEveryMs, undefined, { signal: stopping.signal }).catch(() => {})
      await harvest
        .sweep(Date.now() - harvestAfterMs)
        .catch((error: unknown) => say(`Event files could not be taken: ${String(error)}`))
    }
  })()
  return {
    stop: async () => {
      stopping.abort()
      await all
    },
  }
}

type Seen = ReturnType<Tally['take']> & Pick<Sample, 'syncP99Ms'>

const toSample = (atMs: number, pid: number, figures: Figures, seen: Seen): Sample => {
  const { heapMb, externalMb, backlogFiles, backlogMb } = figures
  return { atMs, heapMb, externalMb, backlogFiles, backlogMb, ...readProcess(pid), ...seen }
}

const toLine = (sample: Sample): string => {
  const { atMs, residentMb, heapMb, externalMb, descriptors, threads, backlogFiles, acknowledged, errors } = sample
  return [
    `${(atMs / 60_000).toFixed(1).padStart(6)} min`,
    `${residentMb.toFixed(0)} MB (heap ${heapMb.toFixed(0)}, external ${externalMb.toFixed(0)})`,
    `${descriptors} descriptors, ${threads} threads`,
    `p50 ${sample.p50Ms.toFixed(2)} p99 ${sample.p99Ms.toFixed(1)} max ${sample.maxMs.toFixed(0)} ms (a sync ${sample.syncP99Ms.toFixed(1)})`,
    `${acknowledged} events, ${backlogFiles} files wait, ${errors} errors`,
  ].join('  ')
}
