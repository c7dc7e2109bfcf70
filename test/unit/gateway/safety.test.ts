import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createToken } from '../../../src/http/auth/auth.ts'
import { hashToken } from '../../../src/http/auth/token-callers.ts'
import { toTokenLine } from '../../../src/http/auth/token-file.ts'
import { chunksOf } from '../../suites/filesystem.ts'
import { createTestGateway, type TestGateway } from '../../suites/gateway.ts'
import { listAll } from '../../suites/list-all.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'

let gateway: TestGateway | undefined
let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-safety-'))
})
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
  rmSync(directory, { recursive: true, force: true })
})

/** Every route that reads or changes files. */
const routes = [
  'GET /rest/1.0/json?path=/f',
  'GET /rest/1.0/text?path=/f',
  'GET /rest/1.0/binary?path=/f',
  'GET /files/f',
  'GET /rest/1.0/hdfs?path=/f',
  'GET /rest/1.0/hdfs?path=/f&raw=false',
  'GET /rest/1.0/viewer?object=e30=',
  'POST /rest/1.0?path=/new',
  'DELETE /rest/1.0?path=/f',
  'POST /rest/1.0/hdfs?path=/f&action=delete',
]

const send = async (route: string, headers: Readonly<Record<string, string>> = {}) => {
  const [method = '', target = ''] = route.split(' ')
  const form = method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
  const response = await gateway?.call(target, { method, headers: { ...form, ...headers }, redirect: 'manual' })
  if (!response) throw new Error('no gateway')
  await response.body?.cancel()
  return response.status
}

const setUp = async (...settings: readonly string[]) => {
  const fs = createMemoryFileSystem()
  await fs.create('/f', chunksOf('x'))
  gateway = await createTestGateway({ fileSystem: fs, settings })
  return fs
}

const names = async (fs: ReturnType<typeof createMemoryFileSystem>) => (await listAll(fs, '/')).map(({ path }) => path)

describe('S1: without tokens', () => {
  test.each(routes)('%s is open to programs on this machine', async route => {
    await setUp()
    expect(await send(route)).toBeLessThan(400)
  })

  test.each(routes)('a page of another site cannot send %s', async route => {
    const fs = await setUp()
    const attacks = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
      { origin: 'http://localhost:9999' },
    ]
    for (const headers of attacks) expect(await send(route, headers), JSON.stringify(headers)).toBe(403)
    expect(await names(fs)).toEqual(['/f'])
  })

  test.each(routes)('DNS rebinding does not reach %s', async route => {
    const fs = await setUp()
    for (const host of ['evil.example', 'evil.example:8080', 'localhost.evil.example', '127.0.0.1.evil.example']) {
      expect(await send(route, { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }), host).toBe(403)
    }
    expect(await names(fs)).toEqual(['/f'])
  })

  test('its own pages, and links that a person follows to a page, pass', async () => {
    await setUp()
    const own = { host: 'localhost', origin: 'http://localhost', 'sec-fetch-site': 'same-origin' }
    expect(await send('POST /rest/1.0?path=/new', own)).toBe(201)
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect(await send('GET /rest/1.0/hdfs?path=/f', link)).toBe(200)
    expect(await send('POST /rest/1.0/hdfs?path=/f&action=delete', link)).toBe(403)
  })

  test('nothing answers other origins with CORS headers', async () => {
    await setUp()
    const response = await gateway?.call('/rest/1.0/json?path=/f')
    expect([...(response?.headers.keys() ?? [])].filter(name => name.startsWith('access-control'))).toEqual([])
    expect(await send('OPTIONS /rest/1.0/json?path=/f', { origin: 'http://evil.example' })).toBe(403)
  })

  test('a call without a socket has no host to be checked, but an origin', async () => {
    await setUp()
    const call = (headers: Readonly<Record<string, string>>) =>
      gateway?.app.fetch(new Request('http://any.test/rest/1.0/json?path=/f', { headers }))
    expect((await call({}))?.status).toBe(200)
    expect((await call({ origin: 'http://any.test' }))?.status).toBe(200)
    expect((await call({ origin: 'http://evil.example' }))?.status).toBe(403)
  })

  test('allowed hosts are a setting', async () => {
    await setUp('server.allowed-hosts=files.example')
    expect(await send('GET /rest/1.0/json?path=/f', { host: 'files.example' })).toBe(200)
    expect(await send('GET /rest/1.0/json?path=/f', { host: 'other.example' })).toBe(403)
  })
})

