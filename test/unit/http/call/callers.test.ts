import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { SluiceError } from '../../../../src/errors.ts'
import { createAuth, createToken } from '../../../../src/http/auth/auth.ts'
import { toSessionCookie } from '../../../../src/http/auth/session-cookies.ts'
import { maxSessions, maxSessionsOfOne, maxTicketSessionMs } from '../../../../src/http/auth/sessions.ts'
import { TicketRefused } from '../../../../src/http/auth/tickets.ts'
import { hashToken } from '../../../../src/http/auth/token-callers.ts'
import { toTokenLine } from '../../../../src/http/auth/token-file.ts'
import type { Headers } from '../../../../src/http/call/call.ts'
import { createAddressBlocks } from '../../../../src/http/origin/address-blocks.ts'
import { silentLogger } from '../../../../src/log/log.ts'

const proxyPeer = '10.0.0.1'
const headerName = 'x-remote-user'
const token = createToken()
const rules = [
  toTokenLine('app', ['send', 'view'], hashToken(token)),
  'principal: "ops@TEST" roles: view,operate',
  'principal: "*@TEST" roles: read',
  'user: "*" roles: write',
].join('\n')

let dir = ''
let path = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-callers-'))
  path = join(dir, 'tokens')
  await writeFile(path, rules)
})
afterEach(() => rm(dir, { recursive: true }))

/** An auth that takes base 64 of a principal for its ticket; its clock, looks and waits are the test's. */
const start = async () => {
  const clock = { ms: 0 }
  const logger = { ...silentLogger, warn: vi.fn() }
  const waits: number[] = []
  let look = async (): Promise<void> => {}
  const acceptTicket = vi.fn(async (ticket: string) => {
    if (ticket === 'busy') throw new SluiceError('overloaded', 'Too many')
    if (ticket === 'broken') throw new Error('broken')
    if (!ticket.includes('@')) throw new TicketRefused('No ticket', { cause: new Error(`/etc/keytab says no`) })
    return { principal: ticket, answer: 'proof' }
  })
  const auth = await createAuth({
    path,
    logger,
    acceptTicket,
    proxy: { header: headerName, isTrusted: createAddressBlocks([proxyPeer]) },
    now: () => clock.ms,
    repeat: given => {
      look = given
      return () => {}
    },
    wait: async ms => void waits.push(ms),
  })
  onTestFinished(() => auth.close())
  const call = (headers: Record<string, string>, peer = '10.0.0.9'): Headers => ({
    header: name => headers[name],
    peer,
  })
  /** As a listener does it: the ticket is looked at, and goes with the call. */
  const withTicket = async (ticket: string, headers: Record<string, string> = {}): Promise<Headers> => {
    const plain = call({ ...headers, authorization: `Negotiate ${ticket}` })
    return { ...plain, ticket: await auth.checkTicket?.(plain) }
  }
  const change = async (text: string): Promise<void> => {
    await writeFile(path, text)
    await look()
  }
  return { auth, clock, logger, waits, acceptTicket, call, withTicket, change }
}
const bearer = { authorization: `Bearer ${token}` }
const messageOf = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error instanceof SluiceError ? `${error.status} ${error.message}` : error
  }
  return undefined
}

