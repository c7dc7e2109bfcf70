/**
 * Every command at a terminal, in front of a server whose answers hold hostile text in every field: no byte of it may
 * reach the terminal as a control character.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandLoaders } from '../../admin/cli/command-loaders.ts'
import { hostileText, steering } from '../suites/hostile-text.ts'
import { cleanUp, createDirectory, start } from './process/child.ts'

const bin = resolve('bin/sluice.js')
const hasScript = spawnSync('script', ['--version']).status === 0
const cwd = createDirectory()
/** What a name may have of it. */
const hostileName = 'evil\u202e\u2066'
let server = ''
let admin = ''
/** Whether names of beans and words of the protocol are hostile as well, so that most commands fail. */
type Mode = 'values' | 'all'
const proxies = new Map<Mode, { readonly url: string; readonly server: string }>()

beforeAll(async () => {
  const settings = ['data.dir=data', 'collector.scribe.enabled=false', 'gateway.readers=0']
  const child = start(process.execPath, [bin, 'serve', ...settings.flatMap(one => ['--set', one])], { cwd })
  const ready = await child.logged('sluice is ready')
  server = String(ready['server'])
  admin = String(ready['admin'])
  await post([
    { eventName: hostileName, payload: { [hostileText]: hostileText } },
    { eventName: 'Bad', payload: hostileText },
  ])
  writeFileSync(
    join(cwd, 'data/fs/rows.json'),
    `${JSON.stringify({ [hostileText]: { [hostileText]: hostileText } })}\n`,
  )
  mkdirSync(join(cwd, `data/fs/${hostileName}`))
  cpSync(join(cwd, 'data/.diskpool'), join(cwd, 'spool'), { recursive: true })
  writeFileSync(join(cwd, 'tokens'), `${hostileName} view sha256:${createHash('sha256').update('x').digest('hex')}\n`)
  writeFileSync(join(cwd, 'events.json'), JSON.stringify({ eventName: 'Bad', payload: hostileText }))
  const sample = { eventName: 'Bad', payload: { [hostileText]: hostileText } }
  writeFileSync(join(cwd, 'sample.json'), JSON.stringify(sample))
  writeFileSync(join(cwd, 'schema.json'), JSON.stringify({ properties: { [hostileText]: { type: 'number' } } }))
  for (const mode of ['values', 'all'] as const) {
    proxies.set(mode, { url: await startProxy(admin, mode), server: await startProxy(server, mode) })
  }
})
afterAll(() => {
  for (const proxy of servers) proxy.close()
  cleanUp()
})

const post = (events: unknown): Promise<Response> =>
  fetch(`${server}/rest/1.0/event`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(events),
  })

/** Arguments of each command; the answers are not searched if `isSilent`. */
const commands: Readonly<Record<string, { readonly words?: readonly string[]; readonly isSilent?: boolean }>> = {
  'beans:call': { words: ['Quarantine', 'release', hostileText] },
  'beans:get': { words: ['Health'] },
  'beans:list': {},
  'beans:search': { words: ['*:*'] },
  'beans:set': { words: ['Health', hostileText, hostileText] },
  compact: { words: [`/none${hostileText}`] },
  completion: { words: ['bash'], isSilent: true },
  'completion:names': { words: ['paths', '/'], isSilent: true },
  config: { words: [hostileText] },
  doctor: { words: ['--set', 'data.dir=data', '--set', `x.${hostileText}=1`] },
  drain: { isSilent: true },
  'flush:disable': {},
  'flush:enable': {},
  'flush:now': {},
  'flush:status': { isSilent: true },
  'fs:cat': { words: ['/rows.json'] },
  'fs:du': { words: ['/'] },
  'fs:find': { words: ['/'] },
  'fs:get': { words: [`/none${hostileText}`, '.'] },
  'fs:ls': { words: ['/'] },
  'fs:mkdir': { words: [`/made${hostileText}`] },
  'fs:mv': { words: [`/made${hostileText}`, `/moved${hostileText}`] },
  'fs:put': { words: ['events.json', `/put${hostileText}`] },
  'fs:rm': { words: [`/none${hostileText}`, '--yes'] },
  'fs:rows': { words: ['/rows.json'] },
  'fs:tail': { words: ['/rows.json'] },
  health: {},
  open: { words: [hostileText] },
  'realtime:disable': {},
  'realtime:enable': {},
  'realtime:status': { isSilent: true },
  'refused:export': { isSilent: true },
  'refused:list': { isSilent: true },
  'refused:replay': { words: [hostileText] },
  'refused:show': { words: [hostileText] },
  'schema:check': { words: ['schema.json', '--type', 'Bad', '--file', 'sample.json'] },
  'schema:infer': { words: ['Bad', '--file', 'sample.json'] },
  send: { words: ['--file', 'events.json'] },
  serve: { words: ['--set', `x.${hostileText}=1`] },
  'spool:adopt': { words: [hostileText] },
  'spool:dump': { words: ['--spool', 'spool'] },
  'spool:import': { words: [hostileText] },
  'spool:list': { words: ['--spool', `none${hostileText}`] },
  'spool:quarantine:list': { words: ['--spool', `none${hostileText}`] },
  'spool:quarantine:release': { words: [hostileText, '--spool', 'spool'] },
  'spool:quarantine:remove': { words: [hostileText, '--yes', '--spool', 'spool'] },
  'spool:quarantine:show': { words: [hostileText] },
  'spool:replay': { words: [hostileText, '--spool', 'spool'] },
  'spool:strays': { words: ['--set', `x.${hostileText}=1`] },
  'spool:strays:remove': { words: [hostileText, '--yes'] },
  'spool:verify': { words: ['--spool', `none${hostileText}`] },
  stats: { isSilent: true },
  status: {},
  'table:check': { words: [`/none${hostileText}`] },
  'table:expire': { words: [`/none${hostileText}`, '--yes'] },
  'table:history': { words: [`/none${hostileText}`] },
  'table:import': { words: [`/none${hostileText}`] },
  'table:list': { words: [`/none${hostileText}`] },
  'table:repeats': { words: [`/none${hostileText}`] },
  'table:retain': { words: [`/none${hostileText}`, '--days', '1', '--yes'] },
  'table:show': { words: [`/none${hostileText}`] },
  tail: { words: ['--limit', '1'] },
  'token:create': { words: [`${hostileName} x`, '--role', 'view', '--file', 'tokens'] },
  'token:hadoop': { words: ['--server-url', hostileText] },
  'token:list': { words: ['--file', `none${hostileText}`] },
}

