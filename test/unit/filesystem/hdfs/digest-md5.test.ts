import { expect, test } from 'vitest'
import { answerChallenge, SaslError } from '../../../../src/filesystem/hdfs/tokens/digest-md5.ts'
import type { Qop } from '../../../../src/filesystem/hdfs/tokens/security-layer.ts'

const digest = {
  username: 'chris',
  password: 'secret',
  digestUri: 'imap/elwood.innosoft.com',
  setting: 'hadoop.rpc.protection',
}
const answer = (challenge: string, more = {}) =>
  answerChallenge(Buffer.from(challenge), { ...digest, ...more }, 'OA6MHXh6VqTrRk')
const start = 'nonce="x",algorithm=md5-sess,'

test('the example of RFC 2831, section 4', () => {
  const { response, check } = answer(
    'realm="elwood.innosoft.com",nonce="OA6MG9tEQGm2hh",qop="auth",algorithm=md5-sess,charset=utf-8',
  )
  expect(response.toString()).toContain('response=d388dad90d4bbd760a152321f2143af7')
  expect(response.toString()).toContain('realm="elwood.innosoft.com"')
  check(Buffer.from('rspauth=ea40f60335c427b5527b84dbabcdfffd'))
  expect(() => check(Buffer.from('rspauth=ea40f60335c427b5527b84dbabcdfffe'))).toThrow(SaslError)
  expect(() => check(Buffer.alloc(0))).toThrow('it did not prove that it knows the token')
})

test.for([
  ['', /not one of DIGEST-MD5/],
  ['nonce="x"', /not one of DIGEST-MD5/],
  ['nonce="x",algorithm=md5', /not one of DIGEST-MD5/],
  [
    `${start}qop="auth-conf"`,
    /the protection auth-conf with the ciphers \(none\) \(hadoop\.rpc\.protection\); spoken here: auth, /,
  ],
  [`${start}qop="auth-conf",cipher="rc4,des"`, /auth-conf with the ciphers rc4,des \(hadoop/],
  [`${start}qop="auth-more"`, /the protection auth-more \(hadoop/],
  ['x'.repeat(10_000), /a challenge of 10000 bytes/],
] as const)('%j is refused', ([challenge, reason]) => {
  expect(() => answer(challenge)).toThrow(reason)
  expect(() => answer(challenge)).toThrow(SaslError)
})

test('without a word on protection there is no protection; the first of several realms is as good as any', () => {
  const { response } = answer('realm="a",realm="b",nonce="x",algorithm=md5-sess')
  expect(response.toString()).toMatch(/realm="a".*qop=auth$/)
})

test.for([
  ['auth-int', 'auth-int'],
  ['auth-conf,auth', 'auth-conf'],
  ['auth-more, auth, auth-conf', 'auth'],
] as const)('of %s the first one that is spoken is taken', ([qop, want]) => {
  const { response, qop: chosen, check } = answer(`${start}qop="${qop}",cipher="rc4,3des"`)
  expect(chosen).toBe(want)
  expect(response.toString()).toMatch(
    want === 'auth-conf' ? /,qop=auth-conf,cipher=3des$/ : new RegExp(`,qop=${want}$`),
  )
  expect(() => check(Buffer.from(`rspauth=${'0'.repeat(32)}`))).toThrow(SaslError)
})

test.for<readonly [string, string, readonly Qop[], Qop | undefined]>([
  ['auth', 'privacy', ['auth-conf'], undefined],
  ['auth,auth-int', 'privacy', ['auth-conf'], undefined],
  ['auth,auth-conf', 'privacy', ['auth-conf'], 'auth-conf'],
  ['auth,auth-int,auth-conf', 'privacy,integrity', ['auth-conf', 'auth-int'], 'auth-int'],
  ['auth', 'integrity', ['auth-int'], undefined],
  ['auth', 'authentication', ['auth'], 'auth'],
])('of %s, where %s is demanded', ([offered, value, qops, want]) => {
  const demand = { setting: 'hadoop.rpc.protection', value, qops }
  const choose = () => answer(`${start}qop="${offered}",cipher="3des"`, { demand }).qop
  if (want !== undefined) expect(choose()).toBe(want)
  else {
    const sentence = `it offers the protection ${offered}, and hadoop.rpc.protection is ${value} in namenode.hadoop-conf`
    expect(choose).toThrow(sentence)
    expect(choose).toThrow(SaslError)
  }
})

test('where nothing less than encryption will do, nothing less is taken', () => {
  expect(answer(`${start}qop="auth,auth-conf",cipher="3des"`, { isPrivate: true }).qop).toBe('auth-conf')
  expect(() => answer(`${start}qop="auth,auth-int"`, { isPrivate: true })).toThrow(
    'it wants the protection auth,auth-int (hadoop.rpc.protection); spoken here: auth-conf with 3des',
  )
})
