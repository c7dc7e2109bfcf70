import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPathLookup, isPathOf, toRoutes } from '../../../src/contract/path-template.ts'
import { createTestApp, type Seen } from './fixture.ts'

const path = '/webhdfs/v1/{path}'

/** The path that the handler of `webHdfsGet` gets from a request, or the status of a refusal. */
const ask = async (sent: string) => {
  const seen: Seen = {}
  const response = await createTestApp({ seen }).request(`${sent}?op=liststatus`)
  const params = seen.call?.params
  return typeof params === 'object' && params !== null && 'path' in params ? params.path : response.status
}

test('a path without a parameter is itself, with and without a slash behind', () => {
  expect(toRoutes('/rest/1.0')).toEqual(['/rest/1.0', '/rest/1.0/'])
  expect(['/rest/1.0', '/rest/1.0/', '/rest/1.0/x', '/rest/1'].map(one => isPathOf('/rest/1.0', one))).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(createPathLookup('/rest/1.0')('/rest/1.0')('path')).toBeUndefined()
})

describe('a parameter at the end', () => {
  test.each([
    ['/webhdfs/v1', '/'],
    ['/webhdfs/v1/', '/'],
    ['/webhdfs/v1/a/b', '/a/b'],
    ['/webhdfs/v1/a/b/', '/a/b/'],
    // As generated clients send it.
    ['/webhdfs/v1/a%2Fb', '/a/b'],
    ['/webhdfs/v1/a+b%20c%2541;x=1', '/a+b c%41;x=1'],
    ['/webhdfs/v1/%C3%BC', '/ü'],
  ])('%s is %s', async (sent, want) => {
    expect(await ask(sent)).toBe(want)
  })

  test.each([
    ['/webhdfs/v1x', 404],
    ['/webhdfs', 404],
    ['/webhdfs/v1/%ff', 400],
    ['/webhdfs/v1/100%', 400],
    ['/%77ebhdfs/v1/a', 400],
  ])('%s is none: %i', async (sent, status) => {
    expect(await ask(sent)).toBe(status)
  })

  test('every path comes as it was escaped, whatever is in it', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), names => {
        const escaped = names.map(name => encodeURIComponent(name.toWellFormed())).join('/')
        const want = `/${names.map(name => name.toWellFormed()).join('/')}`
        expect(createPathLookup(path)(`/webhdfs/v1/${escaped}?op=OPEN#x`)('path')).toBe(want)
      }),
    )
  })
})
