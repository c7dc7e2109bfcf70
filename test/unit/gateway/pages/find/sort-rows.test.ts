import { describe, expect, test } from 'vitest'
import { Decimal, Float32, Float64, type Value } from '../../../../../src/formats/number.ts'
import { sortRows } from '../../../../../src/gateway/pages/find/sort-rows.ts'
import { createWorld } from '../world.ts'

const sort = (values: readonly (Value | undefined)[], order: 'asc' | 'desc' = 'asc') =>
  sortRows(
    values.map(value => [value]),
    0,
    order,
  ).map(index => values[index])

describe('rows sorted by a column', () => {
  test.each<{ what: string; given: readonly (Value | undefined)[]; asc: readonly (Value | undefined)[] }>([
    { what: 'numbers by value', given: [10, 9, -1, 2.5], asc: [-1, 2.5, 9, 10] },
    {
      what: 'long integers by all their digits',
      given: [9007199254740993n, 9007199254740992n, 9007199254740994n],
      asc: [9007199254740992n, 9007199254740993n, 9007199254740994n],
    },
    {
      what: 'decimals and doubles together',
      given: [new Decimal(1235n, 2), new Float64(12), new Float32(12.5), new Decimal(12341n, 3)],
      asc: [new Float64(12), new Decimal(12341n, 3), new Decimal(1235n, 2), new Float32(12.5)],
    },
    { what: 'texts by code point', given: ['b', 'B', 'é', 'a', ''], asc: ['', 'B', 'a', 'b', 'é'] },
    { what: 'texts that are all numbers', given: ['10', '9', '', '-1.5'], asc: ['-1.5', '9', '10', ''] },
    { what: 'texts of which one is no number', given: ['10', '9', 'x'], asc: ['10', '9', 'x'] },
    {
      what: 'times, however they are written',
      given: ['2024-05-01T10:00:00.5Z', '2024-05-01T10:00:00Z', '2024-05-01T11:00:00+02:00'],
      asc: ['2024-05-01T11:00:00+02:00', '2024-05-01T10:00:00Z', '2024-05-01T10:00:00.5Z'],
    },
    { what: 'truths', given: [true, false], asc: [false, true] },
    {
      what: 'bytes',
      given: [Uint8Array.of(2), Uint8Array.of(1, 9)],
      asc: [Uint8Array.of(1, 9), Uint8Array.of(2)],
    },
    { what: 'kinds one after the other', given: [[1], true, 'a', 1], asc: [1, 'a', true, [1]] },
  ])('$what', ({ given, asc }) => {
    expect(sort(given)).toEqual(asc)
    const last = asc.filter(value => value === '' && asc.includes('9'))
    expect(sort(given, 'desc')).toEqual([...asc.filter(value => !last.includes(value)).reverse(), ...last])
  })

  test('have null, what is absent and NaN at the end, either way', () => {
    const nan = new Float64(Number.NaN)
    expect(sort([null, nan, 2, undefined, 1])).toEqual([1, 2, nan, null, undefined])
    expect(sort([null, nan, 1, undefined, 2], 'desc')).toEqual([2, 1, nan, null, undefined])
  })

  test('stay in the order of the file where they are equal', () => {
    const rows = [[1], [0], [1], [0]]
    expect(sortRows(rows, 0, 'asc')).toEqual([1, 3, 0, 2])
    expect(sortRows(rows, 0, 'desc')).toEqual([0, 2, 1, 3])
  })
})

const toPage = (path: string, query = '') => `/rest/1.0/hdfs?path=${encodeURIComponent(path)}${query}`
const lines = ['b\t2', 'a\t10', 'c\t9'].join('\n')
const toNumbers = (html: string) => [...html.matchAll(/<tr id="row-(\d+)">/g)].map(([, number]) => Number(number))
const toSigns = (html: string) =>
  [...html.matchAll(/<th scope="col"[^>]*?(?: aria-sort="(\w+)")?>.*?<span class="arrow"[^>]*>(.)<\/span>/g)].map(
    ([, sort = '', arrow]) => `${arrow}${sort}`,
  )
