/** Spools of every released format, from outside: what this version makes of them, and of those of a later one. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { formats, headerFrame } from '../../src/spool/framing/format-header.ts'
import { frameHeaderBytes, toFrame } from '../../src/spool/framing/framing.ts'
import { readEvents } from '../foreign/read-events.ts'
import { openLocalStore } from '../foreign/store.ts'
import { drainFully } from '../suites/drain-fully.ts'
import { createSluice, type Sluice } from '../suites/sluice-process.ts'

const fixtures = join(import.meta.dirname, '../fixtures')

let server: Sluice | undefined
let directory = ''
afterEach(async () => {
  await server?.close()
  server = undefined
  await rm(directory, { recursive: true, force: true })
})

/** A server on a copy of a fixture, not started yet. */
const onCopy = async (fixture: string, settings: readonly string[] = []): Promise<Sluice> => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-upgrade-'))
  await cp(join(fixtures, fixture, 'spool'), join(directory, '.diskpool'), { recursive: true })
  await cp(join(fixtures, fixture, 'fs'), join(directory, 'fs'), { recursive: true })
  server = await createSluice({ directory, settings: ['collector.diskspool.keep-committed-seconds=3600', ...settings] })
  return server
}

/** Numbers of the events in the file system, as readers of other make see them. */
const found = async (): Promise<number[]> => {
  const { events, unreadable } = await readEvents(openLocalStore(join(directory, 'fs')), '/events')
  expect(unreadable).toEqual([])
  // What a known key is refused with is kept as well, as a row of its own.
  const own = events.filter(({ name }) => !name.startsWith('/'))
  const texts = own.map(({ fields }) =>
    JSON.stringify(fields, (_, v: unknown) => (typeof v === 'bigint' ? Number(v) : v)),
  )
  // As a mark, and in the fixture of 0.1.0 as a number of JSON and Smile, or the end of a text of Thrift.
  return texts.map(text => Number(/E(\d{8})E|"n",(\d+)|n=(\d+)/.exec(text)?.slice(1).join(''))).sort((a, b) => a - b)
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)

/** What is set aside, for people. */
const setAside = async (name: '_quarantine' | '_taken'): Promise<number> =>
  (await readdir(join(directory, '.diskpool', name)).catch(() => [])).filter(file => !file.endsWith('.reason')).length

const post = (path: string, init: RequestInit, listener: 'server' | 'admin' = 'server'): Promise<Response> =>
  fetch(`${server?.urls()?.[listener]}${path}`, { method: 'POST', ...init })

const keyStatus = async (key: string): Promise<number> => {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key }
  return (await post('/rest/1.0/event', { headers, body: '{"eventName":"Other","payload":{}}' })).status
}

const releases = [
  {
    fixture: 'spool-0.1.0/busy',
    arrives: [...range(0, 7), 9, 10, 11, ...range(13, 17), ...range(19, 22)],
    aside: { quarantined: 3, taken: 0 },
    keys: ['key-snapshot', 'key-ledger', 'key-closed', 'key-broken', 'key-open'],
    settings: ['collector.output.format=native'],
  },
  ...(['spool-format-2', 'spool-format-3'] as const).flatMap(format => [
    {
      fixture: `${format}/busy`,
      arrives: [...range(0, 2), ...range(4, 14)],
      aside: { quarantined: 1, taken: 1 },
      keys: ['key-committed', 'key-moving', 'key-closed', 'key-open'],
      settings: ['collector.output.format=native'],
    },
    {
      fixture: `${format}/parquet`,
      arrives: range(0, 2),
      aside: { quarantined: 0, taken: 0 },
      keys: [],
      settings: ['collector.output.format=parquet', 'collector.output.layout=hive'],
    },
    {
      fixture: `${format}/words`,
      arrives: range(0, 7),
      aside: { quarantined: 0, taken: 0 },
      keys: [],
      settings: ['collector.output.format=native'],
    },
  ]),
  {
    fixture: 'spool-format-3/ids',
    arrives: range(0, 3),
    aside: { quarantined: 0, taken: 0 },
    keys: [],
    settings: [],
  },
  {
    fixture: 'spool-format-3/back',
    arrives: [0],
    aside: { quarantined: 1, taken: 0 },
    keys: [],
    settings: [],
  },
]

test.each(releases)(
  'R22: every event of $fixture comes to its place once, its keys are known, and what was set aside stays so',
  async ({ fixture, arrives, aside, keys, settings }) => {
    const sluice = await onCopy(fixture, settings)
    await sluice.start()
    // Known, with another body: nothing is taken twice.
    for (const key of keys) expect(await keyStatus(key), key).toBe(422)
    await drainFully(sluice)
    expect(await found()).toEqual(arrives)
    expect({ quarantined: await setAside('_quarantine'), taken: await setAside('_taken') }).toEqual(aside)
    // And once only: another start finds nothing to do.
    await sluice.start()
    await drainFully(sluice)
    expect(await found()).toEqual(arrives)
  },
)

