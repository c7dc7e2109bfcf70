import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { createToken } from '../../src/http/auth/auth.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { createTestServer, type TestServer, type TestServerOptions } from '../suites/admin.ts'

const folder = fileURLToPath(new URL('../../admin/console/static/', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'sluice-console-'))
const servers: TestServer[] = []
const start = async (options?: TestServerOptions): Promise<TestServer> => {
  const server = await createTestServer(options)
  servers.push(server)
  return server
}
const post = (body: string, contentType = 'application/json'): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': contentType },
  body,
})
afterEach(() => Promise.all(servers.splice(0).map(server => server.close())))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe('S2: the files of the console', () => {
  test('come with a strict content security policy, and hold nothing inline', async () => {
    const { admin } = await start()
    const page = await admin('/')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = page.headers.get('content-security-policy')
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"])
      expect(policy?.split('; ')).toContain(rule)
    const html = await page.text()
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/)
    expect(html).not.toMatch(/(?:https?:)?\/\/[a-z]/)
  })

  test('are all served, and name no other host', async () => {
    const { admin } = await start()
    const page = await (await admin('/')).text()
    const linked = Array.from(page.matchAll(/<(?!a )[^>]*(?:src|href)="(\/[^"]+)"/g), ([, path = '']) => path)
    const modules = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.js'))
    expect(linked.length).toBeGreaterThan(5)
    for (const path of [...linked, ...modules.map(name => `/console/${name}`), '/console/uplot.js']) {
      const answer = await admin(path)
      expect(answer.status, path).toBe(200)
      expect(answer.headers.get('x-content-type-options'), path).toBe('nosniff')
      const isOurs = !path.includes('uplot') && !path.endsWith('.svg')
      if (isOurs) expect(await answer.text(), path).not.toMatch(/https?:\/\//)
    }
  })

  test('are not sent again while they are the same', async () => {
    const { admin } = await start()
    const etag = (await admin('/console/main.js')).headers.get('etag') ?? ''
    const again = await admin('/console/main.js', { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test.each([
    ['/console/nothing.js', 'GET', 404],
    ['/console/..%2fconsole.ts', 'GET', 404],
    ['/console/tsconfig.json', 'GET', 404],
    ['/console/__proto__', 'GET', 404],
    ['/console/main.js', 'POST', 405],
    ['/', 'DELETE', 405],
  ])('%s by %s is %i', async (path, method, status) => {
    const { admin } = await start()
    expect((await admin(path, { method })).status).toBe(status)
  })

  test('are for pages of this server only', async () => {
    const { admin } = await start()
    expect((await admin('/', { headers: { host: 'attacker.example' } })).status).toBe(403)
  })

  test('pass the type checker', () => {
    const compiler = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))
    const project = fileURLToPath(new URL('../../tsconfig.browser.json', import.meta.url))
    const { status, stdout } = spawnSync(compiler, ['-p', project], { encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  })
})

describe('S1: the session of the console', () => {
  const [viewer, sender] = [createToken(), createToken()]
  const path = join(directory, 'tokens')
  writeFileSync(path, `ann view sha256:${hashToken(viewer)}\ncarl send sha256:${hashToken(sender)}\n`)
  const withTokens: TestServerOptions = { set: [`auth.tokens=${path}`] }

  test('needs nothing without tokens', async () => {
    const { admin } = await start()
    const session = { name: 'anonymous', needsToken: false, canView: true, canOperate: true }
    expect(await (await admin('/console/session')).json()).toEqual(session)
  })

  test('becomes a cookie that only this server gets, and ends with it', async () => {
    const { admin } = await start(withTokens)
    const answer = await admin('/console/session', post(JSON.stringify({ token: viewer })))
    const session = { name: 'ann', needsToken: true, canView: true, canOperate: false }
    expect(await answer.json()).toEqual(session)
    const cookie = answer.headers.get('set-cookie') ?? ''
    expect(cookie).toContain('HttpOnly; SameSite=Strict')
    const headers = { cookie: cookie.split(';', 1).join('') }
    expect(await (await admin('/console/session', { headers })).json()).toEqual(session)
    const body = '{"jsonrpc":"2.0","id":1,"method":"version"}'
    const rpcHeaders = { ...headers, 'content-type': 'application/json' }
    const call = await admin('/rpc', { method: 'POST', headers: rpcHeaders, body })
    expect(await call.json()).toMatchObject({ result: { product: 'sluice' } })
    expect(cookie).not.toContain(viewer)
    const end = await admin('/console/logout', { method: 'POST', headers })
    expect(end.headers.get('set-cookie')).toContain('Max-Age=0')
    expect(await (await admin('/console/session', { headers })).json()).toMatchObject({ name: 'nobody' })
    expect((await admin('/rpc', { method: 'POST', headers: rpcHeaders, body })).status).toBe(401)
  })

  test('without a token shows nothing', async () => {
    const { admin } = await start(withTokens)
    expect(await (await admin('/console/session')).json()).toMatchObject({ name: 'nobody', canView: false })
  })

  test.each([
    ['an unknown token', post('{"token":"abc"}'), 401],
    ['a token for something else', post(JSON.stringify({ token: sender })), 403],
    ['what would end a cookie', post('{"token":"a; Path=/x"}'), 400],
    ['a line break', post('{"token":"a\\r\\nb"}'), 400],
    ['a long token', post(JSON.stringify({ token: 'a'.repeat(1_001) })), 400],
    ['no token', post('[]'), 400],
    ['no JSON', post('token'), 400],
    ['a form of another page', post('token=abc', 'application/x-www-form-urlencoded'), 415],
    ['another origin', { ...post('{}'), headers: { origin: 'https://attacker.example' } }, 403],
  ] as const)('%s is refused', async (_, init, status) => {
    const { admin } = await start(withTokens)
    const answer = await admin('/console/session', init)
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([status, null])
  })
})
