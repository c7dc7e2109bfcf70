import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toRouteRows } from '../../scripts/generate/tables.ts'
import { doorNames } from '../../src/collector/doors/door-names.ts'
import { loadConfig, SettingsError } from '../../src/config/config.ts'
import { loadContract } from '../../src/contract/load.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { roles } from '../../src/http/roles.ts'
import { forgeToken } from '../suites/delegation-tokens.ts'
import { eventually } from '../suites/eventually.ts'
import { cleanUp, createDirectory, start } from './process/child.ts'

/** Each is found nowhere else, whatever is escaped around it. */
const createSecret = (): string => `S3cr${randomBytes(12).toString('hex')}`
const secrets = {
  delegation: forgeToken(randomBytes(32)),
  nameNodeToken: createSecret(),
  mountToken: createSecret(),
  brokerPassword: createSecret(),
  registrarPassword: createSecret(),
  registrarKey: createSecret(),
  eventIdKey: createSecret(),
  wrongToken: createSecret(),
  send: createSecret(),
  read: createSecret(),
  write: createSecret(),
  view: createSecret(),
  operate: createSecret(),
}
const leaksOf = (text: string): readonly string[] =>
  Object.entries(secrets).flatMap(([name, secret]) => (text.includes(secret) ? [name] : []))

/**
 * A hostile name node: it repeats the URL, token included, in pages that are not answers, and redirects to a data node
 * that does not exist with the token in its address, as real ones do. As a registry it has only such pages.
 */
const createGossip = (): Server =>
  createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://gossip.invalid')
    const path = url.pathname.replace('/webhdfs/v1', '')
    const json = { 'content-type': 'application/json' }
    if (url.searchParams.get('op') === 'GETFILESTATUS' && path === '/file') {
      const FileStatus = {
        type: 'FILE',
        length: 5,
        modificationTime: 1,
        accessTime: 1,
        owner: 'a',
        group: 'b',
        permission: '644',
      }
      const rest = { replication: 1, blockSize: 1, pathSuffix: '', accessTime: 1, fileId: 1, childrenNum: 0 }
      response.writeHead(200, json).end(JSON.stringify({ FileStatus: { ...FileStatus, ...rest } }))
    } else if (url.searchParams.get('op') === 'OPEN') {
      response.writeHead(307, { location: `http://127.0.0.1:1${request.url}` }).end()
    } else response.writeHead(path === '/denied' ? 403 : 500).end(`<html>Cannot proxy ${request.url}</html>`)
  })

afterAll(cleanUp)

