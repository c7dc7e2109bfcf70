import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createQuery } from '../../../src/contract/query.ts'

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
  { url: '/1?v=a#&v=b', name: 'v', want: 'a' },
  { url: '/1#?v=b', name: 'x', want: undefined },
  { url: '/1?&&v=a&', name: 'v', want: 'a' },
  { url: '/1?__proto__=a', name: 'constructor', want: undefined },
  { url: '/1?a=b?&v=c?d', name: 'v', want: 'c?d' },
])('a query has $name in $url', ({ url, name, want }) => {
  expect(createQuery(url).find(name)).toBe(want)
})

test('findAll gives all values, decoded, in their order', () => {
  expect(createQuery('/1?c=b%2C&x=1&%63=a+&c#c=z').findAll('c')).toEqual(['b,', 'a ', ''])
  expect(createQuery('/1').findAll('c')).toEqual([])
})

test('in any case, names are found in lower case, however they were sent', () => {
  const url = '/1?x=1&V=a&%56=b&v=c'
  expect(createQuery(url, 'any-case').find('v')).toBe('a')
  expect(createQuery(url, 'any-case').findAll('v')).toEqual(['a', 'b', 'c'])
  expect(createQuery(url).findAll('v')).toEqual(['c'])
  expect(createQuery(url).findAll('V')).toEqual(['a', 'b'])
})

test('list gives all parameters with what was sent', () => {
  expect(createQuery('/1?A=b%2C+c?&x#y=1', 'any-case').list()).toEqual([
    { name: 'a', value: 'b, c?', text: 'A=b%2C+c?' },
    { name: 'x', value: '', text: 'x' },
  ])
  expect(
    createQuery('/1?x&')
      .list()
      .map(({ text }) => text),
  ).toEqual(['x', ''])
  expect(createQuery('/1').list()).toEqual([])
})

test('createQuery agrees with URLSearchParams', () => {
  const piece = fc.oneof(fc.constantFrom('v', 'w', '=', '&', '+', '%', '%41', '%C3%A9', '%FF', ';', '?'), fc.string())
  fc.assert(
    fc.property(fc.array(piece), pieces => {
      const query = pieces
        .join('')
        .replaceAll('#', '')
        .replaceAll(/[\uD800-\uDFFF]/g, '')
      const want = new URLSearchParams(`&${query}`)
      const { find } = createQuery(`/1?${query}`)
      for (const name of ['v', 'w', 'A', ...want.keys()].filter(key => key !== ''))
        expect(find(name) ?? null).toBe(want.get(name))
    }),
  )
})
