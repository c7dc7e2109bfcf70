/** Delegation tokens over the operations of WebHDFS, from issue to end, as the server puts them together. */
import { describe, expect, test } from 'vitest'
import type { Params } from '../../../../src/contract/operations.ts'
import { decodeDelegationTokenIdentifier } from '../../../../src/formats/delegation-token-identifier.ts'
import { decodeHadoopToken, encodeHadoopToken } from '../../../../src/formats/hadoop-token.ts'
import { createGatewayFigures } from '../../../../src/gateway/figures.ts'
import { createGateway } from '../../../../src/gateway/gateway.ts'
import { createWebHdfsAuthorize, createWebHdfsIdentify } from '../../../../src/gateway/webhdfs/authorize.ts'
import { toRemoteException } from '../../../../src/gateway/webhdfs/remote-exception.ts'
import { type Auth, openAuth } from '../../../../src/http/auth/auth.ts'
import { toUnauthenticated } from '../../../../src/http/auth/token-callers.ts'
import type { Identity } from '../../../../src/http/call/call.ts'
import { createWebCall } from '../../../../src/http/call/web-call.ts'
import type { Role } from '../../../../src/http/roles.ts'
import { silentLogger } from '../../../../src/log/log.ts'
import { openTestTokens } from '../../../suites/delegation-tokens.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { createTestReads } from '../../../suites/reads.ts'
import { remoteOf } from '../../../suites/webhdfs.ts'

/** The permitted callers, by the subject that a header proves; `plain` has a token of the file. */
const createPeople = (): { auth: Auth; people: Map<string, readonly Role[]> } => {
  const people = new Map<string, readonly Role[]>([
    ['bob@REALM', ['read', 'write']],
    ['ann@REALM', ['read']],
    ['yarn/rm1@REALM', ['read']],
    ['yarn/rm2@REALM', ['read']],
    ['eve@REALM', ['read', 'write']],
    ['out@REALM', ['write']],
  ])
  const identityOf = (subject: string): Identity | undefined => {
    const roles = people.get(subject)
    return roles && { name: subject.replace(/[/@].*/, ''), subject, has: role => roles.includes(role) }
  }
  const identify: Auth['identify'] = call => {
    const [, word = ''] = /^(?:Bearer|Proven) (.*)$/.exec(call.header('authorization') ?? '') ?? []
    return word === 'plain' ? { name: 'plain', has: () => true } : identityOf(word)
  }
  const authorize: Auth['authorize'] = (call, role) => {
    const identity = identify(call)
    if (!identity?.has(role)) throw toUnauthenticated('nobody, or nobody who may')
    return identity
  }
  return { people, auth: { ...openAuth, isOpen: false, identify, identityOf, authorize } }
}

type Query = Readonly<Record<string, string>>

