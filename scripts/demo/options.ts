import { parseArgs } from 'node:util'
import { usageError } from '../../admin/cli/command/failure.ts'
import { eventTypes, hourMs } from './one-hour.ts'

/** What `--help` prints. */
export const usage = `Sends one hour of events of a web shop to a Sluice that runs: ${eventTypes.length} types, by JSON, Smile, GET and Scribe, with
nested values, integers beyond 2^53, fractions and nulls, and fields that come late.

    npm run demo -- [--events N] [--seed N] [--hour TIME] [--url URL] [--admin-url URL] [--no-flush]

  --events     how many, at least ${eventTypes.length} (30000)
  --seed       decides all values: the same seed sends the same events (1)
  --hour       the hour in which they happened, in UTC, such as 2026-11-22T08 (the last full one)
  --url        collector and gateway (SLUICE_SERVER_URL, else http://127.0.0.1:8080)
  --admin-url  management (SLUICE_URL, else http://127.0.0.1:8081)
  --no-flush   sends only: the events become files at the server's next flush

Where callers need one, SLUICE_TOKEN holds a token that may send, view and operate.

    npm start -- --set collector.output.format=parquet --set collector.output.layout=hive
    npm run demo
    npm run demo -- --events 500000 --seed 7 --hour 2026-11-22T08
`

const fewestEvents = eventTypes.length
const mostEvents = 100_000_000

/** What the command line says. */
export type Options = {
  readonly events: number
  readonly seed: number
  readonly beginsAt: number
  readonly url: string
  readonly adminUrl: string
  readonly isFlushed: boolean
  readonly token: string | undefined
}

/** @throws CliError `usage` */
export const readOptions = (argv: readonly string[], env: NodeJS.ProcessEnv): Options => {
  const { values } = parseArgs({
    args: [...argv],
    allowNegative: true,
    options: {
      events: { type: 'string', default: '30000' },
      seed: { type: 'string', default: '1' },
      hour: { type: 'string', default: new Date(Date.now() - hourMs).toISOString().slice(0, 13) },
      url: { type: 'string', default: env['SLUICE_SERVER_URL'] ?? 'http://127.0.0.1:8080' },
      'admin-url': { type: 'string', default: env['SLUICE_URL'] ?? 'http://127.0.0.1:8081' },
      flush: { type: 'boolean', default: true },
    },
  })
  return {
    events: toWhole('events', values.events, fewestEvents, mostEvents),
    seed: toWhole('seed', values.seed, 0, 0xffff_ffff),
    beginsAt: toHour(values.hour),
    url: toUrl('url', values.url),
    adminUrl: toUrl('admin-url', values['admin-url']),
    isFlushed: values.flush,
    token: env['SLUICE_TOKEN'],
  }
}

const toWhole = (name: string, text: string, min: number, max: number): number => {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max) return number
  throw usageError(`--${name} is ${JSON.stringify(text)}; expected a whole number from ${min} to ${max}`)
}

const toHour = (text: string): number => {
  const ms = /^\d{4}-\d\d-\d\dT\d\d$/.test(text) ? Date.parse(`${text}:00:00Z`) : Number.NaN
  if (ms >= 0) return ms
  throw usageError(`--hour is ${JSON.stringify(text)}; expected an hour such as 2026-11-22T08`)
}

const toUrl = (name: string, text: string): string => {
  if (/^https?:/.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '')
  throw usageError(`--${name} is ${JSON.stringify(text)}; expected a URL such as http://127.0.0.1:8080`)
}
