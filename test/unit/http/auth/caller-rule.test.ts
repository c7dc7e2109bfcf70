import { describe, expect, test } from 'vitest'
import { findCaller } from '../../../../src/http/auth/caller-rule.ts'
import { parseTokenFile } from '../../../../src/http/auth/token-file.ts'
import { roles } from '../../../../src/http/roles.ts'
import { createRandom } from '../../../fuzz/random.ts'

const find = (lines: string, subject: string) => findCaller(parseTokenFile(lines).rules, subject)?.identity

describe('findCaller', () => {
  test.each([
    ['*@TEST', 'bob@TEST', 'bob'],
    ['*@TEST', 'bob@TEST.ORG', undefined],
    ['*@TEST', 'bob@OTHER', undefined],
    ['*@TEST', 'bob@test', undefined],
    ['*@TEST', '@TEST', undefined],
    ['*@TEST', 'bob', undefined],
    ['*@TEST', 'bob@OTHER@TEST', undefined],
    ['*@TEST', 'bob\\@OTHER@TEST', undefined],
    ['*@TEST', 'hdfs/nn@TEST', undefined],
    ['*/*@TEST', 'hdfs/nn@TEST', 'hdfs'],
    ['*/*@TEST', 'bob@TEST', undefined],
    ['*/*@TEST', 'a/b/c@TEST', undefined],
    ['*/admin@TEST', 'ann/admin@TEST', 'ann'],
    ['*/admin@TEST', 'ann/administrator@TEST', undefined],
    ['svc-*-prod@TEST', 'svc-a-prod@TEST', 'svc-a-prod'],
    ['svc-*-prod@TEST', 'svc-prod@TEST', undefined],
    ['svc-*-prod@TEST', 'svc--prod@TEST', undefined],
    ['aa*a@TEST', 'aaa@TEST', undefined],
    ['bob@TEST', 'bob@TEST', 'bob'],
    ['bob@TEST', 'bobby@TEST', undefined],
    ['HOST$@TEST', 'HOST$@TEST', undefined],
    ['*@TEST', `${'b'.repeat(100)}@TEST`, 'b'.repeat(100)],
    ['*@TEST', `${'b'.repeat(101)}@TEST`, undefined],
    ['*@TEST', '..@TEST', undefined],
    ['*@TEST', 'b b@TEST', undefined],
    ['*@TEST', 'b\nb@TEST', undefined],
    ['*@TEST', 'bob@TEST\n', undefined],
    ['*@TEST', 'user:bob@TEST', undefined],
  ])('principal "%s" is for %j: %s', (pattern, subject, name) => {
    expect(find(`principal: "${pattern}" roles: read`, subject)?.name).toBe(name)
  })

  test.each([
    ['*', 'bob', 'bob'],
    ['*', 'bob@test.org', undefined],
    ['*@test.org', 'bob@test.org', 'bob@test.org'],
    ['CORP\\bob', 'CORP\\bob', undefined],
    ['*', 'CORP\\bob', undefined],
    ['*', '..', undefined],
    ['*', 'b,c', undefined],
    ['*', '', undefined],
  ])('user "%s" is for %j: %s', (pattern, user, name) => {
    expect(find(`user: "${pattern}" roles: read`, `user:${user}`)?.name).toBe(name)
  })

  test.each([
    ['principal: "HOST$@TEST" roles: read name: host', 'HOST$@TEST', 'host'],
    ['principal: "*/*@TEST" roles: read name: "svc.*"', 'hdfs/nn1@TEST', 'svc.hdfs'],
    ['principal: "hdfs/*@TEST" roles: read name: "*"', 'hdfs/nn1@TEST', 'nn1'],
    ['principal: "*/*@TEST" roles: read name: "nobody"', 'hdfs/nn1@TEST', 'nobody'],
    ['user: "CORP\\*" roles: read name: "*"', 'user:CORP\\bob', 'bob'],
    ['user: "*@test.org" roles: read name: "*"', 'user:bob@test.org', 'bob'],
    ['user: "*@test.org" roles: read name: "*"', 'user:$&@test.org', undefined],
    ['principal: "*/admin@TEST" roles: read name: "*"', '../admin@TEST', undefined],
  ])('the name by %s of %s: %s', (rule, subject, name) => {
    expect(find(rule, subject)?.name).toBe(name)
  })

  test.each(['b b', 'b\nb', 'b&s=x', 'b"b', 'b;b', 'b=b', 'b:b', 'b\\b', 'b%40b', 'bøb', 'b'.repeat(260)])(
    'a principal %j is nobody, though its rule has a name for it: subjects and cookies hold what it is called',
    first => {
      expect(find('principal: "*@TEST" roles: read name: all', `${first}@TEST`)).toBeUndefined()
    },
  )

  test('the first rule that matches decides, also if it gives the caller no identity', () => {
    const lines =
      'principal: "ann@TEST" roles: read,view name: a\nprincipal: "*@TEST" roles: write\nuser: "*" roles: operate'
    const rolesOf = (subject: string) => roles.filter(role => find(lines, subject)?.has(role))
    expect([rolesOf('ann@TEST'), rolesOf('bob@TEST'), rolesOf('user:bob')]).toEqual([
      ['read', 'view'],
      ['write'],
      ['operate'],
    ])
    expect(
      find('principal: "*$@TEST" roles: read\nprincipal: "H$@TEST" roles: read name: h', 'H$@TEST'),
    ).toBeUndefined()
  })

  test('a name that a proxy set is not a principal, and a principal is not such a name', () => {
    expect(find('user: "bob@TEST" roles: read', 'bob@TEST')).toBeUndefined()
    expect(find('principal: "bob@TEST" roles: read', 'user:bob@TEST')).toBeUndefined()
    expect(find('user: "bob@TEST" roles: read', 'user:bob@TEST')?.subject).toBe('user:bob@TEST')
    expect(find('principal: "bob@TEST" roles: read', 'bob@TEST')?.subject).toBe('bob@TEST')
  })

  test('agrees with a regular expression of the same pattern', () => {
    const random = createRandom(7)
    const word = (of: string, longest: number) =>
      Array.from({ length: random.below(longest + 1) }, () => of[random.below(of.length)] ?? '').join('')
    let matches = 0
    for (let i = 0; i < 20_000; i++) {
      const pattern = `${word('ab/*', 5)}@R`
      const subject = `${word('ab/@', 6)}@R`
      const rules =
        /^[^@]+@/.test(pattern) && !/\*[^/]*\*/.test(pattern) ? `principal: "${pattern}" roles: read name: x` : ''
      const expected = rules !== '' && new RegExp(`^${pattern.replaceAll('*', '[^/@]+')}$`).test(subject)
      expect(find(rules, subject) !== undefined, `${pattern} ${subject}`).toBe(expected)
      if (expected) matches++
    }
    expect(matches).toBeGreaterThan(50)
  })
})
