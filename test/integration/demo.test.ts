import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { type DemoEvent, oneHour } from '../../scripts/demo/one-hour.ts'
import { findFreePorts } from '../../scripts/free-ports.ts'
import type { FoundEvent } from '../foreign/found-event.ts'
import { readEvents } from '../foreign/read-events.ts'
import { openLocalStore } from '../foreign/store.ts'
import { createSluice, type Sluice } from '../suites/sluice-process.ts'

let sluice: Sluice | undefined
afterEach(async () => {
  await sluice?.close()
  sluice = undefined
})

const hour = '2026-11-22T08'
const count = 2_500

/** The arguments after `npm run demo --`; it ends in a pipe here. */
const runDemo = async (...args: readonly string[]) => {
  const demo = spawn(process.execPath, ['scripts/demo/demo.ts', ...args], { env: { ...process.env, NO_COLOR: '1' } })
  const ended = new Promise(resolve => demo.once('exit', resolve))
  const [out, err, code] = await Promise.all([text(demo.stdout), text(demo.stderr), ended])
  return { out, err, code }
}

/** All events of the demo go into one segment, which is flushed when the demo says so. */
const oneSegment = ['collector.diskspool.flush-interval-seconds=600', 'collector.diskspool.max-segment-bytes=128MiB']

const start = async (...settings: readonly string[]): Promise<readonly string[]> => {
  sluice = await createSluice({ settings: [...oneSegment, ...settings] })
  await sluice.start()
  const { server = '', admin = '' } = sluice.urls() ?? {}
  return ['--url', server, '--admin-url', admin]
}

/** An event as a text, its members in one order, and without null, which Parquet does not tell from nothing. */
const toText = (name: string, date: unknown, fields: readonly (readonly [string, unknown])[]): string =>
  JSON.stringify({ name, date, fields: Object.fromEntries(fields) }, (_name, value: unknown) => {
    if (typeof value === 'bigint' || Number.isSafeInteger(value)) return `integer ${String(value)}`
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const members = Object.entries(value).filter(([, member]) => member !== null)
    return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })

const toSentText = ({ event }: DemoEvent): string => {
  const { eventName, date } = event
  if ('payload' in event) return toText(eventName, date, Object.entries(event.payload))
  // The fields of those by GET and Scribe have numbers for names.
  const fields = event.fields.map(({ value }, index) => [String(index + 1), value] as const)
  return toText(eventName, date, fields)
}

const toFoundText = ({ name, fields }: FoundEvent): string => {
  const { eventDate, eventGranularity } = Object.fromEntries(fields)
  expect(eventGranularity).toBe('HOURLY')
  const sent = fields.filter(([field]) => field !== 'eventDate' && field !== 'eventGranularity')
  return toText(name, eventDate, sent)
}

test.each([
  { way: 'Scribe', ports: 1, format: 'parquet' },
  { way: 'GET where there is no Scribe', ports: 0, format: 'jsonl' },
])('npm run demo sends 21 types, one of them by $way, whose $format files hold them as they were', async options => {
  const { ports, format } = options
  const [port = 0] = await findFreePorts(ports)
  const scribe = [`collector.scribe.port=${port}`, `collector.scribe.enabled=${port > 0}`]
  const addresses = await start(...scribe, `collector.output.format=${format}`, 'collector.output.layout=hive')
  const { out, err, code } = await runDemo('--events', String(count), '--seed', '7', '--hour', hour, ...addresses)
  const root = join(sluice?.directory ?? '', 'fs')
  expect({ err, code }).toEqual({ err: '', code: 0 })
  const [sent, flushed, place, query, ...rest] = out.split('\n')
  expect(sent).toBe(`✓ Sent ${count} events of 21 types, from ${hour.replace('T', ' ')}:00:00Z on, seed 7`)
  expect(flushed).toMatch(/^✓ Flushed 21 files, \d+ kB$/)
  expect(place).toContain(`${root}/events`)
  expect(query).toContain(`'${root}/events/*/dt=*/hour=*/*.${format}`)
  expect(rest).toEqual([''])

  const { events, unreadable } = await readEvents(openLocalStore(root), '/events')
  expect(unreadable).toEqual([])
  const sentTexts = [...oneHour({ seed: 7, count, beginsAt: Date.parse(`${hour}:00:00Z`) })].map(toSentText)
  expect(events.map(toFoundText).toSorted()).toEqual(sentTexts.toSorted())
})

test('npm run demo -- --no-flush leaves the files to the server', async () => {
  const addresses = await start()
  const { out, code } = await runDemo('--events', '21', '--no-flush', ...addresses)
  expect(code).toBe(0)
  expect(out).toMatch(/^✓ Sent 21 events of 21 types, from .* on, seed 1\n$/)
  await expect(readdir(join(sluice?.directory ?? '', 'fs', 'events'))).rejects.toThrow('ENOENT')
})

test('npm run demo says how to start a server where none answers', async () => {
  const [port] = await findFreePorts(1)
  const { out, err, code } = await runDemo('--url', `http://127.0.0.1:${port}`)
  expect({ out, code }).toEqual({ out: '', code: 3 })
  expect(err).toBe(
    `✗ Nothing answers at http://127.0.0.1:${port} (connection refused)\n  Start a server with \`npm start\` in another terminal, or say with --url where one is.\n`,
  )
})

test('npm run demo -- --help shows examples', async () => {
  const { out, code } = await runDemo('--help')
  expect(code).toBe(0)
  expect(out).toContain('    npm run demo -- --events 500000 --seed 7 --hour 2026-11-22T08\n')
})
