import { expect, test } from 'vitest'
import { answerChallenge, SaslError } from '../../../../src/filesystem/hdfs/tokens/digest-md5.ts'

const digest = { username: 'chris', password: 'secret', digestUri: 'imap/elwood.innosoft.com' }
const answer = (challenge: string) =>
  answerChallenge(Buffer.from(challenge), digest, 'hadoop.rpc.protection', 'OA6MHXh6VqTrRk')

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
  ['nonce="x",algorithm=md5-sess,qop="auth-conf"', /the protection auth-conf \(hadoop\.rpc\.protection\)/],
  ['nonce="x",algorithm=md5-sess,qop="auth-int,auth-conf"', /auth-int,auth-conf/],
  ['x'.repeat(10_000), /a challenge of 10000 bytes/],
] as const)('%j is refused', ([challenge, reason]) => {
  expect(() => answer(challenge)).toThrow(reason)
  expect(() => answer(challenge)).toThrow(SaslError)
})

test('without a word on protection there is none; the first of several realms is as good as any', () => {
  const { response } = answer('realm="a",realm="b",nonce="x",algorithm=md5-sess')
  expect(response.toString()).toMatch(/realm="a".*qop=auth$/)
})
