import { expect, test, vi } from 'vitest'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import type { TokensOf } from '../../../src/filesystem/name-space.ts'
import { answerTokenRequest, createRemoteTokens } from '../../../src/readers/remote-tokens.ts'
import type { TokenRequest } from '../../../src/readers/wire.ts'

/** A reader and its server, with all that crosses between them. */
const setUp = (get: (user: string | undefined) => Promise<string>) => {
  const requests: TokenRequest[] = []
  const refused: string[] = []
  const tokensOf: TokensOf = mountPoint => {
    if (mountPoint !== '/far') throw new TypeError('There are no tokens')
    return { get, refused: (user, token) => refused.push(`${user} ${token}`) }
  }
  const remote = createRemoteTokens(request => {
    requests.push(request)
    // As it crosses between processes.
    void answerTokenRequest(tokensOf, structuredClone(request)).then(answer => remote.onAnswer(structuredClone(answer)))
  })
  return { remote, requests, refused }
}

test('a reader asks once for a token that it needs again soon, and for each user', async () => {
  const { remote, requests } = setUp(async user => `of ${user ?? 'the server'}`)
  const tokens = remote.of('/far')
  expect(await Promise.all([tokens.get(undefined), tokens.get(undefined), tokens.get('bob')])).toEqual([
    'of the server',
    'of the server',
    'of bob',
  ])
  expect(requests.map(({ user }) => user)).toEqual([undefined, 'bob'])
})

test('after a while it asks again', async () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  try {
    const { remote, requests } = setUp(async () => 'token')
    await remote.of('/far').get('bob')
    now = 30_000
    await remote.of('/far').get('bob')
    expect(requests).toHaveLength(1)
    now = 30_001
    await remote.of('/far').get('bob')
    expect(requests).toHaveLength(2)
  } finally {
    vi.restoreAllMocks()
  }
})

test('one that a cluster refuses is reported to the server, and another one requested', async () => {
  let issued = 0
  const { remote, refused } = setUp(async () => `t${++issued}`)
  const tokens = remote.of('/far')
  expect(await tokens.get('bob')).toBe('t1')
  tokens.refused('bob', 't1')
  expect(await tokens.get('bob')).toBe('t2')
  expect(refused).toEqual(['bob t1'])
})

test('what is thrown there is thrown here, and not remembered', async () => {
  let fails = true
  const { remote } = setUp(async () => {
    if (!fails) return 'token'
    fails = false
    throw new FileSystemError('denied', '/', 'Cannot get it: bob is not welcome')
  })
  await expect(remote.of('/far').get('bob')).rejects.toMatchObject({ code: 'denied', message: /bob is not welcome/ })
  expect(await remote.of('/far').get('bob')).toBe('token')
  await expect(remote.of('/near').get('bob')).rejects.toThrow('There are no tokens')
})

test('an answer that is not awaited any more is ignored', () => {
  const { remote } = setUp(async () => 'token')
  expect(() => remote.onAnswer({ kind: 'token', id: 99, token: 'x' })).not.toThrow()
})
