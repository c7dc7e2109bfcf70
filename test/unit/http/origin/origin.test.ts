import { describe, expect, test } from 'vitest'
import { toOrigin, toServerAddress } from '../../../../src/http/origin/origin.ts'

const toCall = (headers: Readonly<Record<string, string>>, secure = false) => ({
  secure,
  header: (name: string) => headers[name],
})

describe('toServerAddress', () => {
  test.each([
    { headers: { host: 'files.example:8080' }, want: ['files.example', 8080, false] },
    { headers: { host: 'files.example' }, want: ['files.example', 80, false] },
    { headers: { host: '[::1]:8080' }, want: ['[::1]', 8080, false] },
    { headers: { host: "a'b" }, want: ['localhost', 80, false] },
    { headers: { host: 'files.example:80 80' }, want: ['localhost', 80, false] },
    { headers: {}, want: ['localhost', 80, false] },
    { headers: { host: 'files.example' }, secure: true, want: ['files.example', 443, true] },
    { headers: { host: 'files.example:8443' }, secure: true, want: ['files.example', 8443, true] },
    // What a proxy says that ends TLS.
    { headers: { host: 'files.example', 'x-forwarded-proto': 'https' }, want: ['files.example', 443, true] },
    { headers: { host: 'files.example', 'x-forwarded-proto': 'https, http' }, want: ['files.example', 443, true] },
    { headers: { host: 'files.example', 'x-forwarded-proto': 'http, https' }, want: ['files.example', 80, false] },
    { headers: { host: 'files.example', 'x-forwarded-proto': 'httpsx' }, want: ['files.example', 80, false] },
    // What browsers send by TLS, and to the machine that they run on.
    { headers: { host: 'files.example', 'sec-fetch-site': 'none' }, want: ['files.example', 443, true] },
    { headers: { host: 'localhost:8080', 'sec-fetch-site': 'none' }, want: ['localhost', 8080, false] },
    { headers: { host: '[::1]:8080', 'sec-fetch-site': 'none' }, want: ['[::1]', 8080, false] },
    { headers: { host: '127.0.0.1:8080', 'sec-fetch-site': 'none' }, want: ['127.0.0.1', 8080, false] },
  ])('$headers, $secure', ({ headers, secure, want }) => {
    const { host, port, secure: isSecure } = toServerAddress(toCall(headers, secure))
    expect([host, port, isSecure]).toEqual(want)
  })
})

test('toOrigin takes the host as it is, and none that has other characters', () => {
  expect(toOrigin(toCall({ host: 'files.example:8080' }))).toBe('http://files.example:8080')
  expect(toOrigin(toCall({ host: '[::1]' }, true))).toBe('https://[::1]')
  expect(toOrigin(toCall({ host: '"><script>' }))).toBe('http://localhost')
})
