import { describe, expect, test } from 'vitest'
import { SluiceError } from '../../../../src/errors.ts'
import {
  checkSource,
  isAllowedHost,
  isLoopbackHost,
  type SourceRules,
  toAllowedHosts,
} from '../../../../src/http/origin/hosts.ts'

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['LOCALHOST', true],
  ['0.0.0.0', false],
  ['::', false],
  ['127.0.0.1.example', false],
  ['10.0.0.1', false],
])('isLoopbackHost %s %s', (host, want) => expect(isLoopbackHost(host)).toBe(want))

describe('S1: isAllowedHost', () => {
  const given: readonly (readonly [
    host: string | undefined,
    bound: string,
    configured: readonly string[],
    want: boolean,
  ])[] = [
    ['localhost:8080', '127.0.0.1', [], true],
    ['127.0.0.1', '127.0.0.1', [], true],
    ['[::1]:8080', '127.0.0.1', [], true],
    ['LocalHost.', '127.0.0.1', [], true],
    ['[::1.]', '127.0.0.1', [], false],
    ['[127.0.0.1]', '127.0.0.1', [], false],
    ['[::ffff:127.0.0.1]', '::ffff:127.0.0.1', [], true],
    ['sluice.example', 'sluice.example', [], true],
    ['evil.example', '127.0.0.1', [], false],
    ['evil.example', '0.0.0.0', [], false],
    ['10.0.0.5:80', '0.0.0.0', [], true],
    ['[fe80::1]', '::', [], true],
    ['10.0.0.5', '127.0.0.1', [], false],
    ['a.example', '0.0.0.0', ['A.example'], true],
    ['10.0.0.5', '0.0.0.0', ['a.example'], false],
    ['anything.example', '127.0.0.1', ['*'], true],
    [undefined, '127.0.0.1', ['*'], false],
    ['', '127.0.0.1', [], false],
    ['localhost:8080@evil', '127.0.0.1', [], false],
    ['localhost:', '127.0.0.1', [], false],
    ['<address>', '0.0.0.0', [], false],
  ]
  test.each(given)('%s on %s with %j is %s', (host, bound, configured, want) => {
    expect(isAllowedHost(host, toAllowedHosts(configured, bound))).toBe(want)
  })
})

describe('S1: checkSource', () => {
  const rules: SourceRules = {
    allowedHosts: toAllowedHosts([], '127.0.0.1'),
    allowedOrigins: ['https://console.example'],
    secure: false,
  }
  const own = { host: 'localhost:8080' }
  const given: readonly (readonly [name: string, method: string, headers: Record<string, string>, ok: boolean])[] = [
    ['a client that is no browser', 'POST', own, true],
    ['the own page', 'POST', { ...own, origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' }, true],
    ['the own page behind TLS', 'POST', { ...own, origin: 'https://localhost:8080' }, true],
    ['a typed address', 'GET', { ...own, 'sec-fetch-site': 'none' }, true],
    [
      'a link on another page',
      'GET',
      { ...own, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      true,
    ],
    [
      'a console elsewhere',
      'POST',
      { ...own, origin: 'https://console.example', 'sec-fetch-site': 'cross-site' },
      true,
    ],
    ['a rebound name', 'GET', { host: 'evil.example' }, false],
    ['another page', 'POST', { ...own, origin: 'http://evil.example' }, false],
    ['another port', 'POST', { ...own, origin: 'http://localhost:9999' }, false],
    ['a file or a sandbox', 'POST', { ...own, origin: 'null' }, false],
    [
      'an old form without Origin',
      'POST',
      { ...own, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      false,
    ],
    ['a neighbour site', 'POST', { ...own, 'sec-fetch-site': 'same-site' }, false],
    [
      'a frame',
      'GET',
      { ...own, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
      false,
    ],
    [
      'an image',
      'GET',
      { ...own, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
      false,
    ],
  ]
  test.each(given)('%s', (_, method, headers, ok) => {
    const check = (): void => checkSource({ method, header: name => headers[name] }, rules)
    if (ok) expect(check()).toBeUndefined()
    else expect(check).toThrow(expect.objectContaining({ code: 'forbidden-host' }))
  })

  test('under TLS only https pages are its own', () => {
    const header = (name: string): string | undefined => ({ ...own, origin: 'http://localhost:8080' })[name]
    expect(() => checkSource({ method: 'POST', header }, { ...rules, secure: true })).toThrow(SluiceError)
  })

  test.each([
    ['names the setting where there is one', rules, /names another site; see the setting admin\.allowed-origins$/],
    ['names none where no origin can be allowed', { allowedHosts: ['*'], secure: false }, /names another site$/],
  ])('a refused Origin %s', (_, given, message) => {
    const header = (name: string): string | undefined => ({ ...own, origin: 'http://evil.example' })[name]
    expect(() => checkSource({ method: 'POST', header }, given)).toThrow(message)
  })
})
