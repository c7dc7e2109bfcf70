import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BeanError } from '../../../src/beans/bean-error.ts'
import {
  createObjectName,
  matchesName,
  maxNameLength,
  parseObjectName,
  quoteValue,
} from '../../../src/beans/object-name.ts'
import { unquote } from '../../suites/unquote.ts'

describe('parseObjectName', () => {
  test.each([
    { given: 'a:b=c', want: 'a:b=c' },
    { given: 'a.b:type=T,name=n', want: 'a.b:name=n,type=T' },
    { given: 'd:name=RTQueueStats,Type=X', want: 'd:Type=X,name=RTQueueStats' },
    { given: 'd:k="a,b=c:d"', want: 'd:k="a,b=c:d"' },
    { given: 'd:k="q\\"u\\\\o\\*t\\?e\\n"', want: 'd:k="q\\"u\\\\o\\*t\\?e\\n"' },
    { given: 'd:k= spaces stay ', want: 'd:k= spaces stay ' },
    { given: ':k=v', want: ':k=v' },
  ])('$given is the name $want', ({ given, want }) => {
    const { canonical, isPattern } = parseObjectName(given)
    expect([canonical, isPattern]).toEqual([want, false])
  })

  test.each([
    { given: '*:*', want: '*:*' },
    { given: 'd:*,k=v', want: 'd:k=v,*' },
    { given: 'd:k=v*', want: 'd:k=v*' },
    { given: 'd:k="a?"', want: 'd:k="a?"' },
    { given: 'd?:k=v', want: 'd?:k=v' },
  ])('$given is the pattern $want', ({ given, want }) => {
    const { canonical, isPattern } = parseObjectName(given)
    expect([canonical, isPattern]).toEqual([want, true])
  })

  test.each([
    '',
    'a',
    'a:',
    'a:b',
    'a:b=',
    'a:=c',
    'a:b=c,',
    'a:,b=c',
    'a:b=c,b=d',
    'a:*,*',
    'a:b=c=d',
    'a:b=c:d',
    'a:b*=c',
    'a:b="c',
    'a:b="c"d',
    'a:b="\\x"',
    'a:b=c"',
    'a\nb:c=d',
    'a:b=c\n',
    `a:b=${'x'.repeat(maxNameLength)}`,
    `a:${Array.from({ length: 40 }, (_, i) => `k${i}=v`).join(',')}`,
  ])('%j is refused', given => {
    expect(() => parseObjectName(given)).toThrow(expect.objectContaining({ code: 'bad-name' }))
  })

  test('any text is a name, or refused as one', () => {
    const text = fc
      .array(fc.constantFrom('a', ':', ',', '=', '*', '?', '"', '\\', '\n', ' ', 'k=v'))
      .map(all => all.join(''))
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), given => {
        try {
          const name = parseObjectName(given)
          expect(parseObjectName(name.canonical)).toEqual(name)
          expect(matchesName(name, name)).toBe(true)
        } catch (error) {
          if (!(error instanceof BeanError)) throw error
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('createObjectName', () => {
  test('a name can contain any value, and returns it', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 100 }).filter(value => !value.includes('\r')),
        value => {
          const name = createObjectName('d', { name: 'Stats', Type: value })
          expect(name.isPattern).toBe(false)
          expect(unquote(name.properties.get('Type') ?? '')).toBe(value)
        },
      ),
    )
  })
  test.each([
    { given: 'plain.value-1 /x', want: 'd:k=plain.value-1 /x' },
    { given: 'a,b', want: 'd:k="a,b"' },
    { given: 'a*', want: 'd:k="a\\*"' },
    { given: '', want: 'd:k=""' },
  ])('quotes $given where needed', ({ given, want }) => {
    expect(createObjectName('d', { k: given }).canonical).toBe(want)
  })
})

describe('matchesName', () => {
  const name = 'sluice.metrics.collector:name=RTQueueStats,Type="a,b"'
  test.each([
    { pattern: '*:*', want: true },
    { pattern: name, want: true },
    { pattern: 'sluice.*:name=RTQueueStats,*', want: true },
    { pattern: 'sluice.*:name=RTQueueStats', want: false },
    { pattern: '*:Type=*,name=RT*', want: true },
    { pattern: '*:Type="a,?",*', want: true },
    { pattern: '*:Type="a\\*",*', want: false },
    { pattern: 'sluice.metric?.collector:*', want: true },
    { pattern: 'sluice:*', want: false },
    { pattern: '*:other=*,*', want: false },
  ])('$pattern: $want', ({ pattern, want }) => {
    expect(matchesName(parseObjectName(pattern), parseObjectName(name))).toBe(want)
  })

  test('a quoted star matches itself only', () => {
    const star = createObjectName('d', { k: 'a*' })
    expect(matchesName(parseObjectName(`d:k=${quoteValue('a*')},*`), star)).toBe(true)
    expect(matchesName(parseObjectName(`d:k=${quoteValue('a*')},*`), createObjectName('d', { k: 'ab' }))).toBe(false)
  })

  test('many stars take no longer than the lengths say', () => {
    const pattern = parseObjectName(`d:k=${'*a'.repeat(900)}b`)
    expect(matchesName(pattern, parseObjectName(`d:k=${'a'.repeat(2_000)}`))).toBe(false)
  })
})
