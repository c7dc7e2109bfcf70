import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createQueryLookup, findInQuery } from '../../../src/contract/query.ts'

test.each([
  { url: '/1?v=a', name: 'v', want: 'a' },
  { url: '/1', name: 'v', want: undefined },
  { url: '/1?', name: 'v', want: undefined },
  { url: '/1?v', name: 'v', want: '' },
  { url: '/1?v=', name: 'v', want: '' },
  { url: '/1?V=a', name: 'v', want: undefined },
  { url: '/1?vv=a&v=b', name: 'v', want: 'b' },
  { url: '/1?v=a&v=b', name: 'v', want: 'a' },
  { url: '/1?x=v=a&v=b=c', name: 'v', want: 'b=c' },
  { url: '/1?v=a;gr=b', name: 'gr', want: undefined },
  { url: '/1?v=a+b%20c%2Bd', name: 'v', want: 'a b c+d' },
  { url: '/1?v=%252C', name: 'v', want: '%2C' },
  { url: '/1?v=%C3%A9', name: 'v', want: 'é' },
  { url: '/1?v=s%FF', name: 'v', want: 's\uFFFD' },
  { url: '/1?v=%b%', name: 'v', want: '%b%' },
  { url: '/1?%76=a', name: 'v', want: 'a' },
  { url: '/1?v=a#v=b', name: 'v', want: 'a' },
  { url: '/1#?v=b', name: 'x', want: undefined },
  { url: '/1?&&v=a&', name: 'v', want: 'a' },
  { url: '/1?__proto__=a', name: 'constructor', want: undefined },
])('createQueryLookup finds $name in $url', ({ url, name, want }) => {
  expect(createQueryLookup(url)(name)).toBe(want)
})

test('findInQuery gives all values, decoded, in their order', () => {
  expect(findInQuery('/1?c=b%2C&x=1&%63=a+&c#c=z', 'c')).toEqual(['b,', 'a ', ''])
  expect(findInQuery('/1', 'c')).toEqual([])
})

test('createQueryLookup agrees with URLSearchParams', () => {
  const piece = fc.oneof(fc.constantFrom('v', 'w', '=', '&', '+', '%', '%41', '%C3%A9', '%FF', ';', '?'), fc.string())
  fc.assert(
    fc.property(fc.array(piece), pieces => {
      const query = pieces
        .join('')
        .replaceAll('#', '')
        .replaceAll(/[\uD800-\uDFFF]/g, '')
      const want = new URLSearchParams(`&${query}`)
      const lookup = createQueryLookup(`/1?${query}`)
      for (const name of ['v', 'w', 'A', ...want.keys()].filter(key => key !== ''))
        expect(lookup(name) ?? null).toBe(want.get(name))
    }),
  )
})
