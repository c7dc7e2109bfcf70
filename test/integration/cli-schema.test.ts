/** `sluice schema …` as a process beside a server, and without one. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cleanUp, createDirectory, start } from './process/child.ts'

const bin = resolve('bin/sluice.js')
let env: Record<string, string> = {}
let cwd = ''
afterAll(cleanUp)

const put = (name: string, content: object | string): void =>
  writeFileSync(join(cwd, name), typeof content === 'string' ? content : JSON.stringify(content))
const sluice = (...words: readonly string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>(done => {
    const all = { PATH: process.env['PATH'], HOME: '/nonexistent', ...env }
    execFile(process.execPath, [bin, ...words], { cwd, env: all }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number((error as { code?: unknown }).code), stdout, stderr }),
    )
  })

beforeAll(async () => {
  cwd = createDirectory()
  const settings = [
    'collector.scribe.enabled=false',
    'collector.diskspool.min-free-bytes=0',
    'collector.event-output-directory=/lake',
  ]
  const server = start(process.execPath, [bin, 'serve', ...settings.flatMap(one => ['--set', one])], { cwd })
  const ready = await server.logged('sluice is ready')
  env = { SLUICE_URL: String(ready['admin']), SLUICE_SERVER_URL: String(ready['server']) }
  const lines = [
    { eventName: 'Order', payload: { id: 1, total: 1.5, eventDate: '2026-11-20T10:00:00Z' } },
    { eventName: 'Order', payload: { id: 2, total: null, eventDate: '2026-11-20T11:00:00Z' } },
    { eventName: 'Order', payload: { id: 'x', total: 2, eventDate: '2026-11-21T10:00:00Z' } },
    { eventName: 'Other', payload: { id: 'y' } },
  ]
  put('events.jsonl', lines.map(line => JSON.stringify(line)).join('\n'))
  put('Order.json', { properties: { id: { type: 'integer' }, total: { $ref: '_money.json' } } })
  put('_money.json', { type: 'number' })
  put('Other.json', { properties: { id: { type: 'string' } } })
  put('None.json', {})
  put('Bad.json', '{\n"propertis": {}}')
  await sluice('send', '--file', 'events.jsonl')
  await sluice('flush', 'now')
})

const misfit = '/id is "x"; expected a whole number'

describe('sluice schema check', () => {
  test('the newest events of the server, newest files first', async () => {
    const { code, stdout, stderr } = await sluice('schema', 'check', 'Order.json')
    expect(code).toBe(1)
    expect(stdout).toMatch(/Order\.json +Order +3 +2\n/)
    expect(stdout).toMatch(new RegExp(`/lake/Order/2026/11/21/10/\\S+ row 0: ${misfit}\\n`))
    expect(stderr).toContain('1 of 3 events do not fit')
    const newest = await sluice('schema', 'check', 'Order.json', '--limit', '1', '--json')
    expect(newest.code).toBe(1)
    expect(JSON.parse(newest.stdout).schemas).toMatchObject([
      { type: 'Order', events: 1, fit: 0, misfits: [{ detail: misfit }] },
    ])
  })

  test('several schemas; those for others are passed over', async () => {
    const { code, stdout, stderr } = await sluice('schema', 'check', 'Other.json', 'None.json', '_money.json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '! there are no events of None to try it on\n' })
    expect(stdout).toContain('✓ the event fits\n')
    expect(stdout).not.toContain('_money')
  })

  test('files of events, without a server', async () => {
    const words = ['schema', 'check', 'Order.json', '--file', 'events.jsonl', '--server-url', 'http://127.0.0.1:1']
    const { code, stdout } = await sluice(...words)
    expect(code).toBe(1)
    expect(stdout).toContain('events.jsonl: line 2: /total is null; expected a number\n')
    expect(stdout).toContain(`events.jsonl: line 3: ${misfit}\n`)
  })

  test('a schema that cannot be used: file, line and reason', async () => {
    const { code, stderr } = await sluice('schema', 'check', 'Bad.json')
    expect(code).toBe(1)
    expect(stderr).toContain('Bad.json:2: "propertis" is no keyword of JSON Schema; did you mean properties?')
    expect((await sluice('schema', 'check', 'missing.json')).stderr).toContain('missing.json cannot be read: ENOENT')
  })
})

describe('sluice schema infer', () => {
  test('fits what it was made of', async () => {
    const { code, stdout, stderr } = await sluice('schema', 'infer', 'Order')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Made of 3 events.\n' })
    expect(JSON.parse(stdout)).toMatchObject({
      title: 'Order',
      properties: { id: { type: ['string', 'integer'] }, total: { type: 'number' } },
      required: ['id'],
    })
    put('Draft.json', stdout)
    expect((await sluice('schema', 'check', 'Draft.json', '--type', 'Order')).code).toBe(0)
  })

  test('of a file; and of nothing', async () => {
    const { stdout } = await sluice('schema', 'infer', 'Other', '--file', 'events.jsonl')
    expect(JSON.parse(stdout).properties).toEqual({ id: { type: 'string' } })
    expect((await sluice('schema', 'infer', 'Nothing')).stderr).toContain('There are no events of Nothing')
  })
})