describe('a ticket', () => {
  test('makes a caller of whom a rule is for, with its roles', async () => {
    const { auth, withTicket } = await start()
    const bob = auth.authorize(await withTicket('bob@TEST'), 'read')
    expect([bob.name, bob.subject]).toEqual(['bob', 'bob@TEST'])
    expect(messageOf(() => auth.authorize({ ...bobCall }, 'write'))).toBe('403 bob lacks the role write')
    expect(auth.authorize(await withTicket('ops@TEST'), 'operate').name).toBe('ops')
  })
  const bobCall: Headers = { header: () => undefined, ticket: { subject: 'bob@TEST', answer: undefined } }

  test('is not looked at without one', async () => {
    const { auth, acceptTicket, call } = await start()
    for (const headers of [{}, bearer, { authorization: 'Basic x' }, { authorization: 'Negotiator x' }]) {
      expect(auth.checkTicket?.(call(headers))).toBeUndefined()
    }
    expect(acceptTicket).not.toHaveBeenCalled()
    await auth.checkTicket?.(call({ authorization: 'nEgotiate  a@TEST ' }))
    expect(acceptTicket).toHaveBeenCalledExactlyOnceWith('a@TEST')
  })

  test.each([
    ['nonsense', '401 No ticket'],
    ['', '401 No ticket'],
    ['bob@OTHER', '401 No rule of the file of auth.tokens is for the principal bob@OTHER'],
    ['hdfs/nn@TEST', '401 No rule of the file of auth.tokens is for the principal hdfs/nn@TEST'],
    ['busy', '503 Too many'],
  ])('%j is refused: %s', async (ticket, message) => {
    const { auth, withTicket } = await start()
    const call = await withTicket(ticket)
    expect(auth.identify(call)).toBeUndefined()
    expect(messageOf(() => auth.authorize(call, 'read'))).toBe(message)
    expect(auth.logInByTicket(call)).toBeUndefined()
    expect(auth.problemOf(call)?.message).toBe(message.slice(4))
  })

  test('that was not checked does not count', async () => {
    const { auth, call } = await start()
    expect(auth.identify(call({ authorization: 'Negotiate bob@TEST' }))).toBeUndefined()
  })

  test('does not hide a mistake of this server', async () => {
    const { withTicket } = await start()
    await expect(withTicket('broken')).rejects.toThrow('broken')
  })

  test('that fails is logged and waits as a login does, and a good one never does', async () => {
    const { withTicket, logger, waits } = await start()
    for (let i = 0; i < 4; i++) await withTicket('nonsense')
    expect(waits).toEqual([250])
    await withTicket('bob@TEST')
    for (let i = 0; i < 3; i++) await withTicket('bob@OTHER')
    expect(waits).toEqual([250])
    await withTicket('bob@OTHER')
    expect(waits).toEqual([250, 250])
    expect(logger.warn.mock.calls).toEqual([
      [{ from: '10.0.0.9', failures: 1, count: 1 }, 'a login failed: No ticket (/etc/keytab says no)'],
    ])
  })

  test('the headers of every 401 ask for one, except on routes where only tokens count', async () => {
    const { auth, call } = await start()
    const challengeOf = (run: () => unknown) => {
      try {
        run()
      } catch (error) {
        return error instanceof SluiceError ? error.headers['www-authenticate'] : undefined
      }
      return undefined
    }
    const asking = 'Negotiate'
    expect(challengeOf(() => auth.authenticate(call({})))).toBe(asking)
    expect(challengeOf(() => auth.authorize(call({ authorization: 'Bearer x' }), 'read'))).toBe(asking)
    expect(auth.refuse().headers['www-authenticate']).toBe(asking)
    expect(challengeOf(() => auth.authorizeToken(call({}), 'send'))).toBe('Bearer realm="sluice"')
  })
})

describe('S7: a login by ticket', () => {
  const logIn = async (ticket = 'bob@TEST') => {
    const world = await start()
    const login = world.auth.logInByTicket(await world.withTicket(ticket))
    if (login === undefined) throw new Error('no login')
    const cookie = toSessionCookie(login.open(), false).split(';')[0] ?? ''
    return { ...world, login, cookie, nameOf: () => world.auth.identify(world.call({ cookie }))?.name }
  }

  test('has a session of its own, which represents the principal', async () => {
    const { auth, login, call, cookie, nameOf } = await logIn()
    expect([login.identity.name, login.principal, login.lifeMs]).toEqual(['bob', 'bob@TEST', maxTicketSessionMs])
    expect(nameOf()).toBe('bob')
    expect(auth.identify(call({ cookie }))?.subject).toBe('bob@TEST')
    auth.logOut(call({ cookie }))
    expect(nameOf()).toBeUndefined()
  })

  test('ends after ten hours, however much it is used', async () => {
    const { clock, nameOf } = await logIn()
    for (let hour = 1; hour < 10; hour++) {
      clock.ms = hour * 3_600_000
      expect(nameOf()).toBe('bob')
    }
    clock.ms = maxTicketSessionMs
    expect(nameOf()).toBeUndefined()
  })

  test.each([
    ['goes', 'user: "*" roles: write'],
    ['changes', 'principal: "*@TEST" roles: read,view'],
    ['comes after another one that is for him now', `principal: "bob@TEST" roles: view\n${rules}`],
  ])('ends when its rule %s', async (_, text) => {
    const { change, nameOf } = await logIn()
    await change(`# as it was\n${rules}`)
    expect(nameOf()).toBe('bob')
    await change(text)
    expect(nameOf()).toBeUndefined()
  })

  test('makes room for others of the same principal alone, the one that was unused for longest', async () => {
    const { auth, call, login, withTicket, nameOf } = await logIn()
    const other = auth.logInByTicket(await withTicket('ann@TEST'))
    const ofOther = { cookie: `sluice-session=${other?.open()}` }
    for (let i = 1; i < maxSessionsOfOne; i++) login.open()
    expect(nameOf()).toBe('bob')
    const second = { cookie: `sluice-session=${login.open()}` }
    expect(nameOf()).toBe('bob')
    for (let i = 0; i < maxSessionsOfOne; i++) login.open()
    expect([nameOf(), auth.identify(call(second)), auth.identify(call(ofOther))?.name]).toEqual([
      undefined,
      undefined,
      'ann',
    ])
  })

  test('is one of a bounded number', async () => {
    const { auth, withTicket, nameOf } = await logIn()
    for (let i = 0; i < maxSessions / maxSessionsOfOne; i++) {
      const login = auth.logInByTicket(await withTicket(`u${i}@TEST`))
      for (let j = 0; j < maxSessionsOfOne; j++) login?.open()
    }
    expect(nameOf()).toBeUndefined()
  })
})

