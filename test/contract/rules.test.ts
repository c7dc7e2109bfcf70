import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLaneRoutes } from '../../src/contract/lane-routes.ts'
import { createAuth, createToken } from '../../src/http/auth/auth.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { toAwaitable } from '../../src/http/call/answer.ts'
import { createWebCall } from '../../src/http/call/web-call.ts'
import { silentLogger } from '../../src/log/log.ts'
import { contract, createTestApp, createTestService, parseContract, type Seen } from '../unit/contract/fixture.ts'

const yaml = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')
const probe = 'operationId: getLiveness\n      tags: [server]\n      security: []\n'

/** The contract with another text in place of the head of `/livez`. */
const withProbe = (head: string) => {
  expect(yaml.split(probe)).toHaveLength(2)
  return parseContract(yaml.replace(probe, head))
}

const read = createToken()
const write = createToken()
const createTokens = async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-rules-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'tokens')
  writeFileSync(path, `ann read sha256:${hashToken(read)}\nbob write sha256:${hashToken(write)}\n`)
  const auth = await createAuth({ path, logger: silentLogger })
  onTestFinished(() => auth.close())
  return auth
}
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

// The contract itself must be what decides, not a copy of its rules in code.
describe('security', () => {
  test('an operation that does not say who may call it is refused, by its name', () => {
    expect(() => withProbe('operationId: getLiveness\n      tags: [server]\n')).toThrow(
      new TypeError('Operation "getLiveness": its security is missing; who may call it?'),
    )
  })

  test('a role that no token can have is refused', () => {
    expect(() => withProbe(probe.replace('[]', '[{}, { token: [anybody] }]'))).toThrow(TypeError)
  })

  test('a role is enforced by binding alone: a handler that does nothing is not reached', async () => {
    const { authorize } = await createTokens()
    const seen: Seen = {}
    const guarded = { of: withProbe(probe.replace('[]', '[{}, { token: [write] }]')), seen, guard: { authorize } }
    const app = createTestApp(guarded)
    const statusOf = async (init?: RequestInit) => (await app.request('/livez', init)).status
    expect([await statusOf(), await statusOf({ method: 'HEAD' }), await statusOf(bearer(read))]).toEqual([
      401, 401, 403,
    ])
    expect(seen.call).toBeUndefined()
    expect(await statusOf(bearer(write))).toBe(200)
    // The contract as it is has the same operation open.
    expect((await createTestApp({ guard: { authorize } }).request('/livez')).status).toBe(200)
  })

  test('and so it is on the short way', async () => {
    const { authorize } = await createTokens()
    const of = withProbe(probe.replace('[]', '[{}, { token: [write] }]'))
    const seen: Seen = {}
    const routes = createLaneRoutes(of, createTestService({ of, seen, guard: { authorize } }))
    const ask = (init?: RequestInit) => {
      const answer = routes('GET', '/livez')?.(createWebCall(new Request('http://localhost/livez', init)))
      return answer && toAwaitable(answer)
    }
    expect(() => ask()).toThrow(expect.objectContaining({ code: 'unauthenticated' }))
    expect(() => ask(bearer(read))).toThrow(expect.objectContaining({ code: 'denied' }))
    expect(seen.call).toBeUndefined()
    expect((await ask(bearer(write)))?.status).toBe(200)
  })

  test.each(contract.operations.filter(({ role }) => role !== undefined))(
    '$id is asked for its role, $role, and no other operation for one',
    async ({ id, method, path, role, parameters, requestContent }) => {
      const asked: unknown[] = []
      const app = createTestApp({ guard: { authorize: (call, needed) => void asked.push([call.operationId, needed]) } })
      const neededIn = (where: string) =>
        Object.fromEntries(
          parameters.flatMap(({ in: place, name, required, example }) =>
            place === where && required ? [[name, String(example)] as const] : [],
          ),
        )
      const [type = ''] = Object.keys(requestContent)
      const headers = { ...neededIn('header'), ...(method === 'POST' ? { 'content-type': type } : {}) }
      const sent = method === 'POST' ? { body: 'x' } : {}
      await app.request(`${path}?${new URLSearchParams(neededIn('query')).toString()}`, { method, headers, ...sent })
      await app.request('/readyz')
      expect(asked).toEqual([[id, role]])
    },
  )
})

describe('x-sluice-cors', () => {
  const ask = async (of: typeof contract, path: string) => {
    const { status, headers } = await createTestApp({ of }).request(path, { method: 'OPTIONS' })
    const cors = [...headers].filter(([name]) => name.startsWith('access-control-'))
    return { status, allow: headers.get('allow'), ...Object.fromEntries(cors) }
  }
  const open = {
    'access-control-allow-origin': '*',
    'access-control-allow-headers':
      'authorization, content-type, traceparent, tracestate, anonymousid, ce-dataschema, ce-id, ce-source, ce-specversion, ce-subject, ce-time, ce-type, content-encoding, idempotency-key, prefer, rsa-retry-attempt, rsa-retry-reason, rsa-since-first-attempt, rsa-since-last-attempt, sentat, sp-anonymous, x-retry-count',
    'access-control-max-age': '86400',
  }

  test.each([
    ['/1', 'GET, HEAD'],
    ['/2/', 'GET, HEAD'],
    ['/rest/1.0/event', 'POST'],
  ])('OPTIONS of %s tells pages of any origin what they may send', async (path, methods) => {
    const want = { ...open, status: 204, allow: `${methods}, OPTIONS`, 'access-control-allow-methods': methods }
    expect(await ask(contract, path)).toEqual(want)
  })

  test('moves with the contract', async () => {
    expect(await ask(contract, '/livez')).toEqual({ status: 204, allow: 'GET, HEAD, OPTIONS' })
    const moved = withProbe(`${probe}      x-sluice-cors: true\n`)
    expect(await ask(moved, '/livez')).toMatchObject({ ...open, 'access-control-allow-methods': 'GET, HEAD' })
  })
})