const setUp = async () => {
  const { auth, people } = createPeople()
  let ms = Date.UTC(2026, 0, 1)
  const delegationTokens = await openTestTokens({ now: () => ms, maxTokensOfOwner: 5 })
  const lines: unknown[] = []
  const info = (fields: unknown) => void lines.push(fields)
  const fileSystem = createMemoryFileSystem()
  const figures = createGatewayFigures()
  const { handlers, refuse } = createGateway({
    fileSystem,
    reads: createTestReads(fileSystem),
    figures,
    logger: { ...silentLogger, info },
    maxReads: () => 10,
    identify: createWebHdfsIdentify(auth, delegationTokens),
    delegationTokens,
    nameOf: principal => auth.identityOf(principal)?.name,
  })
  const authorize = createWebHdfsAuthorize(auth, delegationTokens)

  /** As `subject`, or as the user that a parameter names. */
  const ask = async (
    method: 'GET' | 'PUT',
    op: string,
    subject: string | undefined,
    query: Query = {},
    origin = 'http://localhost:8080',
  ) => {
    const headers = { host: new URL(origin).host, ...(subject && { authorization: `Proven ${subject}` }) }
    const target = `${origin}/webhdfs/v1/?${new URLSearchParams({ op, ...query }).toString()}`
    const web = createWebCall(new Request(target, { method, headers }))
    const id = method === 'GET' ? 'webHdfsGet' : 'webHdfsPut'
    const params = { path: '/', op, ...query }
    const known = web.withOperation(id, params)
    try {
      let caller: Identity
      try {
        caller = authorize(known, method === 'GET' ? 'read' : 'write')
      } catch (error) {
        return refuse(error, known)
      }
      const response = await (method === 'GET'
        ? handlers.webHdfsGet(web.withOperation(id, params as unknown as Params<'webHdfsGet'>, caller))
        : handlers.webHdfsPut(web.withOperation(id, params as unknown as Params<'webHdfsPut'>, caller)))
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: text && JSON.parse(text), caller }
    } catch (error) {
      const response = toRemoteException(error, method)
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: JSON.parse(text), caller: undefined }
    }
  }
  const issue = async (subject = 'bob@REALM', query: Query = {}): Promise<string> => {
    const { json } = await ask('GET', 'GETDELEGATIONTOKEN', subject, { renewer: 'yarn', ...query })
    return (json as { Token: { urlString: string } }).Token.urlString
  }
  const use = (delegation: string, op = 'GETHOMEDIRECTORY') => ask('GET', op, undefined, { delegation })
  const pass = (some: number): void => {
    ms += some
  }
  return { ask, issue, use, people, lines, figures, pass }
}
const day = 86_400_000
const onlyProven = /^Delegation Token can be (issued|renewed|cancelled) only with kerberos or web authentication$/
const refusedWith = (message: RegExp | string) => ({
  exception: 'InvalidToken',
  message: expect.stringMatching(
    new RegExp(
      `^Failed to obtain user group information: org\\.apache\\.hadoop\\.security\\.token\\.SecretManager\\$InvalidToken: token \\(owner=bob@REALM, renewer=yarn, sequenceNumber=\\d+\\) ${message}$`,
    ),
  ),
})

describe('GETDELEGATIONTOKEN', () => {
  test("gives a token in Hadoop's form that represents its requester", async () => {
    const { ask, use } = await setUp()
    const answer = await ask('GET', 'GETDELEGATIONTOKEN', 'bob@REALM', { renewer: 'yarn' })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const { urlString } = (answer.json as { Token: { urlString: string } }).Token
    const { kind, service, identifier } = decodeHadoopToken(urlString)
    expect([kind, service]).toEqual(['WEBHDFS delegation', ''])
    expect(decodeDelegationTokenIdentifier(identifier)).toMatchObject({ owner: 'bob@REALM', renewer: 'yarn' })
    const used = await use(urlString)
    expect([used.status, used.json]).toEqual([200, { Path: '/user/bob' }])
    expect(used.caller).toMatchObject({ name: 'bob', subject: 'bob@REALM', isDelegated: true })
  })

  test.each([
    ['by TLS its kind is another', {}, 'https://localhost:8443', { kind: 'SWEBHDFS delegation', service: '' }],
    ['kind and service can be asked for', { kind: 'K', service: 's:1' }, undefined, { kind: 'K', service: 's:1' }],
  ])('%s', async (_, query, origin, want) => {
    const { ask } = await setUp()
    const { json } = await ask('GET', 'GETDELEGATIONTOKEN', 'bob@REALM', query, origin)
    expect(decodeHadoopToken((json as { Token: { urlString: string } }).Token.urlString)).toMatchObject(want)
  })

  test.each([
    ['who asks, where nobody is named', {}, 'bob'],
    ['a name as it is', { renewer: 'yarn' }, 'yarn'],
    ['a principal by its name here', { renewer: 'yarn/rm1@REALM' }, 'yarn'],
    ['a principal of strangers as it is', { renewer: 'yarn/rm@ELSEWHERE' }, 'yarn/rm@ELSEWHERE'],
  ])('the renewer is %s', async (_, query, renewer) => {
    const { ask } = await setUp()
    const { json } = await ask('GET', 'GETDELEGATIONTOKEN', 'bob@REALM', query)
    const { identifier } = decodeHadoopToken((json as { Token: { urlString: string } }).Token.urlString)
    expect(decodeDelegationTokenIdentifier(identifier).renewer).toBe(renewer)
  })

  test('is refused to who has only a token, of whatever kind', async () => {
    const { ask, issue, use } = await setUp()
    for (const answer of [
      await ask('GET', 'GETDELEGATIONTOKEN', 'plain'),
      await use('plain', 'GETDELEGATIONTOKEN'),
      await use(await issue(), 'GETDELEGATIONTOKEN'),
    ]) {
      expect(answer.status).toBe(403)
      expect(remoteOf(answer)).toEqual({ exception: 'IOException', message: expect.stringMatching(onlyProven) })
    }
  })

  test('is refused without the role, to strangers, and beyond the limit', async () => {
    const { ask, issue } = await setUp()
    for (const subject of ['out@REALM', 'stranger@REALM', undefined]) {
      expect((await ask('GET', 'GETDELEGATIONTOKEN', subject)).status).toBe(401)
    }
    for (let i = 0; i < 5; i++) await issue()
    const answer = await ask('GET', 'GETDELEGATIONTOKEN', 'bob@REALM')
    expect([answer.status, remoteOf(answer).exception]).toEqual([403, 'AccessControlException'])
  })
})

