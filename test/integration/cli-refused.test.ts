/** `sluice refused` as a process beside a server. */
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanUp, createDirectory, start } from './process/child.ts'

const bin = resolve('bin/sluice.js')
let env: Record<string, string> = {}
let cwd = ''
let schema = ''
afterAll(cleanUp)

beforeAll(async () => {
  cwd = createDirectory()
  mkdirSync(join(cwd, 'schemas'))
  schema = join(cwd, 'schemas', 'Order.json')
  writeFileSync(schema, '{"properties":{"total":{"type":"number"}}}')
  const settings = [
    'collector.scribe.enabled=false',
    'collector.diskspool.min-free-bytes=0',
    'registrar.path=schemas',
    'collector.validation=reject',
    // The commands ask where events are.
    'collector.event-output-directory=/lake/raw',
  ]
  const server = start(process.execPath, [bin, 'serve', ...settings.flatMap(one => ['--set', one])], { cwd })
  const ready = await server.logged('sluice is ready')
  env = { SLUICE_URL: String(ready['admin']), SLUICE_SERVER_URL: String(ready['server']) }
})

const sluice = (...words: readonly string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>(done => {
    const all = { PATH: process.env['PATH'], HOME: '/nonexistent', ...env }
    execFile(process.execPath, [bin, ...words], { cwd, env: all }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number((error as { code?: unknown }).code), stdout, stderr }),
    )
  })

const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${env['SLUICE_SERVER_URL']}/rest/1.0/event`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })

const order = (total: unknown) => JSON.stringify({ eventName: 'Order', payload: { total } })

const stored = async (): Promise<string[]> => {
  await sluice('flush', 'now')
  const { stdout } = await sluice('fs', 'rows', '/lake/raw/Order', '-R', '-o', 'ndjson')
  return stdout.split('\n').filter(line => line !== '')
}

test('list, show, export; replay counts once, also when the sender repeats its request', async () => {
  expect((await sluice('refused', 'list')).stdout).toContain('No refused events are stored.')
  const first = await post(order('much'), { 'idempotency-key': 'k' })
  expect(await first.json()).toMatchObject({ accepted: 0, rejected: 1 })
  expect((await post(`[${order('few')},${order(1)}]`)).status).toBe(202)
  expect((await post('no JSON')).status).toBe(400)
  expect(await stored()).toHaveLength(1)

  const listed = await sluice('refused', 'list', 'Order', '--code', 'schema-mismatch', '-o', 'ndjson')
  const rows = listed.stdout
    .trim()
    .split('\n')
    .map(line => Object(JSON.parse(line)) as Record<string, unknown>)
  expect(rows).toMatchObject([
    { type: 'Order', position: 0 },
    { type: 'Order', requestKey: 'k' },
  ])
  expect((await sluice('refused', 'list', '_unknown')).stdout).toContain('bad-event')
  const shown = await sluice('refused', 'show', String(rows[0]?.['id']))
  expect(shown.stdout).toContain('event 0 of its request')
  expect(shown.stdout).toContain(`${order('few')}\n${' '.repeat(order('few').indexOf('"few"'))}^^^^^\n`)
  expect((await sluice('refused', 'export', 'Order')).stdout.trim().split('\n')).toEqual([order('few'), order('much')])

  // Not fixed yet: nothing goes in, and nothing is stored as refused once more.
  const early = await sluice('refused', 'replay', '--all', '--type', 'Order', '--yes')
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('0 of 2 refused requests accepted')])
  expect(await stored()).toHaveLength(1)
  expect((await sluice('refused', 'list', 'Order', '-o', 'ndjson')).stdout.trim().split('\n')).toHaveLength(2)

  // A part of it will not do whatever the contract says.
  expect((await post(`[${order('x')},{"eventName":"Order","payload":7}]`)).status).toBe(202)
  await sluice('flush', 'now')
  const [newest] = (await sluice('refused', 'list', 'Order', '-o', 'ndjson')).stdout.split('\n')
  const half = String(Object(JSON.parse(newest ?? '')).id)

  rmSync(schema)
  writeFileSync(join(cwd, 'schemas', 'Other.json'), '{}')
  const other = rows.map(({ id }) => String(id))
  await expect.poll(async () => (await sluice('refused', 'replay', ...other)).code).toBe(0)
  const part = await sluice('refused', 'replay', half)
  expect(part).toMatchObject({ code: 1, stdout: '' })
  expect(part.stderr).toContain(`${half} accepted in part: 1 of 2 events are refused again`)
  expect(part.stderr).toContain('1 of 1 refused request accepted, 1 of them in part')
  expect((await sluice('refused', 'replay', ...other)).stdout).toContain(
    '2 of 2 refused requests accepted, 2 of them before',
  )
  // What was refused of the part is a row of its own from then on.
  await sluice('flush', 'now')
  expect((await sluice('refused', 'list', 'Order')).stdout.match(/sent again/g)).toHaveLength(3)
  const exported = await sluice('refused', 'export')
  expect(exported.stdout).toBe('{"eventName":"Order","payload":7}\n')
  expect(exported.stderr).toContain('3 refused requests left out: in by now')
  expect(exported.stderr).toMatch(/\d refused requests? left out: not JSON/)
  const everything = (await sluice('refused', 'export', '--all')).stdout.trim().split('\n')
  expect(everything.map(line => Object(JSON.parse(line)) as object)).toEqual(
    expect.arrayContaining([expect.objectContaining({ sent: 'no JSON', code: 'bad-event' })]),
  )
  // The sender retries what was refused then.
  expect((await post(order('much'), { 'idempotency-key': 'k' })).status).toBe(202)
  const events = await stored()
  expect(events).toHaveLength(4)
  const when = String(rows[1]?.['when'])
  expect(events.filter(line => line.includes('much')).map(line => line.includes(when))).toEqual([true])

  const none = await sluice('refused', 'show', 'nothing')
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('No refused event has the id nothing')])
})

test('the line of marks is below the marked place, whatever precedes it', async () => {
  const event = '{"eventName":"Narrow","payload":{"note":"é😀日本e\u0301","total":"x"}}'
  writeFileSync(join(cwd, 'schemas', 'Narrow.json'), '{"properties":{"total":{"type":"number"}}}')
  await expect.poll(async () => (await (await post(event)).json()) as unknown).toMatchObject({ rejected: 1 })
  await sluice('flush', 'now')
  const [row] = (await sluice('refused', 'list', 'Narrow', '-o', 'ndjson')).stdout.split('\n')
  const { stdout } = await sluice('refused', 'show', String(Object(JSON.parse(row ?? '')).id))
  // Each of the wide ones takes two columns, the accent none.
  const before = '{"eventName":"Narrow","payload":{"note":"'.length + 1 + 2 + 4 + 1 + '","total":'.length
  expect(stdout).toContain(`${event}\n${' '.repeat(before)}^^^\n`)
})
