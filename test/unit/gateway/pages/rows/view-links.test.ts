import { describe, expect, test } from 'vitest'
import { createQuery } from '../../../../../src/contract/query.ts'
import { createWorld } from '../world.ts'

const rows = Array.from({ length: 450 }, (_, index) => ({ nr: index, kind: index % 3, "it's & <x>": `v${index}` }))
const json = rows.map(row => JSON.stringify(row)).join('\n')
const csv = `nr,kind,it's & <x>\n${rows.map(row => Object.values(row).join()).join('\n')}\n`

/** What each page is asked for, and so each of its links. */
const state = { where: `kind = 1 or "it's & <x>" ~ v1`, columns: `it's & <x>,nr,kind`, by: 'kind', order: 'desc' }
type Part = keyof typeof state
const parts: readonly Part[] = ['where', 'columns', 'by', 'order']

const decode = (text: string): string =>
  text
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

type Way = { readonly label: string; readonly target: string }

/** All links of the content of a page, and its forms as they are sent without a change. */
const toWays = (html: string): readonly Way[] => {
  const [, content = ''] = /<main[^>]*>([\s\S]*)<\/main>/.exec(html) ?? []
  const main = content.replace(/<nav class="crumbs"[\s\S]*?<\/nav>/, '')
  const links = main.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g)
  const forms = main.matchAll(/<form [^>]*?method="get" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)
  return [
    ...[...links].map(([, target = '', label = '']) => ({ label: decode(label), target: decode(target) })),
    ...[...forms].map(([, action = '', inside = '']) => ({
      label: decode(/<button[^>]*>([^<]*)</.exec(inside)?.[1] ?? ''),
      target: `${action}?${toFields(inside)}`,
    })),
  ]
}

const toFields = (form: string): string =>
  [...form.matchAll(/<input ([^>]*)>/g)]
    .map(([, input = '']) => ` ${input}`)
    .filter(input => !input.includes('type="checkbox"') || input.includes(' checked'))
    .map(input => {
      const attribute = (name: string) => decode(new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1] ?? '')
      return `${attribute('name')}=${encodeURIComponent(attribute('value'))}`
    })
    .join('&')

/** What is about something else than the rows: the file itself, its directory. */
const isElsewhere = ({ label, target }: Way): boolean =>
  /^(?:Rename or move…|Delete…|Download|Listing|Download it as stored)$/.test(label) || target.startsWith('/files/')

/** What a link is there to change, by what is on it. */
const toChanged = ({ label, target }: Way): readonly Part[] => {
  // What programs are given is in the order of the file.
  if (/^\/rest\/1\.0\/(?:json|text)\?/.test(target)) return ['by', 'order']
  if (label === 'As in the file' || /[↕↑↓]$/.test(label)) return ['by', 'order']
  if (label === 'Show all') return /[?&]where=/.test(target) ? ['columns'] : ['where']
  return []
}

const sorted = (text: string): string => text.split(',').toSorted().join()

describe('every link and form of a page of rows keeps what the page shows', () => {
  const world = createWorld({ files: { '/d/a.json': json, '/d/b.csv': csv } })
  test.each([
    { what: 'a file', path: '/d/a.json', more: '', least: 90 },
    { what: 'a part of a file', path: '/d/b.csv', more: '&range=100-299', least: 90 },
    { what: 'rows that are not there', path: '/d/b.csv', more: '&range=9000-9999', least: 9 },
    { what: 'a filter that cannot be used', path: '/d/b.csv', more: '&where=nr+is', least: 90 },
    { what: 'bytes', path: '/d/b.csv', more: '&show=bytes&at=0-4096', least: 6 },
    { what: 'one row', path: '/d/a.json', more: '&row=17', least: 3 },
    { what: 'a row that is not there', path: '/d/a.json', more: '&row=1700', least: 3 },
    { what: 'all files below a directory', path: '/d', more: '&recursive=true', least: 90 },
    { what: 'no rows of these files', path: '/d', more: '&recursive=true&range=9000-9999', least: 5 },
  ])('$what', async ({ path, more, least }) => {
    const own = /where=([^&]*)/.exec(more)?.[1]?.replaceAll('+', ' ')
    const want = own === undefined ? state : { ...state, where: own }
    const query = parts
      .filter(name => own === undefined || name !== 'where')
      .map(name => `&${name}=${encodeURIComponent(state[name])}`)
      .join('')
    const html = await (await (await world).get(`/rest/1.0/hdfs?path=${path}${query}${more}`)).text()
    const ways = toWays(html).filter(way => !isElsewhere(way))
    for (const { label, target } of ways) {
      const changed = toChanged({ label, target })
      for (const part of parts.filter(name => !changed.includes(name))) {
        const found = createQuery(target).findAll(part).join()
        expect(sorted(found), `${part} of "${label}", ${target}`).toBe(sorted(want[part]))
      }
    }
    expect(ways.length).toBeGreaterThanOrEqual(least)
  })
})