test('R22: events of every granularity go to the directory that they were accepted for', async () => {
  const sluice = await onCopy('spool-format-3/words', ['collector.output.format=native'])
  await sluice.start()
  await drainFully(sluice)
  const root = join(directory, 'fs')
  const all = await readdir(join(root, 'events'), { recursive: true, withFileTypes: true })
  const places = all.filter(entry => entry.isFile()).map(({ parentPath }) => parentPath.slice(root.length))
  expect([...new Set(places)].sort()).toEqual([
    '/events/Hello/2026/01/02/03',
    '/events/OfDAILY/2026/01/02',
    '/events/OfHOURLY/2026/01/02/03',
    '/events/OfMINUTE/2026/01/02/03/04',
    '/events/OfMONTHLY/2026/01',
    '/events/OfWEEKLY/2025/12/29',
    '/events/OfYEARLY/2026',
  ])
})

test.each([
  ['spool-0.1.0/held', [0], range(0, 2)],
  ['spool-format-2/held', [0], range(0, 5)],
  ['spool-format-3/held', [0], range(0, 5)],
] as const)('R22: flushing that was disabled in %s stays so, until it is enabled', async (fixture, before, after) => {
  const sluice = await onCopy(fixture, ['collector.output.compression=gzip'])
  await sluice.start()
  expect(await sluice.drain()).toBe(0)
  expect(await found()).toEqual(before)
  await sluice.start()
  const params = { mbean: 'sluice.metrics.collector:name=HDFSWriter', operation: 'enableFlush' }
  const call = { jsonrpc: '2.0', id: 1, method: 'exec', params }
  const answer = await post(
    '/rpc',
    { headers: { 'content-type': 'application/json' }, body: JSON.stringify(call) },
    'admin',
  )
  expect(await answer.json()).not.toHaveProperty('error')
  await drainFully(sluice)
  expect(await found()).toEqual(after)
})

/** Of a later version, as it would say so. */
const laterHeader = (format: string): Uint8Array =>
  toFrame(headerFrame, Buffer.from(JSON.stringify({ format, version: 99 })))

const later = [
  ['spool', 'busy', 'format'],
  ['destination', 'busy', 'destination'],
  ['ledger', 'busy', 'ledger'],
  ['segment', 'busy', 'log/0000000006.log'],
  ['list', 'busy', 'lists/0000000004.list'],
  ['keys', 'busy', 'keys/0000000001.keys'],
  ['ids', 'ids', 'ids/0000000001.ids'],
  ['schemas', 'parquet', 'schemas'],
] as const

/** The bytes of each file of the spool, except those of its lock. */
const contents = async (): Promise<Map<string, string>> => {
  const root = join(directory, '.diskpool')
  const all = await readdir(root, { recursive: true, withFileTypes: true })
  const files = all.filter(entry => entry.isFile() && !entry.name.startsWith('lock'))
  return new Map(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name)
        return [path, (await readFile(path)).toString('base64')] as const
      }),
    ),
  )
}

test.each(later)(
  'R22: a %s of a later version refuses the start with both versions, and nothing changes',
  async (format, fixture, path) => {
    const sluice = await onCopy(`spool-format-3/${fixture}`)
    const file = join(directory, '.diskpool', path)
    const bytes = await readFile(file)
    const rest = bytes.subarray(8 + bytes.readUInt32BE())
    expect(JSON.parse(bytes.subarray(frameHeaderBytes, bytes.length - rest.length).toString())).toMatchObject({
      format,
    })
    await writeFile(file, Buffer.concat([laterHeader(format), rest]))
    const before = await contents()
    await expect(sluice.start()).rejects.toThrow(
      `Sluice cannot start. ${path} has format version 99; this program knows the ${format} up to version ${formats[format].reads}. Nothing was changed: use the Sluice that wrote it, or a later one`,
    )
    expect(await contents()).toEqual(before)
  },
)

test('R22: what 0.1.0 would write its ledger to is a directory, so that it cannot start', async () => {
  const sluice = await onCopy('spool-0.1.0/busy', ['collector.output.format=native'])
  // As 0.1.0 leaves it when it is killed while it rewrites its ledger.
  await writeFile(join(directory, '.diskpool/ledger.next'), 'half a ledger')
  await sluice.start()
  expect(await sluice.drain()).toBe(0)
  expect(await readdir(join(directory, '.diskpool/ledger.next'))).toEqual(['READ-ME'])
})
