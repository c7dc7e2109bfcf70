import { describe, expect, test, vi } from 'vitest'
import { createFilters, maxPatternLength, maxPatterns } from '../../../src/collector/filters.ts'
import { createTestCollector, get, outcomeOf, post, storedEvents, whole } from './fakes.ts'

const none = { host: [], ip: [], useragent: [], path: [], 'event-type': [] }

describe('filters', () => {
  const referer = 'http://bad.example.com/admin/x?y'
  test.each([
    [{ ...none, host: ['bad\\.'] }, true],
    [{ ...none, host: ['good'] }, false],
    [{ ...none, path: ['^/admin'] }, true],
    [{ ...none, useragent: ['[Bb]ot'] }, true],
    [{ ...none, ip: ['^1\\.2\\.'] }, true],
    [{ ...none, ip: ['^127'] }, false],
    [{ ...none, 'event-type': ['^A$'] }, true],
    [{ ...none, 'event-type': ['B', 'C'] }, false],
    [{ ...none, 'event-type': ['only ^A$'] }, false],
    [{ ...none, 'event-type': ['only B'] }, true],
    [{ ...none, 'event-type': ['only B', 'only ^A$', 'only C'] }, false],
    [{ ...none, 'event-type': ['only ^A$', '^A'] }, true],
    [{ ...none, 'event-type': ['B', 'only ^A$'] }, false],
    [{ ...none, ip: ['only ^1\\.2\\.'] }, false],
    [{ ...none, ip: ['only ^10\\.'] }, true],
    [none, false],
  ])('%j', async (filters, isFiltered) => {
    const { collector, spool } = createTestCollector({ filters })
    const headers = { referer, 'user-agent': 'a robot', 'x-forwarded-for': '1.2.3.4' }
    const response = await get(collector, '/1?v=A,sx', { headers })
    expect([response.status, await response.text()]).toEqual([202, ''])
    expect(storedEvents(spool)).toHaveLength(isFiltered ? 0 : 1)
    const { GET_API } = collector.counters
    expect([GET_API.received, GET_API.filtered, GET_API.accepted]).toEqual(isFiltered ? [1, 1, 0] : [1, 0, 1])
  })
  test('an absent header never matches', async () => {
    const { collector, spool } = createTestCollector({
      filters: { ...none, host: ['.*'], useragent: ['^$'], path: ['only ^/x'] },
    })
    await get(collector, '/1?v=A')
    expect(storedEvents(spool)).toHaveLength(1)
  })
  test('by event type the others of a request are kept, and the client does not notice', async () => {
    const { collector, spool } = createTestCollector({ filters: { ...none, 'event-type': ['Secret'] } })
    const names = ['A', 'MySecret', 'B']
    const body = `[${names.map(name => `{"eventName":"${name}","payload":{}}`).join(',')}]`
    const response = await post(collector, body)
    expect([response.status, await outcomeOf(response)]).toEqual([202, whole(3)])
    expect(spool.batches[0]?.events.map(({ index, name }) => [index, name])).toEqual([
      [0, 'A'],
      [2, 'B'],
    ])
  })
  test('patterns come and go at run time', async () => {
    const { collector, spool } = createTestCollector()
    const filter = collector.filters['event-type']
    filter.addPattern('^A')
    filter.addPattern('^A')
    expect(filter.list()).toEqual(['^A'])
    await get(collector, '/1?v=A')
    expect([filter.removePattern('^A'), filter.removePattern('^A'), filter.list()]).toEqual([true, false, []])
    await get(collector, '/1?v=A')
    expect(storedEvents(spool)).toHaveLength(1)
  })
  test.each([
    ['(', /missing closing/],
    ['', /1 to 512/],
    ['a'.repeat(maxPatternLength + 1), /1 to 512/],
    ['only ', /1 to 512/],
    [`only ${'a'.repeat(maxPatternLength + 1)}`, /1 to 512/],
    ['only (', /missing closing/],
    ['a(?=b)', /lookahead/],
    ['(?<!a)b', /lookbehind/],
    ['(a)\\1', /back references/],
    ['a++', /possessive/],
    ['[a-z&&[^b]]', /&& within brackets/],
    ['(a{1,30}){1,30}$', /1862 steps/],
  ])('pattern %s is refused, and the list stays', (pattern, reason) => {
    const { host } = createFilters(none)
    expect(() => host.addPattern(pattern)).toThrow(expect.objectContaining({ code: 'bad-parameter' }))
    expect(() => host.addPattern(pattern)).toThrow(reason)
    expect(host.list()).toEqual([])
  })
  test.each([
    ['^(foo|bar)+$', 'foobarfoo', 'foobarba'],
    ['(?i)spider|crawl', 'aCrawler', 'a robot'],
    ['^(\\d{1,3}\\.){3}', '10.2.3.4', 'a.2.3.4'],
    ['\\u0041\\x42$', 'xAB', 'xCB'],
    ['\\\\u0041', 'a\\u0041', 'A'],
    ['\\Qa.b\\E', 'xa.b', 'axb'],
    ['[&]&', '&&', '&'],
    ['(?<year>\\d+)/', '2009/', '/2009'],
    ['\\p{Lu}\\/', 'Ä/', 'ä/'],
  ])('pattern %s is found in %s and not in %s', (pattern, found, other) => {
    const { host } = createFilters({ ...none, host: [pattern] })
    expect([host.list(), host.matches(found), host.matches(other)]).toEqual([[pattern], true, false])
  })
  test.each(['((a+))+$', '^(a|a)*$', '(a+)+$', '^(\\d*x)*$', '([a-z]+){2,}$', '(a{1,20}){1,20}$'])(
    'pattern %s, on which engines that go back never end, is searched for in linear time',
    pattern => {
      const { useragent } = createFilters({ ...none, useragent: [pattern] })
      expect(useragent.matches(`${'a'.repeat(1_000)}!`)).toBe(false)
    },
  )
  test('what the patterns of a set may cost together is limited, and a removed one counts no more', () => {
    const { host } = createFilters(none)
    const large = (i: number): string => `${i}a{980}`
    for (let i = 10; i < 20; i++) host.addPattern(large(i))
    for (const _ of [1, 2]) {
      expect(() => host.addPattern(large(20))).toThrow(/more than 10000 steps/)
      host.addPattern(large(10))
    }
    host.removePattern(large(10))
    host.removePattern(large(10))
    host.addPattern(large(20))
    expect(() => host.addPattern(large(21))).toThrow(/more than 10000 steps/)
  })
  test('the number of patterns is limited', () => {
    const { host } = createFilters(none)
    for (let i = 0; i < maxPatterns; i++) host.addPattern(`p${i}`)
    expect(() => host.addPattern('one more')).toThrow(/at most 256/)
    expect(() => host.addPattern('p0')).not.toThrow()
  })
  test('long texts are searched at their beginning only', () => {
    const { useragent } = createFilters({ ...none, useragent: ['needle'] })
    expect(useragent.matches(`needle${'x'.repeat(5000)}`)).toBe(true)
    expect(useragent.matches(`${'x'.repeat(5000)}needle`)).toBe(false)
  })

  test('tell of each change', () => {
    const onChange = vi.fn()
    const { host, path } = createFilters(none, onChange)
    host.addPattern('a')
    expect(onChange).toHaveBeenCalledTimes(1)
    host.removePattern('a')
    expect(onChange).toHaveBeenCalledTimes(2)
    const hold = path.prepare(['b'])
    expect(onChange).toHaveBeenCalledTimes(2)
    hold()
    expect(onChange).toHaveBeenCalledTimes(3)
    expect(() => host.addPattern('(')).toThrow()
    expect(onChange).toHaveBeenCalledTimes(3)
  })
})