test('all commands are tried', () => expect(Object.keys(commands).sort()).toEqual(Object.keys(commandLoaders).sort()))

test.skipIf(!hasScript).each(Object.entries(commands))('%s', async (id, { words = [], isSilent = false }) => {
  const outputs: string[] = []
  for (const mode of proxies.keys()) {
    for (const more of mode === 'values' ? [[], ['--json']] : [[]]) {
      const output = await atTerminal(mode, [...id.split(':'), ...words, ...more])
      expect(output.replace(/\r\n|[\n\t]/g, ''), output).not.toMatch(steering)
      outputs.push(output)
    }
  }
  // Hostile text arrived there, and is shown.
  if (!isSilent) expect(outputs.join('\n')).toMatch(/\\u(?:001b|009b|202e)/)
})

/** What a terminal gets from a command, without what the command draws with. */
const atTerminal = async (mode: Mode, words: readonly string[]): Promise<string> => {
  const { url = '', server: serverUrl = '' } = proxies.get(mode) ?? {}
  const line = [process.execPath, bin, ...words].map(toShellWord).join(' ')
  const env = {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    NO_COLOR: '1',
    TERM: 'xterm',
    SLUICE_URL: url,
    SLUICE_SERVER_URL: serverUrl,
    SLUICE_GATEWAY_URL: serverUrl,
    SLUICE_DATA_DIR: 'data',
  }
  const child = spawn('script', ['-qec', line, '/dev/null'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout] = await Promise.all([buffer(child.stdout), text(child.stderr)])
  return stdout.toString('utf8').replaceAll('\r\u001b[2K', '')
}

const toShellWord = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

const servers: ReturnType<typeof createServer>[] = []

/** Passes everything on, and makes all text of the answers hostile. */
const startProxy = async (target: string, mode: Mode): Promise<string> => {
  const proxy = createServer((request, response) => {
    passOn(target, mode, request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  servers.push(proxy)
  await new Promise(done => proxy.once('listening', done))
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

const passOn = async (
  target: string,
  mode: Mode,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers
  const body = request.method === 'GET' || request.method === 'HEAD' ? undefined : await buffer(request)
  const answer = await fetch(`${target}${request.url}`, {
    method: request.method ?? 'GET',
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  })
  const type = answer.headers.get('content-type') ?? ''
  const location = answer.headers.get('location')
  response.writeHead(answer.status, {
    'content-type': type,
    ...(location === null ? {} : { location: location.replace(target, '') }),
  })
  if (type.includes('event-stream')) {
    for await (const chunk of answer.body ?? []) {
      const lines = Buffer.from(chunk).toString('utf8').split('\n')
      response.write(
        lines.map(line => (line.startsWith('data: ') ? `data: ${toHostile(line.slice(6), mode)}` : line)).join('\n'),
      )
    }
    response.end()
    return
  }
  const sent = await answer.text()
  response.end(type.includes('json') ? toHostile(sent, mode) : `${sent}${hostileText}`)
}

const toHostile = (json: string, mode: Mode): string => {
  const turn = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return isWord(key, value) && mode === 'values' ? value : value + hostileText
    if (Array.isArray(value)) return value.map(one => turn(one, key))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [
        mode === 'all' && !protocol.has(name) ? name + hostileText : name,
        protocol.has(name) && typeof part !== 'object' ? part : turn(part, name),
      ]),
    )
  }
  try {
    return JSON.stringify(turn(JSON.parse(json)))
  } catch {
    return json
  }
}

const protocol = new Set(['jsonrpc', 'id', 'result', 'error', 'code', 'message'])
/** What commands decide by, and not show. */
const isWord = (key: string, value: string): boolean =>
  /^(?:OK|WARN|ERROR|FILE|DIRECTORY|true|false|\d+)$/.test(value) || value.includes('name=') || key === 'path'
