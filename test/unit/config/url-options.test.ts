import { describe, expect, test } from 'vitest'
import { findUrlProblem } from '../../../src/config/url-options.ts'

const problemOf = (url: string, isFree?: boolean) => findUrlProblem(new URL(url), isFree)

describe('findUrlProblem', () => {
  test.each([
    'kafka://broker',
    'kafka://broker/',
    'kafka://u:%25%40%c3%a4@localhost',
    'kafka://broker:9092?bootstrap=other:9092,[::1]:1,third',
    'kafka://u:p@broker?tls=true',
    'kafka://u:p@broker?tls=true&sasl=scram-sha-512&bootstrap=other:1',
    'kafka://u:p@broker?tls=false',
    'kafka://u:p@broker?sasl=SCRAM-SHA-256&tls=false',
    'kafka://u:p@127.0.0.1:9092?sasl=plain',
    'kafka://u:p@localhost?bootstrap=127.0.0.1:2,[::1]:3',
    'amqp://broker',
    'amqp://u:p@[::1]',
    'amqp://u:p@broker?tls=false',
    'amqp://u@broker',
    'amqps://u:p@broker',
    'amqps://u:p@broker?tls=true',
    'hdfs://nn:8020',
    'http://nn:9870',
    // WebHDFS refuses any password in words of its own.
    'http://u:p@nn:9870',
    'file:///data',
    'file:///data/100%25/%C3%A4',
  ])('%s is well', url => expect(problemOf(url)).toBeUndefined())

  test.each([
    ['kafka://u:p@broker', /^tls=true, since a password .* or tls=false/],
    ['kafka://u:p@127.0.0.1?bootstrap=other:9092', /^tls=true, since/],
    ['kafka://u:p@localhost?bootstrap=localhost.example.org', /^tls=true, since/],
    ['amqp://u:p@broker', /^amqps:\/\/, since/],
    ['kafka://u:p@broker?tls=1', /tls as true, false, not "1"/],
    ['kafka://u:p@broker?tls=TRUE', /not "TRUE": did you mean true\?/],
    ['kafka://u:p@broker?tls=', /tls as true, false/],
    ['kafka://u:p@broker?tsl=true', /options tls, sasl, bootstrap alone .* not "tsl": did you mean tls\?/],
    ['kafka://u:p@broker?TLS=true', /not "TLS": did you mean tls\?/],
    ['kafka://u:p@broker?ssl=true', /not "ssl"/],
    ['kafka://u:p@broker?tls=true&tls=false', /the option tls once/],
    ['kafka://broker?sasl=plain', /a user with the option sasl/],
    ['kafka://u:p@broker?tls=true&sasl=gssapi', /sasl as plain, .*not "gssapi"/],
    ['kafka://u:p@broker?tls=true&sasl=scram-sha256', /did you mean scram-sha-256\?/],
    ['kafka://:p@127.0.0.1', /a user before the password/],
    ['kafka://broker?bootstrap=a b', /bootstrap as host:port/],
    ['kafka://broker?__proto__=x', /not "__proto__"/],
    ['amqp://u:p@broker?tls=true', /tls as false, not "true"/],
    ['amqps://broker?tls=false', /tls as true/],
    ['amqps://broker?verify=none', /the options tls alone in the URL, not "verify"/],
    ['hdfs://nn:8020?tls=true', /no options in the URL, not "tls"/],
    ['file:///data?x=1', /no options/],
    ['http://nn:9870?user.name=x', /the options tls alone .*not another/],
    ['amqp://u:12#34@broker', /%23/],
    ['amqp://u:12?34@broker', /%3F/],
    ['file:///data/100%', /a path .* %25/],
    ['kafka://broker/tls=true', /no path behind the host.*\?name=value/],
    ['amqps://u:p@broker/vhost', /no path behind the host/],
  ])('%s: %s', (url, want) => expect(problemOf(url)).toMatch(want))

  const schemes = ['kafka', 'amqp', 'amqps', 'http', 'https', 'hdfs']
  const undecodable = ['100%', '%zz', '%', 'a%ff', '%c3%28']
  test.each(schemes)('%s: a user or password that cannot be decoded', scheme => {
    for (const text of undecodable) {
      for (const login of [`${text}:p`, `u:${text}`, text]) {
        for (const isFree of [false, true]) {
          expect(problemOf(`${scheme}://${login}@localhost`, isFree)).toMatch(/^the user and the password .* %25/)
        }
      }
    }
  })

  test('repeats no part of a password', () => {
    for (const url of [
      'kafka://u:hunter2%@localhost',
      'amqp://u:12?hunter2@b',
      'amqp://u:12#hunter2@b',
      'kafka://u:hunter2@b',
      'kafka://b?a=b;hunter2',
    ]) {
      expect(problemOf(url)).toBeDefined()
      expect(problemOf(url)).not.toContain('hunter2')
    }
  })

  test('options of the server that is asked are its own; the password is not', () => {
    expect(problemOf('https://u:p@registry/types?key=1&key=2', true)).toBeUndefined()
    expect(problemOf('http://u:p@registry/types?tls=false', true)).toBeUndefined()
    expect(problemOf('http://u:p@registry/types?key=1', true)).toMatch(/^https/)
    expect(problemOf('http://u:p@registry/types?tls=no', true)).toMatch(/tls as false/)
  })
})
