import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createQuery } from '../../../../../src/contract/query.ts'
import { toBrowseLink, toDataLink, toOwnTarget } from '../../../../../src/gateway/pages/elements/links.ts'
import { createWorld, hostileNames } from '../world.ts'

describe('toBrowseLink', () => {
  test('leaves slashes readable, and what is not there out', () => {
    expect(toBrowseLink('/events/a b', { range: '0-99', at: undefined, recursive: false, filter: '' })).toBe(
      '/rest/1.0/hdfs?path=/events/a%20b&range=0-99',
    )
  })

  test.each(hostileNames)('carries the name %j', name => {
    const link = toBrowseLink(`/${name}`, { name })
    expect(createQuery(link).find('path')).toBe(`/${name}`)
    expect(createQuery(link).find('name')).toBe(name)
  })

  test('carries every name, in characters that no attribute minds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), name => {
        const link = toDataLink('binary', `/${name}`, { pretty: true })
        expect(link).toMatch(/^[\w/.?=&%!~*'()-]*$/)
        expect(createQuery(link).find('path')).toBe(`/${name.toWellFormed()}`)
      }),
    )
  })
})

describe('toOwnTarget', () => {
  test.each([
    { given: '/rest/1.0/hdfs?path=/a%20b', want: '/rest/1.0/hdfs?path=/a%20b' },
    { given: '/', want: '/' },
    { given: undefined, want: '/' },
    { given: '', want: '/' },
    { given: '//evil.example', want: '/' },
    { given: '/\\evil.example', want: '/' },
    { given: 'https://evil.example', want: '/' },
    { given: 'javascript:alert(1)', want: '/' },
    { given: '/a\r\nset-cookie: x=y', want: '/' },
    { given: '/\t/evil.example', want: '/' },
  ])('takes $given for $want', ({ given, want }) => expect(toOwnTarget(given)).toBe(want))

  test('never leads to another host', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        expect(new URL(toOwnTarget(`/${text}`), 'http://here.test').host).toBe('here.test')
      }),
    )
  })
})

test('CSV of the pages guards formulas', async () => {
  const { page } = await createWorld({ files: { '/d/a.txt': 'a\tb\n' } })
  for (const query of ['path=/d', 'path=/d/a.txt', 'path=/d&recursive=true']) {
    expect(await page(`/rest/1.0/hdfs?${query}`)).toMatch(/href="\/rest\/1\.0\/text\?[^"]*&amp;safe=true"/)
  }
})
