import { describe, expect, test } from 'vitest'
import { createAllowOrigin, toAllowedOrigins } from '../../../src/collector/allowed-origin.ts'
import { createFixedResponse, FixedResponse } from '../../../src/http/answers/fixed-response.ts'

const shop = 'https://shop.example'
const other = 'https://other.example'

const seen = {
  credentials: (origin: string) => ({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    vary: 'Origin',
  }),
  open: { 'access-control-allow-origin': '*', 'access-control-allow-credentials': null, vary: 'Origin' },
  closed: { 'access-control-allow-origin': null, 'access-control-allow-credentials': null, vary: 'Origin' },
  asEver: { 'access-control-allow-origin': '*', 'access-control-allow-credentials': null, vary: null },
}

const answers: Readonly<Record<string, () => Response>> = {
  'an answer that is made once': () =>
    createFixedResponse(202, { 'access-control-allow-origin': '*', 'x-a': '1' }, '{}'),
  'any other': () => new Response('{}', { status: 202, headers: { 'access-control-allow-origin': '*', 'x-a': '1' } }),
}

describe.each(Object.entries(answers))('%s', (_, make) => {
  test.each([
    ['no setting', [], shop, seen.asEver],
    ['a named origin', [shop], shop, seen.credentials(shop)],
    ['one of several', [other, shop], shop, seen.credentials(shop)],
    ['another origin', [shop], other, seen.closed],
    ['another port', [shop], `${shop}:8443`, seen.closed],
    ['another scheme', [shop], 'http://shop.example', seen.closed],
    ['an origin that begins so', [shop], `${shop}.evil.example`, seen.closed],
    ['no page', [shop], undefined, seen.closed],
    ['a page of a file', [shop], 'null', seen.closed],
    ['any origin', ['*'], other, seen.open],
    ['any origin, and no page', ['*'], undefined, seen.open],
    ['any origin beside named ones', ['*', shop], other, seen.open],
    ['a named one beside any', ['*', shop], shop, seen.credentials(shop)],
  ])('%s', async (_, origins, origin, want) => {
    const allowed = toAllowedOrigins(origins)
    const allow = createAllowOrigin(() => ({ allowedOrigins: allowed }))
    const answer = allow(make(), { header: name => (name === 'origin' ? origin : undefined) })
    const { status, headers } = answer
    expect(Object.fromEntries(Object.keys(want).map(name => [name, headers.get(name)]))).toEqual(want)
    expect([status, headers.get('x-a')]).toEqual([202, '1'])
    const read = answer instanceof FixedResponse ? answer.toResponse() : answer
    expect(await read.text()).toBe('{}')
  })
})

describe('createAllowOrigin', () => {
  const asks = (origin: string) => ({ header: (name: string) => (name === 'origin' ? origin : undefined) })

  test('keeps an answer that is made once for each origin, and one for all that are not named', () => {
    const allowed = toAllowedOrigins([shop, other])
    const allow = createAllowOrigin(() => ({ allowedOrigins: allowed }))
    const fixed = createFixedResponse(202)
    const made = [shop, other, 'https://a.example', 'https://b.example'].map(origin => allow(fixed, asks(origin)))
    expect(new Set(made).size).toBe(3)
    expect(allow(fixed, asks(shop))).toBe(made[0])
    expect(made.every(one => one instanceof FixedResponse)).toBe(true)
    expect(fixed.headers.get('vary')).toBeNull()
  })

  test('keeps none of a setting that was changed', () => {
    let allowed = toAllowedOrigins([shop])
    const allow = createAllowOrigin(() => ({ allowedOrigins: allowed }))
    const fixed = createFixedResponse(202, { 'access-control-allow-origin': '*' })
    const origin = (): string | null => allow(fixed, asks(shop)).headers.get('access-control-allow-origin')
    expect(origin()).toBe(shop)
    allowed = toAllowedOrigins([other])
    expect(origin()).toBeNull()
    allowed = toAllowedOrigins(['*'])
    expect(origin()).toBe('*')
    allowed = toAllowedOrigins([])
    expect(origin()).toBe('*')
  })

  test('a preflight of a page that may not send allows nothing; of one that may, what it did', () => {
    const allow = createAllowOrigin(() => ({ allowedOrigins: toAllowedOrigins([shop]) }))
    const preflight = () =>
      new Response(null, {
        status: 204,
        headers: {
          allow: 'POST',
          vary: 'accept',
          'access-control-allow-methods': 'POST',
          'access-control-max-age': '9',
        },
      })
    expect([...allow(preflight(), asks(other)).headers]).toEqual([
      ['allow', 'POST'],
      ['vary', 'accept, Origin'],
    ])
    expect(allow(preflight(), asks(shop)).headers.get('access-control-allow-methods')).toBe('POST')
  })

  test('leaves a network error alone', () => {
    const allow = createAllowOrigin(() => ({ allowedOrigins: toAllowedOrigins([shop]) }))
    const error = Response.error()
    expect(allow(error, asks(shop))).toBe(error)
  })
})
