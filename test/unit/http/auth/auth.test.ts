import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createAuth, createToken } from '../../../../src/http/auth/auth.ts'
import { toSessionCookie } from '../../../../src/http/auth/session-cookies.ts'
import { maxSessionsOfOne } from '../../../../src/http/auth/sessions.ts'
import { hashToken } from '../../../../src/http/auth/token-callers.ts'
import { toTokenLine } from '../../../../src/http/auth/token-file.ts'
import { silentLogger } from '../../../../src/log/log.ts'

const withHeaders = (headers: Record<string, string>) => ({ header: (name: string) => headers[name] })
const bearer = (token: string) => withHeaders({ authorization: `Bearer ${token}` })

describe('createAuth', () => {
  let dir = ''
  let path = ''
  const sender = createToken()
  const operator = createToken()
  const lines = [
    toTokenLine('app', ['send'], hashToken(sender)),
    toTokenLine('ops', ['view', 'operate'], hashToken(operator)),
  ]

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sluice-auth-'))
    path = join(dir, 'tokens')
    await writeFile(path, lines.join('\n'))
  })
  afterEach(() => rm(dir, { recursive: true }))

  test('without a file lets everybody do everything', async () => {
    const auth = await createAuth({ path: undefined, logger: silentLogger })
    expect(auth.isOpen).toBe(true)
    expect(auth.authorize(withHeaders({}), 'operate').name).toBe('anonymous')
  })

  test('knows who calls, by header or session, and what they may do', async () => {
    const { auth, logIn } = await start()
    expect(auth.authorize(bearer(sender), 'send').name).toBe('app')
    expect(auth.authorize(await logIn(operator), 'view').name).toBe('ops')
    expect(() => auth.authorize(bearer(sender), 'read')).toThrow(expect.objectContaining({ code: 'denied' }))
  })

  test.each([
    ['nothing', {}],
    ['a wrong token', { authorization: `Bearer ${createToken()}` }],
    ['another scheme', { authorization: `Basic ${sender}` }],
    ['a hash instead of its token', { authorization: `Bearer ${hashToken(sender)}` }],
    ['an empty cookie', { cookie: 'sluice-session=' }],
    ['a token as a cookie', { cookie: `sluice-session=${sender}` }],
    ['a long token', { authorization: `Bearer ${'a'.repeat(5_000)}` }],
  ])('refuses %s with a challenge', async (_, headers) => {
    const { auth } = await start()
    expect(() => auth.authorize(withHeaders(headers), 'send')).toThrow(
      expect.objectContaining({ code: 'unauthenticated', headers: { 'www-authenticate': 'Bearer realm="sluice"' } }),
    )
  })

  test('tells a wrong token from none', async () => {
    const { auth } = await start()
    const messageOf = (headers: Record<string, string>): string => {
      try {
        auth.authenticate(withHeaders(headers))
      } catch (error) {
        return (error as Error).message
      }
      return ''
    }
    expect(messageOf({})).toBe('A valid token is needed: Authorization: Bearer …')
    const wrong = messageOf({ authorization: `Bearer ${createToken()}` })
    expect(wrong).toMatch(/^The token that was sent is not known to this server/)
    expect(() => auth.authorizeToken(withHeaders({ authorization: 'Bearer x' }), 'send')).toThrow(/not known/)
    expect(() => auth.authorizeToken(withHeaders({}), 'send')).toThrow(/^A valid token is needed/)
  })

  test('refuses a wrong header beside a good session', async () => {
    const { auth, logIn } = await start()
    const cookie = (await logIn(sender)).header('cookie') ?? ''
    expect(auth.identify(withHeaders({ cookie }))?.name).toBe('app')
    for (const authorization of ['Bearer x', 'Bearer', 'Basic x', '']) {
      expect(auth.identify(withHeaders({ cookie, authorization })), authorization).toBeUndefined()
    }
  })

  test('names the file that cannot be used', async () => {
    await expect(createAuth({ path: join(dir, 'none'), logger: silentLogger })).rejects.toThrow(
      /auth\.tokens .*none cannot be used/,
    )
  })

  test('leaves no timer behind', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const auth = await createAuth({ path, logger: silentLogger })
    expect(vi.getTimerCount()).toBe(1)
    auth.close()
    expect(vi.getTimerCount()).toBe(0)
    const { auth: waiting, waits } = await start()
    for (let i = 0; i < 4; i++) void waiting.logIn('x', '10.0.0.1')
    expect(waits[0]?.signal.aborted).toBe(false)
    waiting.close()
    expect(waits[0]?.signal.aborted).toBe(true)
  })

  describe('after a change of the file', () => {
    test('a new set counts, and the sessions of unchanged lines continue', async () => {
      const { auth, look, logger, logIn } = await start()
      const heard = vi.fn()
      auth.tokens.onChange(heard)
      const [ofSender, ofOperator] = [await logIn(sender), await logIn(operator)]
      await writeFile(path, `# changed\n${lines[1]}\n`)
      await look()
      await look()
      expect(logger.info).toHaveBeenCalledExactlyOnceWith({ file: path, count: 1, rules: 0 }, 'tokens read again')
      expect([sender, operator].map(token => auth.identify(bearer(token))?.name)).toEqual([undefined, 'ops'])
      expect(heard).toHaveBeenCalledExactlyOnceWith(auth.tokens.current())
      expect(auth.tokens.current().map(({ name }) => name)).toEqual(['ops'])
      expect([ofSender, ofOperator].map(call => auth.identify(call)?.name)).toEqual([undefined, 'ops'])
    })

    test.each([
      ['a role more', ['view', 'operate', 'read']],
      ['a role less', ['view']],
    ] as const)('%s ends the sessions of a token', async (_, roles) => {
      const { auth, look, logIn } = await start()
      const call = await logIn(operator)
      await writeFile(path, toTokenLine('ops', roles, hashToken(operator)))
      await look()
      expect([auth.identify(bearer(operator))?.name, auth.identify(call)]).toEqual(['ops', undefined])
    })

    test('a damaged one leaves the tokens as they were, with an ERROR and a word for the health report', async () => {
      const { auth, look, logger, logIn } = await start()
      const call = await logIn(operator)
      await writeFile(path, `${lines[0]}\nnonsense`)
      await look()
      await look()
      expect(logger.error).toHaveBeenCalledOnce()
      expect(logger.error.mock.calls[0]?.[0]).toMatchObject({ file: path, err: { message: /at byte/ } })
      expect(auth.problem()).toBe('the file of auth.tokens cannot be used; the previous tokens remain in effect')
      expect([auth.identify(bearer(sender))?.name, auth.identify(call)?.name]).toEqual(['app', 'ops'])
      await writeFile(path, `${lines[0]}\n`)
      await look()
      expect([auth.problem(), auth.identify(call)]).toEqual(['', undefined])
    })

    test('one that is unavailable for less than 5 s changes nothing', async () => {
      const { auth, look, clock, logger, logIn } = await start()
      const call = await logIn(sender)
      await rename(path, `${path}~`)
      for (let second = 0; second < 4; second++) {
        await look()
        expect([auth.problem(), auth.identify(call)?.name]).toEqual(['', 'app'])
        clock.ms += 1_000
      }
      await rename(`${path}~`, path)
      await look()
      expect([auth.problem(), auth.identify(call)?.name]).toEqual(['', 'app'])
      await rm(path)
      await look()
      clock.ms += 3_999
      await look()
      expect(auth.identify(bearer(sender))?.name).toBe('app')
      expect(logger.error).not.toHaveBeenCalled()
    })

    test('one that is gone for 5 s grants no access, until it is back', async () => {
      const { auth, look, clock, logger, logIn } = await start()
      const heard = vi.fn()
      auth.tokens.onChange(heard)
      const call = await logIn(sender)
      await rename(path, `${path}~`)
      await look()
      clock.ms += 4_000
      await look()
      expect(heard).toHaveBeenLastCalledWith([])
      await look()
      expect([auth.identify(bearer(sender)), auth.identify(call)]).toEqual([undefined, undefined])
      expect(auth.problem()).toBe('the file of auth.tokens is missing: all tokens are refused')
      expect(logger.error).toHaveBeenCalledExactlyOnceWith({ file: path }, auth.problem())
      await rename(`${path}~`, path)
      await look()
      expect([auth.problem(), auth.identify(bearer(sender))?.name, auth.identify(call)]).toEqual(['', 'app', undefined])
    })
  })

  test('who a subject is, is said by the rules as they are now', async () => {
    await writeFile(path, 'principal: "*@TEST" roles: read\nuser: "*@test.org" roles: view name: "*"')
    const { auth, look } = await start()
    const names = () => ['bob@TEST', 'user:bob@test.org', 'user:bob@TEST'].map(one => auth.identityOf(one)?.name)
    expect(names()).toEqual(['bob', 'bob', undefined])
    expect(auth.identityOf('bob@TEST')?.has('read')).toBe(true)
    await writeFile(path, 'user: "*" roles: read')
    await look()
    expect(names()).toEqual([undefined, undefined, undefined])
    await writeFile(path, 'user: "*@TEST" roles: read')
    await look()
    expect(names()).toEqual([undefined, undefined, 'bob@TEST'])
    const open = await createAuth({ path: undefined, logger: silentLogger })
    expect(open.identityOf('bob@TEST')).toBeUndefined()
  })

  describe('S7: a login', () => {
    test('has a cookie that is not the token, and no other login has it', async () => {
      const { logIn } = await start()
      const ids = [await logIn(sender), await logIn(sender)].map(call => call.header('cookie'))
      expect(new Set(ids).size).toBe(2)
      for (const id of ids) expect(id).toMatch(/^sluice-session=[\w-]{43}$/)
      expect(ids.join()).not.toContain(sender)
    })

    test('ends after 12 hours in which it was not used', async () => {
      const { auth, clock, logIn } = await start()
      const [used, idle] = [await logIn(sender), await logIn(sender)]
      for (let hour = 0; hour < 24; hour += 6) {
        clock.ms += 6 * hourMs
        expect(auth.identify(used)?.name).toBe('app')
      }
      expect(auth.identify(idle)).toBeUndefined()
      clock.ms += 12 * hourMs - 1
      expect(auth.identify(used)?.name).toBe('app')
      clock.ms += 12 * hourMs
      expect(auth.identify(used)).toBeUndefined()
    })

    test('ends with its logout, and only it', async () => {
      const { auth, logIn } = await start()
      const [one, other] = [await logIn(sender), await logIn(sender)]
      auth.logOut(one)
      auth.logOut(withHeaders({}))
      expect([auth.identify(one), auth.identify(other)?.name]).toEqual([undefined, 'app'])
    })

    test('makes room for others of the same token: the one that was unused for longest', async () => {
      const { auth, logIn } = await start()
      const ofOther = await logIn(operator)
      const calls = []
      for (let i = 0; i < maxSessionsOfOne; i++) calls.push(await logIn(sender))
      const [first, second] = calls
      if (!first || !second) throw new Error('no calls')
      auth.identify(first)
      await logIn(sender)
      expect([first, second, ofOther].map(call => auth.identify(call)?.name)).toEqual(['app', undefined, 'ops'])
    })
  })

  describe('S7: logins that fail', () => {
    test('wait from the fourth of an address on, longer and longer, and a right token never does', async () => {
      const { auth, waits } = await start()
      const fail = (from: string) => auth.logIn(createToken(), from)
      for (let i = 0; i < 3; i++) expect(await fail('10.0.0.1')).toBeUndefined()
      expect(waits).toEqual([])
      for (let i = 0; i < 7; i++) void fail('10.0.0.1')
      expect(waits.map(({ ms }) => ms)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000])
      expect(await fail('10.0.0.2')).toBeUndefined()
      expect((await auth.logIn(sender, '10.0.0.1'))?.identity.name).toBe('app')
      expect(await fail('10.0.0.1')).toBeUndefined()
      expect(waits).toHaveLength(7)
    })

    test('are answered when they have waited, and count no more after a while', async () => {
      const { auth, waits, clock } = await start()
      const fail = () => auth.logIn('x', '10.0.0.1')
      for (let i = 0; i < 3; i++) await fail()
      const late = fail()
      waits[0]?.end()
      expect(await late).toBeUndefined()
      clock.ms += 15 * 60_000
      for (let i = 0; i < 3; i++) await fail()
      expect(waits).toHaveLength(1)
    })

    test('wait in a bounded number, and for a bounded number of addresses', async () => {
      const { auth, waits } = await start()
      const logins = Array.from({ length: 1_003 }, () => auth.logIn('x', 'a'))
      await auth.logIn('x', 'a')
      expect(waits).toHaveLength(1_000)
      const late = Promise.all(logins)
      for (const { end } of waits.splice(0)) end()
      await late
      void auth.logIn('x', 'a')
      expect(waits.splice(0)).toHaveLength(1)
      for (let i = 0; i < 10_000; i++) await auth.logIn('x', `10.${i}`)
      for (let i = 0; i < 3; i++) await auth.logIn('x', 'a')
      expect(waits).toEqual([])
    })

    test('are logged, one line a second, which says how many it covers', async () => {
      const { auth, clock, logger } = await start()
      for (let i = 0; i < 5; i++) void auth.logIn('x', '10.0.0.1')
      clock.ms += 1_000
      void auth.logIn('x', '10.0.0.2')
      expect(logger.warn.mock.calls).toEqual([
        [{ from: '10.0.0.1', failures: 1, count: 1 }, 'a login failed: the token is not known'],
        [{ from: '10.0.0.2', failures: 1, count: 5 }, 'a login failed: the token is not known'],
      ])
    })
  })

  /** An auth whose clock, looks and waits are the test's. */
  const start = async () => {
    const clock = { ms: 0 }
    const logger = { ...silentLogger, info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const waits: { readonly ms: number; readonly signal: AbortSignal; readonly end: () => void }[] = []
    let look = async (): Promise<void> => {}
    const auth = await createAuth({
      path,
      logger,
      now: () => clock.ms,
      repeat: given => {
        look = given
        return () => {}
      },
      wait: (ms, signal) => new Promise<void>(end => void waits.push({ ms, signal, end })),
    })
    onTestFinished(() => auth.close())
    const logIn = async (token: string) => {
      const id = (await auth.logIn(token, '10.0.0.9'))?.open() ?? ''
      return withHeaders({ cookie: `a=b; ${toSessionCookie(id, true)}`.split(';').slice(1, 2).join('').trim() })
    }
    return { auth, clock, logger, waits, look: () => look(), logIn }
  }
})

const hourMs = 3_600_000