describe('S1: with tokens', () => {
  const tokens = { read: createToken(), write: createToken(), send: createToken() }
  const setUpTokens = () => {
    const path = join(directory, 'tokens')
    const lines = Object.entries(tokens).map(([role, token]) =>
      toTokenLine(role, [role as keyof typeof tokens], hashToken(token)),
    )
    writeFileSync(path, lines.join('\n'))
    return setUp(`auth.tokens=${path}`)
  }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const isWrite = (route: string) => !route.startsWith('GET')

  test.each(routes)('%s needs a token, with its role', async route => {
    const fs = await setUpTokens()
    expect(await send(route)).toBe(401)
    expect(await send(route, bearer('wrong'))).toBe(401)
    expect(await send(route, bearer(tokens.send))).toBe(403)
    expect(await send(route, bearer(isWrite(route) ? tokens.read : tokens.write))).toBe(403)
    expect(await names(fs)).toEqual(['/f'])
    expect(await send(route, bearer(isWrite(route) ? tokens.write : tokens.read))).toBeLessThan(400)
  })

  test('a stolen link opens nothing: tokens are not taken from a URL', async () => {
    await setUpTokens()
    for (const name of ['token', 'access_token', 'delegation', 'sluice-token']) {
      expect(await send(`GET /rest/1.0/binary?path=/f&${name}=${tokens.read}`)).toBe(401)
      expect(await send(`GET /files/f?${name}=${tokens.read}`)).toBe(401)
    }
  })

  test('a browser logs in by a form of this site, gets a cookie that others cannot use, and logs out', async () => {
    await setUpTokens()
    const form = { 'content-type': 'application/x-www-form-urlencoded', host: 'localhost' }
    const login = (token: string, headers: Readonly<Record<string, string>>) =>
      gateway?.call('/login', { method: 'POST', headers: { ...form, ...headers }, body: `token=${token}` })
    expect((await login(tokens.read, { origin: 'http://evil.example' }))?.status).toBe(403)
    expect((await login('wrong', {}))?.status).toBe(401)
    const answer = await login(tokens.read, { origin: 'http://localhost' })
    expect(answer?.status).toBe(303)
    const cookie = answer?.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict/)
    const headers = { cookie: cookie.split(';')[0] ?? '' }
    expect(await send('GET /rest/1.0/json?path=/f', headers)).toBe(200)
    expect(await send('GET /rest/1.0/json?path=/f', { ...headers, origin: 'http://evil.example' })).toBe(403)
    expect(await send('DELETE /rest/1.0?path=/f', headers)).toBe(403)
    expect(cookie).not.toContain(tokens.read)
    const logout = await gateway?.call('/logout', { method: 'POST', headers })
    expect(await send('GET /rest/1.0/json?path=/f', headers)).toBe(401)
    expect(logout?.headers.get('set-cookie')).toMatch(/^sluice-session=; .*Max-Age=0/)
  })
})

describe('S1: a listener of its own', () => {
  test('the server listener then has no gateway', async () => {
    await setUp('gateway.port=0')
    expect(await send('GET /rest/1.0/json?path=/f')).toBe(404)
    const own = await gateway?.app.gatewayFetch?.(new Request('http://localhost/rest/1.0/json?path=/f'))
    expect(own?.status).toBe(200)
  })
})

describe('S4: paths on the local file system cannot leave their root', () => {
  let local: TestGateway | undefined
  let root = ''
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'sluice-safety-'))
    writeFileSync(join(root, 'secret'), 'top secret')
    local = await createTestGateway({ fileSystem: null, settings: [`data.dir=${root}/data`] })
    symlinkSync(root, join(root, 'data/fs/link'))
  })
  afterAll(async () => {
    await local?.close()
    rmSync(root, { recursive: true, force: true })
  })

  test.each([
    '/../secret',
    '/%2e%2e/secret',
    '/a/..%2f..%2fsecret',
    '/..%5csecret',
    '/link/secret',
    '/link',
    '/secret%00',
    '//../secret',
  ])('%s', async path => {
    const call = (target: string, method = 'GET') =>
      local?.call(target, { method, ...(method === 'POST' && { body: 'x' }) })
    const routes = ['json', 'text', 'binary', 'hdfs'].map(one => `/rest/1.0/${one}?recursive=true&path=`)
    for (const route of [...routes, '/files']) {
      const response = await call(`${route}${path}`)
      expect([400, 403, 404]).toContain(response?.status)
      expect(await response?.text()).not.toContain('top secret')
    }
    const upload = await call(`/rest/1.0?path=${path}/new&overwrite=true`, 'POST')
    expect(upload?.status === 201 ? path : '').toMatch(/^(\/\.\.%5csecret)?$/)
    expect((await call(`/rest/1.0?path=${path}/secret`, 'DELETE'))?.status).toBeGreaterThanOrEqual(400)
    expect(readFileSync(join(root, 'secret'), 'utf8')).toBe('top secret')
  })
})
