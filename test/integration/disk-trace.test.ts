import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRpcClient } from '../../admin/client/rpc-client.ts'
import {
  acceptedIsSafe,
  changeIsSafe,
  checkTrace,
  dataDirectory,
  everythingIsSafe,
  type Rule,
  spoolRules,
} from '../suites/disk-trace/rules.ts'
import { createTrace, describeTraced, type Trace, type TraceEvent } from '../suites/disk-trace/trace.ts'
import { createSluice, type Sluice } from '../suites/sluice-process.ts'

let trace: Trace
let sluice: Sluice | undefined
beforeEach(() => {
  trace = createTrace()
})
afterEach(async () => {
  await sluice?.close()
  sluice = undefined
  trace.close()
})

const open = async (settings: readonly string[] = []): Promise<Sluice> => {
  sluice = await createSluice({
    directory: trace.directory,
    env: trace.env,
    settings: [
      `data.dir=${join(trace.directory, dataDirectory)}`,
      // What is flushed is what the test flushes: one file at a time.
      'collector.diskspool.flush-interval-seconds=100_000_000',
      ...settings,
    ],
  })
  await sluice.start()
  return sluice
}

const urlOf = (name: 'server' | 'admin'): string => sluice?.urls()?.[name] ?? ''

let nextKey = 0
const post = async (name: string): Promise<number> => {
  const body = JSON.stringify({ eventName: name, payload: { text: 'x'.repeat(100) } })
  const headers = { 'content-type': 'application/json', 'idempotency-key': `key-${nextKey++}` }
  return (await fetch(`${urlOf('server')}/rest/1.0/event`, { method: 'POST', headers, body })).status
}

const flush = (): Promise<unknown> =>
  createRpcClient({ url: urlOf('admin') }).exec('sluice.metrics.collector:name=HDFSWriter', 'processLeftBelowFiles')

const count = (matches: (event: TraceEvent) => boolean): number => trace.events().filter(matches).length

/** The parts of the spool on the disk. */
const spoolPath = (name: string): string => join(trace.directory, dataDirectory, '.diskpool', name)

const expectSafe = (rules: readonly Rule[], ...neverAsked: readonly string[]): void => {
  const { violations, asked } = checkTrace(trace.events(), rules)
  expect(violations).toEqual([])
  // A rule that nothing asks cannot fail.
  expect(Object.keys(asked).filter(name => asked[name] === 0)).toEqual(neverAsked)
}

describeTraced('R2: looked at from outside of the process', () => {
  test('a 202, each step of a commit, and each answer of the gateway come after their syncs', async () => {
    await open(['collector.diskspool.keep-committed-seconds=0'])
    for (let i = 0; i < 3; i++) expect(await post('One')).toBe(202)
    await flush()
    expect((await fetch(`${urlOf('server')}/1?v=Two,s1`)).status).toBe(202)
    await flush()
    await sluice?.kill()
    await sluice?.start()
    expect(await post('One')).toBe(202)
    await flush()
    const isForgotten = ({ operation, content }: TraceEvent): boolean =>
      operation === 'write' && content.includes('"type":"removed"')
    await expect.poll(() => count(isForgotten)).toBeGreaterThan(0)
    expectSafe([...spoolRules, acceptedIsSafe])
  })

  test('with ack=written, what a killed process had not synced is synced before the next one relies on it', async () => {
    await open(['collector.ack=written', 'collector.diskspool.keep-committed-seconds=0'])
    expect(await post('One')).toBe(202)
    await flush()
    expect(await post('Two')).toBe(202)
    await sluice?.kill()
    await sluice?.start()
    await flush()
    const { violations } = checkTrace(trace.events(), spoolRules)
    expect(violations).toEqual([])
  })

  test('what a start sets aside is safe before what held it goes', async () => {
    await open()
    for (let i = 0; i < 3; i++) expect(await post('One')).toBe(202)
    await sluice?.kill()
    const [segment = ''] = readdirSync(spoolPath('log'))
    const log = spoolPath(`log/${segment}`)
    const bytes = readFileSync(log)
    writeFileSync(log, bytes.with(bytes.length - 20, (bytes.at(-20) ?? 0) ^ 1))
    const ledger = spoolPath('ledger')
    writeFileSync(ledger, Buffer.concat([readFileSync(ledger), Buffer.alloc(100)]))
    await sluice?.start()
    await flush()
    expect(readdirSync(spoolPath('_quarantine')).length).toBeGreaterThan(1)
    const { violations } = checkTrace(trace.events(), [...spoolRules, acceptedIsSafe])
    expect(violations).toEqual([])
  })

  test('an upload, one that overwrites, and a delete are on the disk when they are answered', async () => {
    await open()
    const send = (method: string, query: string, body?: string): Promise<number> =>
      fetch(`${urlOf('server')}/rest/1.0?path=/uploads/deep/file${query}`, {
        method,
        ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/octet-stream' } }),
      }).then(response => response.status)
    expect(await send('POST', '', 'one')).toBe(201)
    expect(await send('POST', '&overwrite=true', 'two')).toBe(201)
    expect(await send('DELETE', '')).toBe(200)
    expectSafe([changeIsSafe])
  })

  test.each([
    ['the local file system', 'file-calls.ts', 16],
    ["the spool's disk", 'disk-calls.ts', 10],
  ])('every change that %s reports as done is on the disk', (_, script, changes) => {
    const path = join(import.meta.dirname, '../suites/disk-trace', script)
    execFileSync(process.execPath, [path, join(trace.directory, 'root')], { env: { ...process.env, ...trace.env } })
    expectSafe([everythingIsSafe])
    expect(count(({ operation }) => operation === 'answer')).toBe(changes)
  })
})
