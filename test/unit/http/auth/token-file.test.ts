import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import { parseTokenFile, toRuleLine, toTokenLine } from '../../../../src/http/auth/token-file.ts'

const hash = 'a'.repeat(64)

describe('parseTokenFile', () => {
  test('reads names, roles and comments', () => {
    const { tokens, rules } = parseTokenFile(
      `# tokens\n\nops view,operate sha256:${hash.toUpperCase()} # Anna\n${toTokenLine('app', ['send'], hash)}\r\n`,
    )
    expect(tokens).toEqual([
      { name: 'ops', roles: new Set(['view', 'operate']), sha256: hash },
      { name: 'app', roles: new Set(['send']), sha256: hash },
    ])
    expect(rules).toEqual([])
  })

  test('reads rules, in their order, and a token called as one', () => {
    const { tokens, rules } = parseTokenFile(
      [
        'principal: "*@TEST" roles: read,WRITE # all',
        `user view sha256:${hash}`,
        'principal:hdfs/*@TEST  roles:view   name:hdfs-*',
        'user: "CORP\\*" roles: read name: "*"',
      ].join('\n'),
    )
    expect(tokens.map(({ name }) => name)).toEqual(['user'])
    expect(rules.map(toRuleLine)).toEqual([
      'principal: "*@TEST" roles: read,write',
      'principal: "hdfs/*@TEST" roles: view name: "hdfs-*"',
      'user: "CORP\\*" roles: read name: "*"',
    ])
  })

  test.each([
    ['a plain token', 'ops view secret', /name role/],
    ['an unknown role', `ops root sha256:${hash}`, /roles out of/],
    ['a short hash', 'ops view sha256:aa', /name role/],
    ['no role', `ops sha256:${hash}`, /name role/],
    ['a rule without roles', 'principal: "*@TEST"', /principal: "pattern" roles: role,role/],
    ['a rule with an unknown role', 'user: "*" roles: root', /roles out of/],
    ['a rule with half a quotation', 'user: "* roles: read', /user: "pattern"/],
    ['something after a rule', 'user: "*" roles: read sha256:aa', /user: "pattern"/],
    ['a principal without a realm', 'principal: "*" roles: read', /with its realm/],
    ['a principal of any realm', 'principal: "*@*" roles: read', /with its realm/],
    ['a principal of a part of a realm', 'principal: "*@*.TEST" roles: read', /with its realm/],
    ['a principal of two realms', 'principal: "*@A@B" roles: read', /with its realm/],
    ['two stars in a part', 'principal: "*a*@TEST" roles: read', /one \* in each part/],
    ['a colon in a pattern', 'principal: "user:*@TEST" roles: read', /expected a pattern/],
    ['a backslash in a principal', 'principal: "a\\*@TEST" roles: read', /expected a pattern/],
    ['a long pattern', `user: "${'a'.repeat(257)}" roles: read`, /expected a pattern/],
    ['a role that only tokens have', 'principal: "*@TEST" roles: read,send', /without send/],
    ['a strange name', 'principal: "*@TEST" roles: read name: "a/b"', /expected a name/],
    ['a name of dots', 'principal: "*@TEST" roles: read name: ".."', /expected a name/],
    ['a name with two stars', 'principal: "*/*@TEST" roles: read name: "*-*"', /expected a name/],
    ['a star without one to stand for', 'principal: "a@TEST" roles: read name: "*"', /no \* in a name/],
  ])('refuses %s with its offset', (_, line, expected) => {
    const parse = () => parseTokenFile(`# one\n${line}`)
    expect(parse).toThrow(expect.objectContaining({ offset: 6 }))
    expect(parse).toThrow(expected)
  })

  test('refuses too many lines, and a huge file', () => {
    expect(() => parseTokenFile(`a view sha256:${hash}\n`.repeat(1_001))).toThrow(FormatError)
    expect(() => parseTokenFile('user: a roles: view\n'.repeat(1_001))).toThrow(FormatError)
    expect(() => parseTokenFile('#'.repeat(2 ** 20 + 1))).toThrow(FormatError)
  })
})
