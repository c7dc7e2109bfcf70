/**
 * Decodes files of 2 000 events again and again, in a process of its own:
 *
 *     node test/bench/decode.ts '{"kind":"smile","durationMs":5000}'
 *
 * prints a {@link DecodeResult} as one line of JSON. `smile` is the reader of the gateway; `json` is `JSON.parse` of
 * each event.
 */
import { isDeepStrictEqual } from 'node:util'
import { Budget } from '../../src/formats/budget.ts'
import type { Value } from '../../src/formats/number.ts'
import { readSmileElements } from '../../src/formats/smile/reader.ts'
import { createSmileWriter } from '../../src/formats/smile/writer.ts'
import { type SmileColumns, SmileRowReader } from '../../src/formats/smile-rows.ts'
import { createHistogram } from './histogram.ts'
import { createOldEvent } from './old-events.ts'

export type DecodeOptions = { readonly kind: 'smile' | 'json'; readonly durationMs: number }

/** Times in ms, of one file. */
export type DecodeResult = {
  readonly eventsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** CPU time of this process per event, in µs. */
  readonly cpuUs: number
}

const eventsPerFile = 2_000
const variety = 8
const warmUpRounds = 20

const run = ({ kind, durationMs }: DecodeOptions): DecodeResult => {
  const files = Array.from({ length: variety }, (_, i) => (kind === 'smile' ? createSmile(i) : createJson(i)))
  for (let i = 0; i < warmUpRounds; i++) for (const decode of files) decode()
  const times = createHistogram()
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  let now = startedAt
  for (let i = 0; now < startedAt + durationMs; i++) {
    const from = now
    const decoded = files[i % variety]?.()
    if (decoded !== eventsPerFile) throw new Error(`${decoded} of ${eventsPerFile} events were decoded`)
    now = performance.now()
    times.record(now - from)
  }
  const { user, system } = process.cpuUsage(cpu)
  const events = times.count * eventsPerFile
  return {
    eventsPerSecond: (events * 1_000) / (now - startedAt),
    p50Ms: times.percentile(0.5),
    p99Ms: times.percentile(0.99),
    maxMs: times.max,
    cpuUs: (user + system) / events,
  }
}

const eventsOf = (file: number) =>
  Array.from({ length: eventsPerFile }, (_, i) => createOldEvent(file * eventsPerFile + i))

/** Decodes one file and returns how many events it had. */
const createSmile = (file: number): (() => number) => {
  const writer = createSmileWriter()
  writer.startArray()
  const events = eventsOf(file)
  for (const event of events) writer.write(event)
  writer.endArray()
  const bytes = writer.take()
  if (!isDeepStrictEqual([...readSmileElements(bytes)], events)) throw new Error('The file does not hold its events')
  return () => {
    const elements: (Value | SmileColumns)[] = []
    const add = (element: Value | SmileColumns): boolean => elements.push(element) === eventsPerFile
    new SmileRowReader(new Budget('smile')).read(bytes, true, add, { row: 0, offset: 0 })
    return elements.length
  }
}

const createJson = (file: number): (() => number) => {
  const texts = eventsOf(file).map(event => JSON.stringify(event))
  return () => texts.map(text => JSON.parse(text)).length
}

process.stdout.write(`${JSON.stringify(run(JSON.parse(process.argv[2] ?? '')))}\n`)
