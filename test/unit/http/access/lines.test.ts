import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Access } from '../../../../src/http/access/access.ts'
import { toCombinedLine, toJsonLine } from '../../../../src/http/access/lines.ts'

const access: Access = {
  listener: 'server',
  peer: '127.0.0.1',
  forwardedFor: undefined,
  user: 'shop',
  at: Date.UTC(2026, 10, 2, 8, 5, 9, 120),
  durationMs: 1.23456,
  method: 'POST',
  target: '/rest/1.0/event?name=A',
  httpVersion: '1.1',
  status: 202,
  bytes: 39,
  referer: 'http://shop.example/',
  userAgent: 'curl/8.5.0',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
}

const combined = (changes: Partial<Access>, address = '192.0.2.7') => toCombinedLine({ ...access, ...changes }, address)
const json = (changes: Partial<Access>): unknown => JSON.parse(toJsonLine({ ...access, ...changes }, '192.0.2.7'))

describe('the combined format', () => {
  test('has what Apache has, in its order', () => {
    expect(combined({})).toBe(
      '192.0.2.7 - shop [02/Nov/2026:08:05:09 +0000] "POST /rest/1.0/event?name=A HTTP/1.1" 202 39 "http://shop.example/" "curl/8.5.0"',
    )
  })

  test('has a dash for what is not there', () => {
    expect(combined({ user: undefined, bytes: 0, referer: undefined, userAgent: undefined }, '')).toBe(
      '- - - [02/Nov/2026:08:05:09 +0000] "POST /rest/1.0/event?name=A HTTP/1.1" 202 - "-" "-"',
    )
    expect(combined({ user: 'anonymous' })).toContain(' - - [')
  })

  test.each([
    ['a quote', 'a"b', 'a\\"b'],
    ['a backslash', 'a\\b', 'a\\\\b'],
    ['the end of a line', 'a\r\nb', 'a\\x0d\\x0ab'],
    ['an escape of terminals', '\x1b[31m', '\\x1b[31m'],
    ['bytes beyond ASCII', '\xc3\xa9', '\\xc3\\xa9'],
  ])('escapes %s', (_, userAgent, shown) => {
    expect(combined({ userAgent })).toContain(`"${shown}"`)
  })

  test('keeps the name of a caller one word', () => {
    expect(combined({ user: 'a b é' })).toContain(' - a\\x20b\\x20\\xe9 [')
    expect(combined({ user: 'a "ł' })).toContain(' - a\\x20\\"\\xc5\\x82 [')
  })

  test('whatever is sent, it is one line of nine parts', () => {
    const anything = fc.string({ unit: 'binary' })
    const line = /^\S+ - \S+ \[[^\]]+\] "(?:[^"\\]|\\.)*" \d{3} (?:\d+|-) "(?:[^"\\]|\\.)*" "(?:[^"\\]|\\.)*"$/
    fc.assert(
      fc.property(anything, anything, anything, anything, anything, (user, target, referer, userAgent, address) => {
        const made = combined({ user, target, referer, userAgent }, address)
        expect(made).toMatch(line)
        expect(made).toMatch(/^[ -~]*$/)
      }),
    )
  })
})

describe('JSON', () => {
  test('has what is known', () => {
    expect(json({})).toEqual({
      time: '2026-11-02T08:05:09.120Z',
      listener: 'server',
      address: '192.0.2.7',
      user: 'shop',
      method: 'POST',
      target: '/rest/1.0/event?name=A',
      httpVersion: '1.1',
      status: 202,
      bytes: 39,
      durationMs: 1.235,
      referer: 'http://shop.example/',
      userAgent: 'curl/8.5.0',
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    })
    const bare = json({ user: undefined, referer: undefined, userAgent: undefined, traceparent: 'nonsense' })
    expect(Object.keys(bare as object)).not.toEqual(expect.arrayContaining(['user', 'referer', 'userAgent', 'traceId']))
  })
})

test.each([toCombinedLine, toJsonLine])('no token gets into a line by %o', toLine => {
  const target = '/webhdfs/v1/a?op=OPEN&delegation=c2VjcmV0'
  const line = toLine({ ...access, target, referer: `http://h${target}` }, '192.0.2.7')
  expect(line).toContain('delegation=(hidden)')
  expect(line).not.toContain('c2VjcmV0')
})
