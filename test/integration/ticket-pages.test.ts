/** What browsers and Hadoop's clients see where tickets count; the tickets are not real. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createToken } from '../../src/http/auth/auth.ts'
import { TicketRefused } from '../../src/http/auth/tickets.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { toTokenLine } from '../../src/http/auth/token-file.ts'
import { createTestServer, type TestServer } from '../suites/admin.ts'

const directory = mkdtempSync(join(tmpdir(), 'sluice-tickets-'))
const token = createToken()
const asking = 'Negotiate'
let server: TestServer

beforeAll(async () => {
  const path = join(directory, 'tokens')
  writeFileSync(
    path,
    ['principal: "*@TEST" roles: read,view', toTokenLine('app', ['read'], hashToken(token))].join('\n'),
  )
  server = await createTestServer({
    set: [`auth.tokens=${path}`, 'auth.kerberos.keytab=/none'],
    acceptTicket: async name => {
      if (name === 'bad') throw new TicketRefused('The ticket is bad')
      return { principal: `${name}@TEST`, answer: 'proof' }
    },
  })
})
afterAll(async () => {
  await server.close()
  rmSync(directory, { recursive: true, force: true })
})

const ticket = (name: string) => ({ authorization: `Negotiate ${name}` })
const get = (target: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  server.server(target, { method, redirect: 'manual', headers: { accept: 'text/html', ...headers } })
const shown = async (answer: Response) => ({
  status: answer.status,
  challenge: answer.headers.get('www-authenticate'),
  location: answer.headers.get('location'),
  cookie: answer.headers.get('set-cookie'),
  text: await answer.text(),
})

describe('the login page', () => {
  test('asks who is led there for a ticket, and shows the form', async () => {
    expect(await shown(await get('/rest/1.0/hdfs?path=/'))).toMatchObject({
      status: 303,
      location: '/login?to=%2Frest%2F1.0%2Fhdfs%3Fpath%3D%2F',
    })
    expect(await shown(await get('/login?to=/docs'))).toMatchObject({
      status: 401,
      challenge: asking,
      text: expect.stringContaining('<label for="token">'),
    })
  })

  test('does not ask callers who open it directly, as after a logout, but links to that', async () => {
    expect(await shown(await get('/login'))).toMatchObject({
      status: 200,
      challenge: null,
      text: expect.stringContaining('<a href="/login?to=%2F">Log in with a Kerberos ticket</a>'),
    })
  })

  test('opens a session for a ticket, and leads on', async () => {
    const { status, location, cookie, challenge } = await shown(await get('/login?to=/docs', ticket('bob')))
    expect([status, location, challenge]).toEqual([303, '/docs', 'Negotiate proof'])
    expect(cookie).toMatch(/^sluice-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    const page = await shown(await get('/rest/1.0/hdfs?path=/', { cookie: cookie?.split(';')[0] ?? '' }))
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Logged in as bob') })
    expect((await get('/login?to=//evil.example', ticket('bob'))).headers.get('location')).toBe('/')
  })

  test('says what is wrong with a ticket', async () => {
    expect(await shown(await get('/login?to=/', ticket('bad')))).toMatchObject({
      status: 401,
      challenge: asking,
      cookie: null,
      text: expect.stringContaining('The ticket is bad'),
    })
  })

  test('does not ask for a ticket in place of a token that is wrong', async () => {
    const form = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
    for (const headers of [form, { ...form, ...ticket('bob') }]) {
      const answer = await server.server('/login', { method: 'POST', headers, body: 'token=x' })
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="sluice"'])
    }
    const headers = { 'content-type': 'application/json', ...ticket('bob') }
    const answer = await server.admin('/console/session', { method: 'POST', headers, body: '{"token":"x"}' })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="sluice"'])
  })

  test('is closed to a page of another site', async () => {
    for (const attack of [{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      expect(await shown(await get('/login?to=/', { ...ticket('bob'), ...attack }))).toMatchObject({
        status: 403,
        cookie: null,
        challenge: null,
      })
    }
  })
})

describe('the session of the console', () => {
  const session = async (headers: Readonly<Record<string, string>> = {}) =>
    shown(await server.admin('/console/session', { headers }))
  test('is opened by a ticket', async () => {
    const { status, cookie, text } = await session(ticket('bob'))
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { name: 'bob', needsToken: true, canView: true, canOperate: false },
    ])
    const again = await session({ cookie: cookie?.split(';')[0] ?? '' })
    expect([JSON.parse(again.text).name, again.cookie]).toEqual(['bob', null])
  })

  test('asks for a ticket, and still reports no identity', async () => {
    for (const headers of [{}, ticket('bad')]) {
      const { status, challenge, cookie, text } = await session(headers)
      expect([status, challenge, cookie, JSON.parse(text).name]).toEqual([401, asking, null, 'nobody'])
    }
  })
})

describe('OPTIONS', () => {
  const options = async (target: string, headers: Readonly<Record<string, string>> = {}) =>
    shown(await get(target, headers, 'OPTIONS'))

  test('of WebHDFS is a login: with a ticket 200 and a cookie', async () => {
    const { status, cookie, challenge } = await options('/webhdfs/v1/a?op=LISTSTATUS', ticket('bob'))
    expect([status, challenge]).toEqual([200, 'Negotiate proof'])
    const [, ends = '', life] =
      /^hadoop\.auth="u=bob&p=bob@TEST&t=kerberos&e=(\d+)&s=[\w-]{43}"; Path=\/webhdfs; Max-Age=(\d+); HttpOnly; SameSite=Strict$/.exec(
        cookie ?? '',
      ) ?? []
    expect(Math.abs(Number(ends) - Date.now() - 36_000_000)).toBeLessThan(600_000)
    expect(life).toBe('36000')
    const pair = cookie?.split(';')[0] ?? ''
    expect((await get('/webhdfs/v1/?op=LISTSTATUS', { cookie: pair })).status).toBe(200)
    expect((await options('/webhdfs/v1/', { cookie: pair })).cookie).toBeNull()
  })

  test('of WebHDFS wants to know who calls, as Hadoop says it', async () => {
    for (const headers of [{}, ticket('bad'), { authorization: 'Bearer x' }]) {
      const { status, challenge, text } = await options('/webhdfs/v1/a', headers)
      expect([status, challenge]).toEqual([401, asking])
      expect(JSON.parse(text).RemoteException.exception).toBe('AuthenticationException')
    }
    expect((await options('/webhdfs/v1/a', { authorization: `Bearer ${token}` })).status).toBe(200)
  })

  test('of everything else tells the methods to everybody', async () => {
    for (const target of ['/rest/1.0/json', '/rest/1.0/event']) expect((await options(target)).status).toBe(204)
    expect((await server.admin('/rpc', { method: 'OPTIONS' })).status).toBe(204)
  })

  test('of WebHDFS is not a login where tickets do not count', async () => {
    const plain = await createTestServer({ set: [`auth.tokens=${join(directory, 'tokens')}`] })
    expect((await plain.server('/webhdfs/v1/a', { method: 'OPTIONS' })).status).toBe(204)
    const answer = await plain.server('/webhdfs/v1/?op=LISTSTATUS', { headers: ticket('bob') })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="sluice"'])
    expect((await plain.server('/login?to=/')).status).toBe(200)
    await plain.close()
  })
})
