import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { InvalidToken } from '../../../../src/delegation/delegation-tokens.ts'
import { encodeHadoopToken } from '../../../../src/formats/hadoop-token.ts'
import { createWebHdfsAuthorize, createWebHdfsIdentify } from '../../../../src/gateway/webhdfs/authorize.ts'
import { createAuth, createToken, openAuth } from '../../../../src/http/auth/auth.ts'
import { hashToken } from '../../../../src/http/auth/token-callers.ts'
import { createWebCall } from '../../../../src/http/call/web-call.ts'
import { silentLogger } from '../../../../src/log/log.ts'
import { forgeToken, openTestTokens } from '../../../suites/delegation-tokens.ts'

/** Where none was ever issued. */
const noTokens = await openTestTokens()
/** What looks like one of those. */
const ofNobody = forgeToken(new Uint8Array(32))
const ann = createToken()
const bob = createToken()
const callWith = (params: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = {}) =>
  createWebCall(new Request('http://localhost/webhdfs/v1/x', { headers })).withOperation('webHdfsGet', params)

describe('without authentication', () => {
  const authorize = createWebHdfsAuthorize(openAuth, noTokens)
  test.each([
    [{}, 'anonymous'],
    [{ 'user.name': 'ann' }, 'ann'],
    [{ 'user.name': 'ann', doas: 'bob' }, 'bob'],
    [{ delegation: 'whatever', 'user.name': 'ann' }, 'ann'],
    [{ delegation: ofNobody, 'user.name': 'ann' }, 'ann'],
  ])('%o calls as %s, and may do everything', (params, name) => {
    const identity = authorize(callWith(params), 'write')
    expect([identity.name, identity.isClaimed, identity.has('read')]).toEqual([name, true, true])
  })
})

describe('with tokens', () => {
  const setUp = async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-authorize-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const path = join(directory, 'tokens')
    writeFileSync(path, `ann read sha256:${hashToken(ann)}\nbob read,write sha256:${hashToken(bob)}\n`)
    const auth = await createAuth({ path, logger: silentLogger })
    onTestFinished(() => auth.close())
    return createWebHdfsAuthorize(auth, noTokens)
  }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  test('one comes in a header or as a delegation token, and a name that is said counts for nothing', async () => {
    const authorize = await setUp()
    expect(authorize(callWith({}, bearer(ann)), 'read').name).toBe('ann')
    expect(authorize(callWith({ delegation: ann }), 'read').name).toBe('ann')
    expect(authorize(callWith({ delegation: ann, 'user.name': 'bob' }), 'read').name).toBe('ann')
    expect(authorize(callWith({ delegation: ann }, bearer(bob)), 'read').name).toBe('bob')
    expect(authorize(callWith({ delegation: ann }), 'read').isClaimed).toBeUndefined()
  })

  test('one comes in a token of Hadoop, whatever else is in that', async () => {
    const authorize = await setUp()
    const wrap = (password: string) =>
      encodeHadoopToken({
        identifier: Buffer.from('bob'),
        password: Buffer.from(password),
        kind: 'WEBHDFS delegation',
        service: '127.0.0.1:8080',
      })
    expect(authorize(callWith({ delegation: wrap(ann), 'user.name': 'bob' }), 'read').name).toBe('ann')
    expect(() => authorize(callWith({ delegation: wrap(`${ann}x`) }), 'read')).toThrow(
      expect.objectContaining({ code: 'unauthenticated' }),
    )
    expect(() => authorize(callWith({ delegation: wrap('') }), 'read')).toThrow(
      expect.objectContaining({ code: 'unauthenticated' }),
    )
  })

  test.each([
    ['no token', {}, {}, 'unauthenticated'],
    ['a name', { 'user.name': 'ann' }, {}, 'unauthenticated'],
    ['an unknown token', { delegation: 'x' }, {}, 'unauthenticated'],
    ['an unknown token in the header beside a good one', { delegation: ann }, bearer('x'), 'unauthenticated'],
    ['a token without the role', { delegation: ann }, {}, 'denied'],
    ['somebody else', { delegation: bob, doas: 'ann' }, {}, 'denied'],
  ])('%s is refused', async (_, params, headers, code) => {
    const authorize = await setUp()
    expect(() => authorize(callWith(params, headers), 'write')).toThrow(expect.objectContaining({ code }))
  })

  test('a delegation token that was not issued here has no owner', async () => {
    const authorize = await setUp()
    expect(() => authorize(callWith({ delegation: ofNobody }), 'read')).toThrow(InvalidToken)
    const identify = createWebHdfsIdentify({ ...openAuth, isOpen: false }, noTokens)
    expect(identify(callWith({ delegation: ofNobody }))).toBeUndefined()
    const failing = createWebHdfsIdentify({ ...openAuth, isOpen: false }, { verify: () => expect.fail('no answer') })
    expect(() => failing(callWith({ delegation: ofNobody }))).toThrow('no answer')
  })

  test('for oneself everybody may call', async () => {
    const authorize = await setUp()
    expect(authorize(callWith({ delegation: bob, doas: 'bob' }), 'write').name).toBe('bob')
  })
})