const toHeadLinks = (html: string) =>
  [...html.matchAll(/<th scope="col"[^>]*><a href="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'))

describe('the page of rows', () => {
  const world = createWorld({ files: { '/t.txt': lines, '/d/a.txt': lines, '/d/b.txt': 'd\t1\n' } })

  test('is sorted by the heads of its columns, there and back, and says how', async () => {
    const { page } = await world
    const plain = await page(toPage('/t.txt'))
    expect(toNumbers(plain)).toEqual([0, 1, 2])
    expect(toSigns(plain)).toEqual(['↑ascending', '↕', '↕'])
    expect(plain).not.toContain('only the rows of this page')
    const [, , byNumber = ''] = toHeadLinks(plain)
    const once = await page(byNumber)
    expect(toNumbers(once)).toEqual([0, 2, 1])
    expect(toSigns(once)).toEqual(['↕', '↕', '↑ascending'])
    expect(once).toContain('Sorted by <strong><bdi>col-1</bdi></strong>, ascending. <a')
    expect(once).toContain('Sorted: the first <strong>3</strong> of 3 rows')
    const twice = await page(toHeadLinks(once)[2] ?? '')
    expect(toNumbers(twice)).toEqual([1, 2, 0])
    expect(toSigns(twice)).toEqual(['↕', '↕', '↓descending'])
    expect(toNumbers(await page(toHeadLinks(plain)[0] ?? ''))).toEqual([2, 1, 0])
    const [, back = ''] = /<a href="([^"]*)">As in the file/.exec(twice) ?? []
    expect(toNumbers(await page(back.replaceAll('&amp;', '&')))).toEqual([0, 1, 2])
  })

  test('leads to the same row, whatever the order', async () => {
    const html = await (await world).page(toPage('/t.txt', '&by=col-1&order=desc'))
    expect(html).toMatch(
      /<tr id="row-1"><th scope="row" class="nr"><a href="[^"]*row=1&amp;[^"]*"[^>]*>1<\/a><\/th><td><bdi>a</,
    )
  })

  test('stays sorted on the way to other rows, other columns and what is found', async () => {
    const many = Array.from({ length: 250 }, (_, index) => `${index % 7}\t${index}\n`).join('')
    const { page, get } = await createWorld({ files: { '/m.txt': many } })
    const html = await page(toPage('/m.txt', '&by=col-0&order=desc&columns=col-0,col-1&range=100-199'))
    // Places 100 to 199: of each digit there are 36 or 35.
    expect(toNumbers(html).slice(0, 2)).toEqual([214, 221])
    expect(html).toContain('Sorted: places <strong>101</strong>–<strong>200</strong> of 250 rows')
    for (const range of ['0-99', '200-299']) expect(html).toContain(`range=${range}&amp;`)
    for (const rel of ['prev', 'next']) {
      expect(html).toMatch(new RegExp(`rel="${rel}" href="[^"]*columns=col-0%2Ccol-1&amp;by=col-0&amp;order=desc"`))
    }
    expect(html.match(/<input type="hidden" name="by" value="col-0">/g)).toHaveLength(3)
    expect(toHeadLinks(html)[2]).not.toContain('range')
    const found = await page(toPage('/m.txt', '&where=col-0 > 4&by=col-1&order=desc'))
    expect(toNumbers(found).slice(0, 3)).toEqual([244, 243, 237])
    expect(found).toContain('Sorted: the first <strong>70</strong> of 70 rows found')
    expect(toHeadLinks(found)[1]).toContain('where=col-0%20%3E%204')
    const jump = await get(toPage('/m.txt', '&show=rows&row=120&by=col-0&order=desc'))
    expect(jump.headers.get('location')).toMatch(/range=100-199#row-120$/)
  })

  test('shows the newest rows first where these were asked for', async () => {
    const many = Array.from({ length: 250 }, (_, index) => `line ${index}\n`).join('')
    const { page, get } = await createWorld({ files: { '/d/m.txt': many } })
    for (const path of ['/d', '/d/m.txt']) {
      const { headers } = await get(toPage(path, '&show=newest'))
      const html = await page(headers.get('location') ?? '')
      expect(toNumbers(html).slice(0, 2)).toEqual([249, 248])
      expect(html).toContain('The newest row first: only the rows of this page.')
    }
    const sorted = await get(toPage('/d/m.txt', '&show=newest&by=value'))
    expect(sorted.headers.get('location')).toMatch(/range=150-249&order=desc$/)
  })

  test('sorts the rows of several files as one', async () => {
    const { page } = await world
    const html = await page(toPage('/d', '&recursive=true&by=col-1'))
    const values = [...html.matchAll(/<tr><th scope="row"[\s\S]*?<td><bdi>(\w)</g)].map(([, value]) => value)
    expect(values).toEqual(['d', 'b', 'c', 'a'])
    expect(toSigns(html)).toEqual(['↕', '↑ascending'])
    expect(html).toContain('Sorted by <strong><bdi>col-1</bdi></strong>, ascending. <a')
    expect(html).toContain('Sorted: the first <strong>4</strong> of 4 rows')
    expect(toHeadLinks(html)[1]).toContain('recursive=true')
    const second = await page(toPage('/d', '&recursive=true&range=2-3'))
    // Another order begins with its first rows.
    expect(toHeadLinks(second)[0]).toMatch(/recursive=true&by=[^&]*$/)
  })

  test('sorts all rows below a directory, page by page, with a filter, and leaves out files that are not tables', async () => {
    const toFile = (one: number) =>
      Array.from({ length: 120 }, (_, index) => `${(index * 7 + one * 3) % 120}\t${one}\n`).join('')
    const files = { '/d/a.txt': toFile(0), '/d/b.txt': toFile(1), '/d/e/c.txt': toFile(2), '/d/x.bin': '\0\0\0' }
    const { page } = await createWorld({ files: { ...files, '/d/z.png': '\x89PNG\r\n\x1a\n' } })
    const toValues = (html: string) =>
      [...html.matchAll(/<tr><th scope="row"[\s\S]*?<td[^>]*><bdi>(\d+)</g)].map(([, value]) => Number(value))
    const all = Array.from({ length: 120 }, (_, index) => [119 - index, 119 - index, 119 - index]).flat()
    const found: number[] = []
    let link: string | undefined = toPage('/d', '&recursive=true&by=col-0&order=desc')
    for (; link !== undefined; ) {
      const html: string = await page(link)
      found.push(...toValues(html))
      expect(html).toContain(' of 360 rows')
      expect(html).toContain('2 files are not tables, and are left out.')
      expect(html).not.toContain('only the rows of this page')
      const [, next]: readonly (string | undefined)[] = / rel="next" href="([^"]*)"/.exec(html) ?? []
      link = next?.replaceAll('&amp;', '&')
    }
    expect(found).toEqual(all)
    const filtered = await page(toPage('/d', '&recursive=true&by=col-0&order=desc&where=col-1 = 2 and col-0 < 50'))
    expect(toValues(filtered)).toEqual(Array.from({ length: 50 }, (_, index) => 49 - index))
    expect(filtered).toContain('of 50 rows found')
    expect(filtered).toContain('title="/d/e/c.txt"')
    const none = await page(toPage('/d', '&recursive=true&by=none'))
    expect(none).toContain('Not sorted: there is no column <strong><bdi>none</bdi></strong> here.')
  })

  test('reports an unknown column, and refuses two', async () => {
    const { page, get } = await world
    const html = await page(toPage('/t.txt', '&by=%3Cb%3E'))
    expect(html).toContain('Not sorted: there is no column <strong><bdi>&lt;b&gt;</bdi></strong> here.')
    expect(toNumbers(html)).toEqual([0, 1, 2])
    const refused = await get(toPage('/t.txt', '&by=a,b'))
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('Parameter &quot;by&quot;: expected one column, got 2'),
    ])
    expect((await get(toPage('/t.txt', '&by="a'))).status).toBe(400)
  })

  test('sorts by a column with a comma or without a name', async () => {
    const rows = [
      { 'a,b': 2, '': 1 },
      { 'a,b': 1, '': 2 },
    ]
      .map(row => JSON.stringify(row))
      .join('\n')
    const { page } = await createWorld({ files: { '/x.json': rows } })
    const plain = await page(toPage('/x.json'))
    const [, comma = '', empty = ''] = toHeadLinks(plain)
    expect(toNumbers(await page(comma))).toEqual([1, 0])
    expect(toNumbers(await page(empty))).toEqual([0, 1])
    expect(await page(empty)).toContain('Sorted by')
  })
})
