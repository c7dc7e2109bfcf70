import { describe, expect, test } from 'vitest'
import { createWorld } from '../world.ts'

const toPage = (path: string, query = '') => `/rest/1.0/hdfs?path=${encodeURIComponent(path)}${query}`
const where = (text: string) => `&where=${encodeURIComponent(text)}`
const lines = (count: number) => Array.from({ length: count }, (_, index) => `${index}\t${index % 7}\n`).join('')
const toNumbers = (html: string) => [...html.matchAll(/<tr id="row-(\d+)">/g)].map(([, number]) => Number(number))
const toText = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
/** Where the button of this name leads. */
const toLink = (html: string, name: string) =>
  new RegExp(`href="([^"]*)"[^>]*>${name}<`).exec(html)?.[1]?.replaceAll('&amp;', '&')

describe('the filter of a page of rows', () => {
  test('is a form that keeps the columns, and offers the fields of the file', async () => {
    const world = await createWorld({ files: { '/a.csv': 'name,"a b","say ""hi""",not\n1,2,3,4\n' } })
    const html = await world.page(toPage('/a.csv', '&columns=name,not'))
    const [form = ''] = /<form class="where"[\s\S]*?<\/form>/.exec(html) ?? []
    expect(form).toContain('<input type="hidden" name="path" value="/a.csv">')
    expect(form).toContain('<input type="hidden" name="columns" value="name,not">')
    expect([...form.matchAll(/<option value="([^<]*)">/g)].map(([, name]) => name?.replaceAll('&quot;', '"'))).toEqual([
      'name ',
      '"a b" ',
      '"say ""hi""" ',
      '"not" ',
    ])
    expect(toText(form)).toContain('For example name = "a"')
  })

  test('shows the matching rows with their numbers, and continues to the end', async () => {
    const world = await createWorld({ files: { '/d/n.txt': lines(1_000) } })
    const first = await world.page(toPage('/d/n.txt', where('col-1 = 3')))
    expect(toNumbers(first)).toEqual(Array.from({ length: 100 }, (_, index) => 7 * index + 3))
    expect(toText(first)).toContain('Found 100 rows in rows 0–696. Read 5.9 kB.')
    expect(first).toContain('value="col-1 = 3"')
    const second = await world.page(toLink(first, 'Continue') ?? '')
    expect(toNumbers(second)).toEqual(Array.from({ length: 43 }, (_, index) => 7 * index + 703))
    expect(toText(second)).toMatch(/Found 43 rows in rows 697–999, the end\. Read [\d.]+ kB\./)
    expect(toLink(second, 'Continue')).toBeUndefined()
    expect(toNumbers(await world.page(toLink(second, 'From the top') ?? ''))).toEqual(toNumbers(first))
    expect(toNumbers(await world.page(toLink(second, 'Show all') ?? '')).slice(0, 3)).toEqual([0, 1, 2])
  })

  test('leads to the same rows as JSON and as text', async () => {
    const world = await createWorld({ files: { '/d/n.txt': lines(1_000) } })
    const page = await world.page(toPage('/d/n.txt', `${where('col-1 = 3')}&columns=col-0`))
    const query = 'range=0-696&columns=col-0&where=col-1%20%3D%203'
    expect(toLink(page, 'plain text')).toBe(`/rest/1.0/hdfs?path=/d/n.txt&raw=false&${query}`)
    expect(page.replaceAll('&amp;', '&')).toContain(
      `/rest/1.0/json?path=/d/n.txt&columns=col-0&where=col-1%20%3D%203&nulls=true&range=0-696&pretty=true`,
    )
  })

  test('looks through as many small files as there is time for', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 450 }, (_, index) => [`/d/${1_000 + index}.txt`, `${index}\n`]),
    )
    const world = await createWorld({ files })
    const html = await world.page(toPage('/d', `&recursive=true${where('col-0 < 3')}`))
    expect(toText(html)).toContain('Found 3 rows in rows 0–449, the end.')
  })

  test('says that no row has a column that is asked about', async () => {
    const world = await createWorld({ files: { '/d/e.json': '{"status":500}\n{"status":200}\n' } })
    const nothing = await world.page(toPage('/d/e.json', where('statsu = 500')))
    expect(toText(nothing)).toContain('no row has a column "statsu"; did you mean "status"?')
    expect(nothing).toContain('aria-invalid="true"')
    const all = await world.page(toPage('/d/e.json', where('statsu = null')))
    expect(toText(all)).toContain('no row has a column "statsu"')
    expect(all).not.toContain('aria-invalid="true"')
    const below = await world.page(toPage('/d', `&recursive=true${where('statsu = 500')}`))
    expect(toText(below)).toContain('no row has a column "statsu"; did you mean "status"?')
  })

  test('says that nothing was found', async () => {
    const world = await createWorld({ files: { '/d/n.txt': lines(50) } })
    const html = await world.page(toPage('/d/n.txt', where('col-1 = x')))
    expect(toText(html)).toContain('Found 0 rows in rows 0–49, the end.')
    expect(toNumbers(html)).toEqual([])
    expect(html).not.toContain('There are no rows')
  })

  test('tells what is wrong with it beside it, and shows all rows', async () => {
    const world = await createWorld({ files: { '/a.csv': 'name,age\nann,5\n' } })
    for (const [text, fault] of [
      ['age >', 'expected a value behind ">", found the end at character 5'],
      ['agee > 3', 'the file has no column "agee"; did you mean "age"?'],
      ['<script>', 'expected the name of a field, found "<" at character 0'],
    ] as const) {
      const response = await world.get(toPage('/a.csv', where(text)))
      const html = await response.text()
      expect(response.status).toBe(400)
      expect(html).toContain('aria-invalid="true"')
      expect(toText(/<p id="where-fault"[\s\S]*?<\/p>/.exec(html)?.[0] ?? '').replace('&lt;', '<')).toBe(fault)
      expect(html).not.toContain('<script>"')
      expect(toNumbers(html)).toEqual([0])
    }
  })

  test('refuses columns as a page without it does', async () => {
    const world = await createWorld({ files: { '/a.csv': 'name,age\nann,5\nbob,6\n' } })
    const response = await world.get(toPage('/a.csv', `${where('age = 6')}&columns=nam`))
    const html = await response.text()
    expect(response.status).toBe(400)
    expect(html).toContain('All columns are shown instead.')
    expect(toNumbers(html)).toEqual([1])
  })
})
