import { expect, test } from 'vitest'
import { toHadoopCookie, toSessionCookie, toSessionId } from '../../../../src/http/auth/session-cookies.ts'

const idOf = (cookie: string) => toSessionId({ header: name => (name === 'cookie' ? cookie : undefined) })

test('toSessionCookie is out of reach of scripts and other sites', () => {
  expect(toSessionCookie('t', true)).toBe('sluice-session=t; Path=/; HttpOnly; SameSite=Strict; Secure')
  expect(toSessionCookie('', false)).toBe('sluice-session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0')
})

test('toHadoopCookie is one that clients of Hadoop read, and as safe', () => {
  const login = { id: 'a-b_c', name: 'bob', principal: 'bob/host@TEST', lifeMs: 36_000_000, endsAt: 1_700_000_000_000 }
  expect(toHadoopCookie(login, true)).toBe(
    'hadoop.auth="u=bob&p=bob/host@TEST&t=kerberos&e=1700000000000&s=a-b_c"; Path=/webhdfs; Max-Age=36000; HttpOnly; SameSite=Strict; Secure',
  )
  expect(toHadoopCookie(login, false)).not.toContain('Secure')
  expect(idOf(toHadoopCookie(login, false).split(';')[0] ?? '')).toBe('a-b_c')
})

test.each([
  ['sluice-session=abc', 'abc'],
  ['a=b; sluice-session=abc; c=d', 'abc'],
  ['hadoop.auth="u=bob&p=bob@TEST&t=kerberos&e=1&s=abc"', 'abc'],
  ['hadoop.auth=u=bob&p=bob@TEST&t=kerberos&e=1&s=abc', 'abc'],
  ['x=1; hadoop.auth="u=bob&p=bob@TEST&t=kerberos&e=1&s=abc"; y=2', 'abc'],
  ['hadoop.auth="u=bob&p=bob@TEST&t=kerberos&e=1"', undefined],
  ['hadoop.auth="u=bob&s=a=b"', undefined],
  ['xhadoop.auth="u=bob&s=abc"', undefined],
  ['other-sluice-session=abc', undefined],
  [`sluice-session=${'a'.repeat(1_001)}`, undefined],
  ['', undefined],
])('the id in %j: %s', (cookie, id) => {
  expect(idOf(cookie)).toBe(id)
})