describe('a delegation token', () => {
  test('may do what its owner may now', async () => {
    const { ask, issue, use, people } = await setUp()
    const delegation = await issue()
    expect((await ask('PUT', 'MKDIRS', undefined, { delegation })).status).toBe(200)
    people.set('bob@REALM', ['read'])
    const denied = await ask('PUT', 'MKDIRS', undefined, { delegation })
    expect([denied.status, remoteOf(denied).exception]).toEqual([403, 'AccessControlException'])
    expect((await use(delegation)).status).toBe(200)
    people.delete('bob@REALM')
    const gone = await use(delegation)
    expect([gone.status, gone.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="sluice"'])
  })

  test('works in a header, for its owner only', async () => {
    const { ask, issue } = await setUp()
    const delegation = await issue()
    expect((await ask('GET', 'GETHOMEDIRECTORY', 'ann@REALM', { delegation })).caller).toMatchObject({ name: 'ann' })
    expect((await ask('GET', 'GETHOMEDIRECTORY', 'stranger@REALM', { delegation })).status).toBe(401)
    const other = await ask('GET', 'GETHOMEDIRECTORY', undefined, { delegation, doas: 'ann' })
    expect([other.status, remoteOf(other).exception]).toEqual([403, 'AccessControlException'])
    expect((await ask('GET', 'GETHOMEDIRECTORY', undefined, { delegation, doas: 'bob' })).status).toBe(200)
  })

  test('that is forged, over or cancelled is refused so that a client of Hadoop fetches another', async () => {
    const { ask, issue, use, pass, lines } = await setUp()
    const one = await issue()
    const { password, ...rest } = decodeHadoopToken(one)
    const forged = encodeHadoopToken({ ...rest, password: password.map(byte => byte ^ 1) })
    for (const [token, message] of [[forged, `can't be found in cache`] as const]) {
      const answer = await use(token)
      expect([answer.status, remoteOf(answer)]).toEqual([403, refusedWith(message)])
    }
    expect((await use(one)).status).toBe(200)
    const cancelled = await issue()
    expect((await ask('PUT', 'CANCELDELEGATIONTOKEN', 'bob@REALM', { token: cancelled })).status).toBe(200)
    expect(remoteOf(await use(cancelled))).toEqual(refusedWith(`can't be found in cache`))
    pass(day)
    const over = await use(one)
    expect([over.status, remoteOf(over)]).toEqual([403, refusedWith('is expired')])
    expect(over.text).not.toContain(one)
    // It leaves no line: strangers could fill the log.
    lines.length = 0
    expect((await ask('PUT', 'MKDIRS', undefined, { delegation: one })).status).toBe(403)
    expect(lines).toEqual([])
  })
})

describe('RENEWDELEGATIONTOKEN', () => {
  test('gives a day more to the renewer, by any of his principals, and to no other caller', async () => {
    const { ask, issue, pass } = await setUp()
    const token = await issue()
    pass(day / 2)
    for (const subject of ['yarn/rm1@REALM', 'yarn/rm2@REALM']) {
      const { status, json } = await ask('PUT', 'RENEWDELEGATIONTOKEN', subject, { token })
      expect([status, json]).toEqual([200, { long: Date.UTC(2026, 0, 2, 12) }])
    }
    for (const subject of ['bob@REALM', 'eve@REALM']) {
      const answer = await ask('PUT', 'RENEWDELEGATIONTOKEN', subject, { token })
      expect([answer.status, remoteOf(answer).exception]).toEqual([403, 'AccessControlException'])
    }
    pass(day - 1)
    expect((await ask('GET', 'GETHOMEDIRECTORY', undefined, { delegation: token })).status).toBe(200)
  })

  test('needs a proof and no delegation token, and not the role to write', async () => {
    const { ask, issue } = await setUp()
    const own = await issue('ann@REALM', { renewer: 'ann' })
    expect((await ask('PUT', 'RENEWDELEGATIONTOKEN', 'ann@REALM', { token: own })).status).toBe(200)
    for (const answer of [
      await ask('PUT', 'RENEWDELEGATIONTOKEN', undefined, { token: own, delegation: own }),
      await ask('PUT', 'RENEWDELEGATIONTOKEN', 'plain', { token: own }),
    ]) {
      expect([answer.status, remoteOf(answer).message]).toEqual([403, expect.stringMatching(onlyProven)])
    }
    expect((await ask('PUT', 'RENEWDELEGATIONTOKEN', 'out@REALM', { token: own })).status).toBe(401)
    expect((await ask('PUT', 'MKDIRS', 'ann@REALM')).status).toBe(401)
  })

  test.each([
    ['no token', {}, 400, 'IllegalArgumentException'],
    ['what is none', { token: '!' }, 400, 'IllegalArgumentException'],
    ['half of one', { token: 'Jw' }, 400, 'IllegalArgumentException'],
    ['one of another kind', { token: encodeHadoopToken(ofAnotherKind()) }, 403, 'InvalidToken'],
  ])('refuses %s', async (_, query: Query, status, exception) => {
    const { ask } = await setUp()
    for (const op of ['RENEWDELEGATIONTOKEN', 'CANCELDELEGATIONTOKEN']) {
      const answer = await ask('PUT', op, 'bob@REALM', query)
      expect([answer.status, remoteOf(answer).exception]).toEqual([status, exception])
    }
  })
})

describe('CANCELDELEGATIONTOKEN', () => {
  test.each([
    ['the owner', 'bob@REALM', 200],
    ['the renewer', 'yarn/rm1@REALM', 200],
    ['somebody else', 'eve@REALM', 403],
    ['who has only a token of the file', 'plain', 403],
  ])('by %s', async (_, subject, status) => {
    const { ask, issue, use } = await setUp()
    const token = await issue()
    const answer = await ask('PUT', 'CANCELDELEGATIONTOKEN', subject, { token })
    expect(answer.status).toBe(status)
    if (status === 200) expect(answer.text).toBe('')
    expect((await use(token)).status).toBe(status === 200 ? 403 : 200)
  })

  test('by who has nothing but that token, and only may read', async () => {
    const { ask, issue, use } = await setUp()
    const token = await issue('ann@REALM')
    const answer = await ask('PUT', 'CANCELDELEGATIONTOKEN', undefined, { token, delegation: token })
    expect([answer.status, (await use(token)).status]).toEqual([200, 403])
  })
})

test('each of the three leaves a line and is counted, and nothing of that has the token in it', async () => {
  const { ask, issue, lines, figures } = await setUp()
  const token = await issue()
  await ask('PUT', 'RENEWDELEGATIONTOKEN', 'yarn/rm1@REALM', { token })
  await ask('PUT', 'RENEWDELEGATIONTOKEN', 'eve@REALM', { token })
  await ask('PUT', 'CANCELDELEGATIONTOKEN', 'bob@REALM', { token })
  await ask('GET', 'GETDELEGATIONTOKEN', 'plain')
  const line = (who: string, operation: string, outcome: string, status: number) =>
    expect.objectContaining({ who, operation: `${operation}DELEGATIONTOKEN`, path: '/', outcome, status })
  expect(lines).toEqual([
    line('bob', 'GET', 'ok', 200),
    line('yarn', 'RENEW', 'ok', 200),
    line('eve', 'RENEW', 'denied', 403),
    line('bob', 'CANCEL', 'ok', 200),
    line('plain', 'GET', 'unsupported', 403),
  ])
  const { password, identifier } = decodeHadoopToken(token)
  for (const secret of [token, ...[password, identifier].map(part => Buffer.from(part).toString('base64url'))]) {
    expect(JSON.stringify([lines, figures.requests()])).not.toContain(secret)
  }
  expect(figures.requests()).toContainEqual({ op: 'GETDELEGATIONTOKEN', cluster: '/', code: 200, count: 1 })
})

function ofAnotherKind() {
  return { identifier: Buffer.from('bob'), password: Buffer.alloc(32), kind: 'WEBHDFS delegation', service: '' }
}
