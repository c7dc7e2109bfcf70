import { timingSafeEqual } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createToken } from '../../src/http/auth/auth.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { roles } from '../../src/http/roles.ts'
import { createTestServer, type TestServer } from '../suites/admin.ts'

vi.mock('node:crypto', async load => {
  const crypto = await load<typeof import('node:crypto')>()
  return { ...crypto, timingSafeEqual: vi.fn(crypto.timingSafeEqual) }
})

const directory = mkdtempSync(join(tmpdir(), 'sluice-tokens-'))
const tokens = roles.map(role => ({ role, token: createToken() }))
const [first, last] = [tokens[0]?.token ?? '', tokens.at(-1)?.token ?? '']
let server: TestServer

beforeAll(async () => {
  const path = join(directory, 'tokens')
  writeFileSync(path, tokens.map(({ role, token }) => `${role} ${role} sha256:${hashToken(token)}`).join('\n'))
  server = await createTestServer({ set: [`auth.tokens=${path}`] })
})
afterAll(async () => {
  await server.close()
  rmSync(directory, { recursive: true, force: true })
})
beforeEach(() => {
  vi.mocked(timingSafeEqual).mockClear()
})

describe('S5: how long the check of a token takes says nothing of it', () => {
  test.each([
    ['the first of the file', first],
    ['the last', last],
    ['none of them', createToken()],
    ['one but for its last character', `${first.slice(0, -1)}${first.endsWith('A') ? 'B' : 'A'}`],
    ['a prefix', first.slice(0, 10)],
    ['a hash', hashToken(first)],
  ])('%s: its hash is compared with every one, in constant time', async (_, token) => {
    await server.admin('/metrics', { headers: { authorization: `Bearer ${token}` } })
    const { calls } = vi.mocked(timingSafeEqual).mock
    // The route asks who calls, and a refusal asks again; each time with all of them.
    expect(calls.length % tokens.length).toBe(0)
    expect(calls.length).toBeGreaterThan(0)
    const hash = hashToken(token)
    for (const [presented, stored] of calls) {
      expect(Buffer.from(presented as Buffer).toString('hex')).toBe(hash)
      expect(stored.byteLength).toBe(32)
    }
  })

  test.each([
    ['nothing', ''],
    ['a long text', 'a'.repeat(1_001)],
    ['two tokens', `${first} ${last}`],
    ['one token many times', `${first},`.repeat(100)],
  ])('%s is not even hashed', async (_, text) => {
    const { status } = await server.admin('/metrics', { headers: { authorization: `Bearer ${text}` } })
    expect([status, vi.mocked(timingSafeEqual).mock.calls.length]).toEqual([401, 0])
  })
})

describe('S1: the cookie of a login', () => {
  const login = (headers: Readonly<Record<string, string>>): readonly Promise<Response>[] => {
    const token = tokens.find(({ role }) => role === 'view')?.token ?? ''
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers }
    const json = { 'content-type': 'application/json', ...headers }
    return [
      server.server('/login', { method: 'POST', headers: form, body: `token=${token}`, redirect: 'manual' }),
      server.admin('/console/session', { method: 'POST', headers: json, body: JSON.stringify({ token }) }),
      server.server('/logout', { method: 'POST', headers: form, redirect: 'manual' }),
      server.admin('/console/logout', { method: 'POST', headers: json }),
    ]
  }

  test('never travels in the clear where its page came by TLS, to a proxy in front included', async () => {
    for (const answer of await Promise.all(login({ host: 'localhost', origin: 'https://localhost' }))) {
      expect(answer.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict; Secure/)
    }
    for (const answer of await Promise.all(login({ host: 'localhost', origin: 'http://localhost' }))) {
      expect(answer.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict(?!; Secure)/)
    }
  })

  test('leads nowhere else', async () => {
    for (const to of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/\r\nSet-Cookie: a=b',
      '/\t/evil.example',
    ]) {
      const body = `token=${first}`
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const target = `/login?to=${encodeURIComponent(to)}`
      const answer = await server.server(target, { method: 'POST', headers, body, redirect: 'manual' })
      expect([answer.status, answer.headers.get('location')], to).toEqual([303, '/'])
      expect(answer.headers.get('set-cookie')).not.toContain('a=b')
    }
  })
})

test('S1: a damaged file keeps the tokens, and the health report says so', async () => {
  const path = join(directory, 'damaged')
  const token = createToken()
  writeFileSync(path, `ann view sha256:${hashToken(token)}\n`)
  const own = await createTestServer({ set: [`auth.tokens=${path}`] })
  onTestFinished(() => own.close())
  const health = async (): Promise<unknown> => (await own.server('/1.0/healthcheck')).json()
  expect(await health()).toMatchObject({ size: 3 })
  writeFileSync(path, 'nonsense')
  await expect.poll(health).toMatchObject({ size: 4 })
  expect(await health()).toMatchObject({ items: [{}, {}, {}, { type: 'TokenFileHealthCheck', code: 'WARN' }] })
  expect((await own.admin('/metrics', { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
})