describe('a proxy with single sign-on', () => {
  test('names a caller, with the roles of the rule for users', async () => {
    const { auth, call } = await start()
    const bob = auth.authorize(call({ [headerName]: ' bob ' }, proxyPeer), 'write')
    expect([bob.name, bob.subject]).toEqual(['bob', 'user:bob'])
    expect(auth.identify(call({ [headerName]: 'bob' }, `::ffff:${proxyPeer}`))?.name).toBe('bob')
    expect(messageOf(() => auth.authorize(call({ [headerName]: 'bob' }, proxyPeer), 'read'))).toBe(
      '403 bob lacks the role read',
    )
  })

  test.each([['10.0.0.2'], [''], ['nonsense'], [undefined]])(
    'is not believed from %s: the header is none',
    async peer => {
      const { auth } = await start()
      const headers: Record<string, string> = { [headerName]: 'bob' }
      const call: Headers = { header: name => headers[name], ...(peer === undefined ? {} : { peer }) }
      expect(auth.identify(call)).toBeUndefined()
      expect(messageOf(() => auth.authenticate(call))).toBe('401 A valid token is needed: Authorization: Bearer …')
      headers['authorization'] = bearer.authorization
      expect(auth.identify(call)?.name).toBe('app')
    },
  )

  test.each([
    ['', /names nobody: x-remote-user is empty/],
    ['  ', /is empty/],
    ['bob, root', /names more than one caller/],
    ['b b', /no plain text/],
    ['b\u0000b', /no plain text/],
    ['bøb', /no plain text/],
    ['b'.repeat(257), /too long/],
    ['bob@test.org', /No rule of the file of auth.tokens is for the user bob@test.org/],
  ])('that sends %j is told so', async (value, message) => {
    const { auth, call } = await start()
    const from = call({ [headerName]: value }, proxyPeer)
    expect(auth.identify(from)).toBeUndefined()
    expect(messageOf(() => auth.authenticate(from))).toMatch(message)
    expect(auth.problemOf(from)?.message).toMatch(message)
  })
})

describe('of several who vouch', () => {
  const byProxy = { [headerName]: 'carol' }
  test('a token counts before a session, a ticket before it, and each before a proxy', async () => {
    const { auth, call, withTicket } = await start()
    const login = await auth.logIn(token, '')
    const cookie = { cookie: `sluice-session=${login?.open()}` }
    const names = [
      auth.identify(call({ ...bearer, ...cookie, ...byProxy }, proxyPeer)),
      auth.identify(call({ ...cookie, ...byProxy }, proxyPeer)),
      auth.identify({ ...(await withTicket('bob@TEST', { ...cookie, ...byProxy })), peer: proxyPeer }),
      auth.identify(call({ ...byProxy }, proxyPeer)),
      // What a proxy has asked for itself, and hands on, is not for this server.
      auth.identify(call({ ...byProxy, authorization: 'Basic x' }, proxyPeer)),
    ]
    expect(names.map(one => one?.name)).toEqual(['app', 'app', 'bob', 'carol', 'carol'])
  })

  test('a wrong proof stays wrong: a good one beside it does not count', async () => {
    const { auth, call, withTicket } = await start()
    const cookie = { cookie: `sluice-session=${(await auth.logIn(token, ''))?.open()}` }
    for (const authorization of ['Bearer x', 'Bearer', 'bearer ', `Bearer ${token} ${token}`]) {
      const from = call({ authorization, ...cookie, ...byProxy }, proxyPeer)
      expect(auth.identify(from), authorization).toBeUndefined()
    }
    const bad = await withTicket('nonsense', { ...cookie, ...byProxy })
    expect(auth.identify({ ...bad, peer: proxyPeer })).toBeUndefined()
  })

  test('only a token counts where pages of any origin may call', async () => {
    const { auth, call, withTicket } = await start()
    const cookie = { cookie: `sluice-session=${(await auth.logIn(token, ''))?.open()}` }
    const tried = [call(cookie), call(byProxy, proxyPeer), await withTicket('bob@TEST'), call({})]
    for (const one of tried) expect(messageOf(() => auth.authorizeToken(one, 'send'))).toMatch(/^401/)
    expect(auth.authorizeToken(call(bearer), 'send').name).toBe('app')
    expect(messageOf(() => auth.authorizeToken(call(bearer), 'read'))).toBe('403 The token lacks the role read')
  })
})
