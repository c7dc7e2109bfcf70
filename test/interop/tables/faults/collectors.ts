/** Collectors that write one table, each with a disk of its own, and the clients of all of them. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createNodeDisk } from '../../../../src/disk/node-disk.ts'
import { readLedger } from '../../../../src/spool/ledger/ledger.ts'
import { drainFully } from '../../../suites/drain-fully.ts'
import { type ClientLedger, createClientLedger } from '../../../suites/ledger-of-client.ts'
import { keepSending } from '../../../suites/senders/traffic.ts'
import { createSluice, type Sluice } from '../../../suites/sluice-process.ts'
import { urlOf } from '../../readers/stage.ts'

export type Collectors = {
  readonly places: readonly Sluice[]
  readonly client: ClientLedger
  /** Oddities that no fault excuses, as sentences: answers, and ends without a cause. */
  readonly oddities: readonly string[]
  /** Ends the load: once what waits is in the table, others have it for themselves. */
  rest(): Promise<unknown>
  /** Waits until all is in the table, without load; adds files that are not to {@link Collectors.oddities}. */
  finish(): Promise<void>
  close(): Promise<void>
}

export type CollectorsOptions = {
  /** Where their disks are. */
  readonly directory: string
  readonly outputDirectory: string
  readonly settings: (place: number) => readonly string[]
  /** @default each event is sent once, with the time as its date */
  readonly load?: Load
}

/** What is sent to each of them, a request at a time. */
export type Load = {
  /** Of its requests. */
  readonly path: string
  /** Between two requests to one of them. */
  readonly restMs: number
  /** The events of the next request. */
  readonly next: (client: ClientLedger) => readonly number[]
  readonly toBody: (events: readonly number[]) => unknown
  /** Notes an answer. @returns false: it is none of those that are expected */
  readonly take: (client: ClientLedger, events: readonly number[], status: number) => boolean
}

export const eventName = 'Order'
const count = 3
const eventsOfRequest = 10
const timeoutMs = 8_000
const keptLines = 20
/** Events until another column comes, and how many there are: each of them makes every later commit larger. */
const eventsOfColumn = 3_000
const columns = 40

/** Each event once: an answer decides about it. */
const onceEach: Load = {
  path: '/rest/1.0/event',
  restMs: 40,
  next: client => Array.from({ length: eventsOfRequest }, () => client.issue()),
  toBody: events => events.map(toEnvelope),
  take: (client, events, status) => {
    if (status === 202) client.acknowledge(...events)
    else if (status === 503) client.refuse(...events)
    else return false
    return true
  },
}

const tableSettings = [
  'collector.output.format=parquet',
  'collector.output.table=iceberg',
  'collector.output.snapshot-seconds=1',
  'server.threads=1',
]

/** Starts three of them, and load on each. */
export const startCollectors = async (options: CollectorsOptions): Promise<Collectors> => {
  const { directory, outputDirectory, settings, load = onceEach } = options
  const client = createClientLedger()
  const oddities: string[] = []
  const places: Sluice[] = []
  for (let place = 0; place < count; place++) {
    const disk = join(directory, `disk-${place}`)
    await mkdir(disk)
    const own = [...tableSettings, ...settings(place)]
    const lines: string[] = []
    const onLine = (line: string): void => void lines.splice(0, lines.push(line) - keptLines)
    const onCrash = (code: number | null, signal: string | null): void =>
      void oddities.push(`collector ${place} ended by itself with ${code ?? signal}:\n${lines.join('\n')}`)
    places.push(await createSluice({ directory: disk, outputDirectory, settings: own, onLine, onCrash }))
  }
  await Promise.all(places.map(sluice => sluice.start()))

  const send = async (sluice: Sluice): Promise<void> => {
    await pause(load.restMs)
    if (sluice.urls() === undefined) return
    const events = load.next(client)
    try {
      const response = await fetch(`${urlOf(sluice, 'server')}${load.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(load.toBody(events)),
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await response.text()
      if (!load.take(client, events, response.status)) oddities.push(`${response.status} ${text}`)
    } catch {
      // It was killed or is stopped: the events may be kept or not.
    }
  }
  const loops = places.map(sluice => keepSending(() => send(sluice)))
  const rest = (): Promise<unknown> => Promise.all(loops.map(loop => loop.stop()))

  return {
    places,
    client,
    oddities,
    rest,
    finish: async () => {
      await rest()
      if (oddities.length > 0) throw new Error(oddities.join('\n'))
      await Promise.all(places.map(drainFully))
      for (const [place, sluice] of places.entries()) {
        const { files } = await readLedger(createNodeDisk({ directory: join(sluice.directory, '.diskpool') }))
        for (const { file, state } of files.values())
          if (state.at !== 'committed') oddities.push(`collector ${place}: ${file.name} is ${JSON.stringify(state)}`)
      }
    },
    close: async () => {
      await rest()
      await Promise.all(places.map(sluice => sluice.close()))
    },
  }
}

const toEnvelope = (id: number) => ({
  eventName,
  payload: {
    eventDate: Date.now(),
    id,
    text: `event ${id}`,
    [`column${Math.floor(id / eventsOfColumn) % columns}`]: id % 2 === 0 ? id : id + 0.5,
  },
})