describe.each(['json', 'text'])('S5: with a log of %s', format => {
  let gossip: Server
  let cwd = ''
  let origins = { server: '', admin: '' }
  let child: ReturnType<typeof start>

  beforeAll(async () => {
    gossip = createGossip()
    await new Promise<void>(done => gossip.listen(0, '127.0.0.1', done))
    const port = (gossip.address() as AddressInfo).port
    cwd = createDirectory()
    const tokens = roles.map(role => `${role} ${role} sha256:${hashToken(secrets[role])}`)
    writeFileSync(join(cwd, 'tokens'), tokens.join('\n'))
    const mount = {
      path: '/other',
      url: 'hdfs://127.0.0.1:1',
      webhdfs: `http://127.0.0.1:${port}`,
      token: secrets.mountToken,
    }
    const settings = {
      'auth.tokens': 'tokens',
      'collector.auth': 'token',
      'namenode.url': 'hdfs://127.0.0.1:1',
      'namenode.webhdfs.url': `http://127.0.0.1:${port}`,
      'registrar.url': `http://ann:${secrets.registrarPassword}@127.0.0.1:${port}/types?key=${secrets.registrarKey}`,
      'realtime.broker': `amqp://ann:${secrets.brokerPassword}@127.0.0.1:1`,
      'realtime.events': 'Hello',
      'collector.doors': doorNames,
      // So that its files can be looked into.
      'collector.output.format': 'jsonl',
      'collector.output.compression': 'none',
      'collector.scribe.port': 0,
      'collector.diskspool.flush-interval-seconds': 1,
      'collector.diskspool.min-free-bytes': 0,
      'log.level': 'debug',
      'log.access': format === 'json' ? 'json' : 'combined',
      'log.access-file': 'access.log',
      clusters: [mount],
    }
    // JSON is YAML.
    writeFileSync(join(cwd, 'sluice.yaml'), JSON.stringify(settings))
    const env = {
      SLUICE_NAMENODE_TOKEN: secrets.nameNodeToken,
      SLUICE_COLLECTOR_EVENT_IDS_KEY: secrets.eventIdKey,
      SLUICE_LOG_FORMAT: format,
    }
    child = start(process.execPath, [resolve('src/main.ts')], { cwd, env })
    await eventually(() => expect(child.output()).toContain('sluice is ready'))
    const urls = [...child.output().matchAll(/(server|admin)"?[:=]"?(http:[^" ]+)/g)]
    origins = { ...origins, ...Object.fromEntries(urls.map(([, name, url]) => [name, url])) }
  })
  afterAll(() => gossip.close())

  const ask = async (origin: string, target: string, init: RequestInit = {}): Promise<string> => {
    const response = await fetch(`${origin}${target}`, { ...init, redirect: 'manual' }).catch(() => undefined)
    if (!response) return 'cut off'
    const headers = [...response.headers].filter(([name]) => name !== 'set-cookie')
    return `${response.status} ${JSON.stringify(headers)} ${await response.text().catch(() => 'cut off')}`
  }
  const json = { 'content-type': 'application/json' }
  const webHdfs: Readonly<Record<string, string>> = {
    GET: 'op=OPEN',
    PUT: 'op=CREATE&data=true',
    POST: 'op=APPEND&data=true',
    DELETE: 'op=DELETE',
  }
  const bearer = (role: keyof typeof secrets) => ({ authorization: `Bearer ${secrets[role]}` })

  test('no answer has a secret in it', async () => {
    const answers: string[] = []
    const note = async (...given: Parameters<typeof ask>) => void answers.push(await ask(...given))
    for (const { part, method, path, roles: needed } of toRouteRows()) {
      const origin = part === 'management' ? origins.admin : origins.server
      for (const accept of ['*/*', 'text/html']) {
        for (const role of ['wrongToken', ...needed] as const) {
          const headers = { ...json, accept, ...bearer(role as keyof typeof secrets) }
          const body = method === 'POST' ? { body: '{"eventName":"Hello","payload":{}}' } : {}
          const about = ['/file', '/denied', '/away', '/other/file', '/other/away', '/']
          const takesPath = path.startsWith('/rest/1.0') && path !== '/rest/1.0/event' && role !== 'wrongToken'
          const toWebHdfs = (file: string): string => path.replace('/*', `${file}?${webHdfs[method]}`)
          const targets = takesPath
            ? about.map(file => `${path}?path=${file}`)
            : path.startsWith('/webhdfs')
              ? about.map(toWebHdfs)
              : [path.replace('*', 'x')]
          await Promise.all(targets.map(target => note(origin, target, { method, headers, ...body })))
        }
      }
    }
    for (const name of ['token', 'access_token', 'delegation']) {
      await note(origins.server, `/rest/1.0/json?path=/file&${name}=${secrets.wrongToken}`)
      await note(origins.server, `/webhdfs/v1/file?op=OPEN&${name}=${secrets.wrongToken}`)
    }
    for (const query of ['OPEN', 'LISTSTATUS', 'GETXATTRS', 'GETDELEGATIONTOKEN', 'OPEN&offset=x']) {
      await note(origins.server, `/webhdfs/v1/file?op=${query}&delegation=${secrets.read}`)
    }
    for (const op of ['RENEWDELEGATIONTOKEN', 'CANCELDELEGATIONTOKEN']) {
      const put = { method: 'PUT', headers: bearer('read') }
      for (const token of [secrets.wrongToken, secrets.delegation]) {
        await note(origins.server, `/webhdfs/v1/?op=${op}&token=${token}`, put)
        await note(origins.server, `/webhdfs/v1/?op=${op}&delegation=${secrets.read}&token=${token}`, { method: 'PUT' })
      }
    }
    await note(origins.server, `/webhdfs/v1/?op=OPEN&delegation=${secrets.delegation}`)
    const cookie = `sluice-session=${secrets.wrongToken}`
    await note(origins.server, '/rest/1.0/hdfs', { headers: { cookie, accept: 'text/html' } })
    for (const token of [secrets.wrongToken, secrets.read]) {
      const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
      await note(origins.server, '/login', { method: 'POST', headers: form, body: `token=${token}` })
      await note(origins.admin, '/console/session', { method: 'POST', headers: json, body: JSON.stringify({ token }) })
    }
    const view = { ...json, ...bearer('view') }
    const reads = [
      ['/jolokia', { type: 'read', mbean: '*:*' }],
      ['/jolokia', { type: 'list' }],
      ['/rpc', { jsonrpc: '2.0', id: 1, method: 'read', params: { mbean: '*:*' } }],
    ] as const
    for (const [path, body] of reads) {
      const answer = await ask(origins.admin, path, { method: 'POST', headers: view, body: JSON.stringify(body) })
      expect(answer).toContain('Settings')
      answers.push(answer)
    }
    await note(origins.admin, '/metrics', { headers: view })
    await note(origins.admin, '/1.0/healthcheck', { headers: view })
    expect(answers.length).toBeGreaterThan(100)
    for (const answer of answers) expect(leaksOf(answer), answer.slice(0, 500)).toEqual([])
    const statuses = new Set(answers.map(answer => answer.slice(0, 3)))
    for (const status of ['200', '401', '403', '503']) expect([...statuses]).toContain(status)
  })

  const testCommands = async (): Promise<void> => {
    const env = {
      PATH: process.env['PATH'],
      HOME: cwd,
      SLUICE_URL: origins.admin,
      SLUICE_SERVER_URL: origins.server,
      SLUICE_NAMENODE_TOKEN: secrets.nameNodeToken,
      SLUICE_COLLECTOR_EVENT_IDS_KEY: secrets.eventIdKey,
      SLUICE_SPOOL: join(cwd, 'data/.diskpool'),
    }
    const run = (words: readonly string[], token: string): Promise<string> =>
      new Promise(done => {
        const options = { cwd, env: { ...env, SLUICE_TOKEN: token } }
        execFile(process.execPath, [resolve('bin/sluice.js'), ...words], options, (_, stdout, stderr) =>
          done(`${stdout}${stderr}`),
        ).stdin?.end()
      })
    const commands: (readonly [string, keyof typeof secrets])[] = [
      ['config', 'view'],
      ['config --json', 'view'],
      ['doctor', 'view'],
      ['beans list --json', 'view'],
      ['beans get sluice.metrics:name=Settings --json', 'view'],
      ['beans list', 'wrongToken'],
      ['health', 'view'],
      ['fs ls /other/away', 'read'],
      ['fs cat /other/file', 'read'],
      ['fs ls /', 'wrongToken'],
      ['spool list', 'view'],
    ]
    for (const [words, role] of commands) {
      const printed = await run(words.split(' '), secrets[role])
      expect(printed, words).not.toBe('')
      expect(leaksOf(printed), `${words}: ${printed}`).toEqual([])
    }
  }
  // They have no part in the server's log: once is enough.
  if (format === 'json') test('no command prints one', testCommands)

  test('senders of other makes are refused without their keys', async () => {
    const key = secrets.send
    const event = `{"token":"${key}","properties":{"token":"${key}"}}`
    const batch = `{"api_key":"${key}","batch":[${event}]}`
    const call = `{"writeKey":"${key}","userId":"u"}`
    const encoded = encodeURIComponent(Buffer.from(batch).toString('base64'))
    const basic = { ...json, authorization: `Basic ${btoa(`${key}:`)}` }
    const delivery = { 'x-amz-firehose-request-id': 'r' }
    const requests: readonly (readonly [path: string, body: string | Uint8Array<ArrayBuffer>, headers?: object])[] = [
      ['/v1/batch', `{"writeKey":"${key}","batch":[${call}]}`],
      ['/v1/batch', `{"batch":[${call},{"type":"page","writeKey":"${key}"}]}`],
      ['/v1/batch', call, basic],
      [`/v1/page?writeKey=${key}`, '{"writeKey":', basic],
      ...['/batch/', '/capture/', '/e/', '/i/v0/e/'].map(path => [path, batch] as const),
      [`/e/?token=${key}`, `data=${encoded}`],
      ['/e/', new Uint8Array(gzipSync(batch))],
      ['/e/', new Uint8Array(gzipSync(batch)), { ...json, 'content-encoding': 'gzip' }],
      ['/firehose?name=Hello', '{}', { ...json, ...delivery, 'x-amz-firehose-access-key': key }],
      ['/firehose?name=Hello', '{}', { ...basic, ...delivery }],
    ]
    for (const [path, body, headers = json] of requests) {
      const told = await ask(origins.server, path, { method: 'POST', headers: { ...headers }, body })
      expect(told, path).toMatch(/^400/)
      expect(leaksOf(told), path).toEqual([])
    }
  })

  test('keys in paths and queries are shown only to their sender', async () => {
    const key = secrets.send
    const paths = loadContract().operations.flatMap(({ path }) => (path.endsWith('/{key}') ? [path] : []))
    const tails = [
      '',
      '/',
      '/settings',
      '/config',
      '/config.js',
      '/other',
      '/%',
      `/${key.repeat(20)}`,
      `?writeKey=${key}`,
    ]
    let refusals = 0
    for (const path of paths) {
      for (const tail of tails) {
        for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS']) {
          const body = method === 'POST' ? { body: '{"type":"page"}' } : {}
          const headers = { ...json, 'content-encoding': 'br2', authorization: `Basic ${btoa(`${key}:`)}` }
          const target = path.replace('{key}', `${key}${tail}`)
          const told = await ask(origins.server, target, { method, headers, ...body })
          // An SDK hears its own key in its settings.
          if (told.startsWith('200')) continue
          expect(leaksOf(told), `${method} ${target}`).toEqual([])
          refusals++
        }
      }
    }
    expect(refusals).toBeGreaterThan(60)
    for (const name of ['writeKey', 'api_key', 'token']) {
      for (const path of ['/sourceConfig', '/flags', '/decide', '/beacon/v1/batch', '/e', '/i'])
        await ask(origins.server, `${path}/?v=1&${name}=${key}`, { method: path === '/i' ? 'GET' : 'POST' })
    }
  })

  test('the log and the spool contain none, whatever was requested before', async () => {
    const body = '{"eventName":"Hello","payload":{}}'
    const sent = await ask(origins.server, '/rest/1.0/event', {
      method: 'POST',
      headers: { ...json, ...bearer('send') },
      body,
    })
    expect(sent).toMatch(/^202/)
    // With an id, which is hashed with a secret.
    const headers = { 'content-type': 'application/cloudevents+json', ...bearer('send') }
    const event = { specversion: '1.0', type: 'Hello', source: '/s', id: '1', data: {} }
    expect(
      await ask(origins.server, '/rest/1.0/event', { method: 'POST', headers, body: JSON.stringify(event) }),
    ).toMatch(/^202/)
    // The flush has met the name node, and realtime the broker.
    await expect.poll(() => child.output()).toMatch(/registry does not answer/)
    child.process.kill('SIGTERM')
    await child.ended()
    const log = child.output()
    expect(log).toContain('the answer is HTTP 500')
    expect(leaksOf(log), log).toEqual([])
    const lines = readFileSync(join(cwd, 'access.log'), 'utf8')
    expect(lines).toContain('/array/(hidden)/config.js')
    expect(
      leaksOf(lines),
      lines.split('\n').find(line => leaksOf(line).length > 0),
    ).toEqual([])
    const data = join(cwd, 'data')
    expect(statSync(join(data, '.diskpool')).mode & 0o777).toBe(0o700)
    let masks = 0
    for (const entry of readdirSync(data, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (!entry.isFile() || !existsSync(path)) continue
      const text = readFileSync(path, 'latin1')
      expect(leaksOf(text), path).toEqual([])
      masks += text.split('(hidden)').length - 1
    }
    expect(masks).toBeGreaterThan(10)
  })
})

describe('S5: a start that fails', () => {
  const secret = secrets.brokerPassword
  /** What is said of settings that cannot be used. */
  const complain = (words: readonly string[], yaml = ''): string => {
    try {
      loadConfig({ argv: words, env: {}, cwd: '/nowhere', readFile: () => yaml })
    } catch (error) {
      if (error instanceof SettingsError) return error.message
      throw error
    }
    throw new Error('These settings can be used')
  }

  test.each([
    ['a URL that is none', ['--set', `realtime.broker=amqp://ann:${secret}/x@h`]],
    ['another scheme', ['--set', `registrar.url=ftp://ann:${secret}@h`]],
    ['a cluster with a wrong key', ['--set', `clusters=[{"path":"/a","url":"hdfs://h","tokn":"${secret}"}]`]],
    ['a mount that is not JSON', ['--set', `mounts=[{"path":"/a","token":"${secret}"`]],
    ['a setting that there is not', ['--set', `namenode.tokn=${secret}`]],
  ])('%s', (_, words) => expect(leaksOf(complain(words))).toEqual([]))

  test.each([
    `namenode.token: "${secret}`,
    `namenode: { token: ${secret}`,
    `? ${secret}: [`,
    `a: &a ${secret}\n b: *c`,
  ])('a settings file that is no YAML: %#', yaml => expect(leaksOf(complain([], yaml))).toEqual([]))

  test.each([
    ['a cluster', ['--set', `namenode.url=hdfs://ann:${secret}@h`]],
    ['a WebHDFS address', ['--set', 'namenode.url=hdfs://h', '--set', `namenode.webhdfs.url=http://a:${secret}@h`]],
  ])(
    '%s with a password',
    async (_, words) => {
      const child = start(process.execPath, [resolve('src/main.ts'), ...words])
      expect(await child.ended()).not.toBe(0)
      expect(child.output()).toContain('without a password')
      expect(leaksOf(child.output()), child.output()).toEqual([])
    },
    60_000,
  )
})
