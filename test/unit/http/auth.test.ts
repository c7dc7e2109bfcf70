import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { FormatError } from '../../../src/errors.ts'
import { createAuth, createToken, hashToken, toSessionCookie } from '../../../src/http/auth.ts'
import { parseTokenFile, toTokenLine } from '../../../src/http/token-file.ts'
import { silentLogger } from '../../../src/log.ts'

const withHeaders = (headers: Record<string, string>) => ({ header: (name: string) => headers[name] })
const bearer = (token: string) => withHeaders({ authorization: `Bearer ${token}` })

describe('parseTokenFile', () => {
  const hash = 'a'.repeat(64)
  test('reads names, roles and comments', () => {
    const entries = parseTokenFile(
      `# tokens\n\nops view,operate sha256:${hash.toUpperCase()} # Anna\n${toTokenLine('app', ['send'], hash)}\r\n`,
    )
    expect(entries).toEqual([
      { name: 'ops', roles: new Set(['view', 'operate']), sha256: hash },
      { name: 'app', roles: new Set(['send']), sha256: hash },
    ])
  })

  test.each([
    ['a plain token', 'ops view secret'],
    ['an unknown role', `ops root sha256:${hash}`],
    ['a short hash', 'ops view sha256:aa'],
    ['no role', `ops sha256:${hash}`],
  ])('refuses %s with its offset', (_, line) => {
    expect(() => parseTokenFile(`# one\n${line}`)).toThrow(expect.objectContaining({ offset: 6 }))
  })

  test('refuses too many tokens, and a huge file', () => {
    expect(() => parseTokenFile(`a view sha256:${hash}\n`.repeat(1_001))).toThrow(FormatError)
    expect(() => parseTokenFile('#'.repeat(2 ** 20 + 1))).toThrow(FormatError)
  })
})

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

  test('knows who calls, by header or cookie, and what they may do', async () => {
    const auth = await createAuth({ path, logger: silentLogger })
    expect(auth.authorize(bearer(sender), 'send').name).toBe('app')
    expect(
      auth.authorize(withHeaders({ cookie: `a=b; ${toSessionCookie(operator, true).split(';')[0]}` }), 'view').name,
    ).toBe('ops')
    expect(auth.identifyToken(operator)?.has('send')).toBe(false)
    expect(() => auth.authorize(bearer(sender), 'read')).toThrow(expect.objectContaining({ code: 'denied' }))
    auth.close()
  })

  test.each([
    ['nothing', {}],
    ['a wrong token', { authorization: `Bearer ${createToken()}` }],
    ['another scheme', { authorization: `Basic ${sender}` }],
    ['a hash instead of its token', { authorization: `Bearer ${hashToken(sender)}` }],
    ['an empty cookie', { cookie: 'sluice-token=' }],
    ['a wrong header beside a good cookie', { authorization: 'Bearer x', cookie: `sluice-token=${sender}` }],
    ['a long token', { authorization: `Bearer ${'a'.repeat(5_000)}` }],
  ])('refuses %s with a challenge', async (_, headers) => {
    const auth = await createAuth({ path, logger: silentLogger })
    expect(() => auth.authorize(withHeaders(headers), 'send')).toThrow(
      expect.objectContaining({ code: 'unauthenticated', headers: { 'www-authenticate': 'Bearer realm="sluice"' } }),
    )
    auth.close()
  })

  test('reads the file again after a change, and keeps the old tokens when the new file is bad', async () => {
    const logger = { ...silentLogger, info: vi.fn(), warn: vi.fn() }
    const auth = await createAuth({ path, logger, checkMs: 5 })
    await replaceFile(path, 'nonsense')
    await vi.waitFor(() => expect(logger.warn).toHaveBeenCalledOnce())
    expect(auth.identify(bearer(sender))?.name).toBe('app')
    await replaceFile(path, `${lines[1]}\n`)
    await vi.waitFor(() => expect(logger.info).toHaveBeenCalledOnce())
    expect(auth.identify(bearer(sender))).toBeUndefined()
    expect(auth.identify(bearer(operator))?.name).toBe('ops')
    auth.close()
  })

  test('names the file that cannot be used', async () => {
    await expect(createAuth({ path: join(dir, 'none'), logger: silentLogger })).rejects.toThrow(
      /auth\.tokens .*none cannot be used/,
    )
  })
})

/** At once, as an editor does it: a file caught half-written would count as one more change. */
const replaceFile = async (path: string, text: string): Promise<void> => {
  await writeFile(`${path}.next`, text)
  await rename(`${path}.next`, path)
}

test('toSessionCookie is out of reach of scripts and other sites', () => {
  expect(toSessionCookie('t', true)).toBe('sluice-token=t; Path=/; HttpOnly; SameSite=Strict; Secure')
  expect(toSessionCookie('', false)).toBe('sluice-token=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0')
})
