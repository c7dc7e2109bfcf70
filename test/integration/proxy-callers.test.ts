/** A real proxy that knows who calls, in front of gateway and management: nginx, with its own logins. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Daemon, startDaemon } from '../../scripts/daemon.ts'
import { findProgram } from '../../scripts/find-program.ts'
import { findFreePorts } from '../../scripts/free-ports.ts'
import { createToken } from '../../src/http/auth/auth.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { toTokenLine } from '../../src/http/auth/token-file.ts'
import { createTestServer, type TestServer } from '../suites/admin.ts'
import { describePart } from '../suites/describe-part.ts'

const nginx = await findProgram('nginx', [], ['/usr/sbin', '/usr/local/sbin'])
type Request = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> }

/** Where nginx calls from, as the proxy that is believed; the tests call from 127.0.0.1. */
const proxyAddress = '127.0.0.2'
const token = createToken()
const rules = [
  'user: "bob" roles: read,write',
  'user: "*@test.org" roles: read,view name: "*"',
  toTokenLine('app', ['view'], hashToken(token)),
].join('\n')

const missing = nginx === undefined ? 'no nginx: "nginx" is not on the PATH' : undefined

describePart('nginx', missing, 'behind nginx, which knows who calls', () => {
  let directory = ''
  let server: TestServer
  let proxy: Daemon
  const ports = { server: 0, admin: 0 }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-nginx-'))
    await writeFile(join(directory, 'tokens'), rules)
    server = await createTestServer({
      transport: 'node',
      set: [
        `auth.tokens=${join(directory, 'tokens')}`,
        'auth.proxy-header=X-Remote-User',
        `auth.trusted-proxies=${proxyAddress}`,
        'collector.auth=token',
      ],
    })
    const [forServer = 0, forAdmin = 0] = await findFreePorts(2)
    Object.assign(ports, { server: forServer, admin: forAdmin })
    await writeFile(join(directory, 'users'), 'bob:{PLAIN}b\nann@test.org:{PLAIN}a\neve:{PLAIN}e\n')
    await writeFile(join(directory, 'nginx.conf'), toConfig())
    proxy = await startDaemon({
      command: nginx ?? 'nginx',
      args: ['-p', directory, '-c', 'nginx.conf'],
      logFile: join(directory, 'log'),
      detached: false,
    })
    for (let i = 0; i < 500 && (await fetch(urlOf('server', '/livez')).catch(() => undefined)) === undefined; i++) {
      await sleep(10)
    }
  })
  afterAll(async () => {
    await proxy?.kill()
    await server?.close()
    await rm(directory, { recursive: true, force: true })
  })

  const toConfig = (): string => `daemon off;
master_process off;
pid nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  auth_basic "people";
  auth_basic_user_file users;
  proxy_bind ${proxyAddress};
  proxy_set_header Host $http_host;
  proxy_set_header X-Remote-User $remote_user;
  server { listen 127.0.0.1:${ports.server}; location / { proxy_pass ${server.serverUrl}; } location = /livez { auth_basic off; proxy_pass ${server.serverUrl}; } }
  server { listen 127.0.0.1:${ports.admin}; location / { proxy_pass ${server.adminUrl}; } }
}
`
  const urlOf = (listener: 'server' | 'admin', target: string): string => `http://127.0.0.1:${ports[listener]}${target}`
  const ask = (
    who: string,
    listener: 'server' | 'admin',
    target: string,
    { headers, ...init }: Request = {},
  ): Promise<Response> => {
    const authorization = `Basic ${Buffer.from(`${who}:${who[0]}`).toString('base64')}`
    return fetch(urlOf(listener, target), { redirect: 'manual', ...init, headers: { ...headers, authorization } })
  }
  const json = { 'content-type': 'application/json' }
  const html = { accept: 'text/html' }
  const rpc = { method: 'POST', headers: json, body: '{"jsonrpc":"2.0","id":1,"method":"version"}' }

  test('S7: its users have the roles of their rules, on every interface', async () => {
    const statuses = async (who: string) => [
      (await ask(who, 'server', '/rest/1.0/hdfs?path=/', { headers: html })).status,
      (await ask(who, 'server', '/rest/1.0/json?path=/')).status,
      (await ask(who, 'server', '/webhdfs/v1/?op=LISTSTATUS')).status,
      (await ask(who, 'server', '/webhdfs/v1/x?op=MKDIRS', { method: 'PUT' })).status,
      (await ask(who, 'admin', '/rpc', rpc)).status,
      (await ask(who, 'admin', '/jolokia/version')).status,
      (await ask(who, 'admin', '/metrics')).status,
    ]
    expect(await statuses('bob')).toEqual([200, 200, 200, 200, 403, 403, 403])
    expect(await statuses('ann@test.org')).toEqual([200, 200, 200, 403, 200, 200, 200])
    expect(await statuses('eve')).toEqual([303, 401, 401, 401, 401, 401, 401])
  })

  test('pages and console need no form, and a caller without a rule gets the reason', async () => {
    expect(await (await ask('bob', 'server', '/rest/1.0/hdfs?path=/', { headers: html })).text()).toContain(
      'Logged in as bob',
    )
    expect((await ask('bob', 'server', '/login?to=/docs', { headers: html })).headers.get('location')).toBe('/docs')
    const session = await (await ask('ann@test.org', 'admin', '/console/session')).json()
    expect(session).toMatchObject({ name: 'ann', canView: true, canOperate: false })
    const stranger = await ask('eve', 'server', '/login?to=/', { headers: html })
    expect([stranger.status, await stranger.text()]).toEqual([
      401,
      expect.stringContaining('No rule of the file of auth.tokens is for the user eve'),
    ])
  })

  test('a header of a client is not handed on, and counts for nothing without the proxy', async () => {
    const claimed = { headers: { 'x-remote-user': 'bob' } }
    expect((await ask('eve', 'server', '/rest/1.0/json?path=/', claimed)).status).toBe(401)
    expect((await server.server('/rest/1.0/json?path=/', claimed)).status).toBe(401)
    const byToken = { headers: { ...claimed.headers, authorization: `Bearer ${token}` } }
    expect((await server.server('/rest/1.0/json?path=/', byToken)).status).toBe(403)
  })

  test('a page of another site gets nothing by the login at the proxy, and no event comes in by it', async () => {
    const foreign = { origin: 'http://evil.example' }
    expect((await ask('bob', 'server', '/webhdfs/v1/y?op=MKDIRS', { method: 'PUT', headers: foreign })).status).toBe(
      403,
    )
    const event = { method: 'POST', headers: json, body: '{"eventName":"Hello","payload":{}}' }
    expect((await ask('bob', 'server', '/rest/1.0/event', event)).status).toBe(401)
  })

  test('audit lines have the name of the user', async () => {
    await ask('bob', 'server', '/webhdfs/v1/by-bob?op=MKDIRS', { method: 'PUT' })
    await ask('ann@test.org', 'server', '/webhdfs/v1/by-ann?op=MKDIRS', { method: 'PUT' })
    const lines = server.log.filter(({ path }) => String(path).startsWith('/by-'))
    expect(lines.map(({ who, outcome }) => [who, outcome])).toEqual([
      ['bob', 'ok'],
      ['ann', 'denied'],
    ])
  })
})
