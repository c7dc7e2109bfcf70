import { expect, test } from 'vitest'
import { change, createTable, get, path } from './world.ts'

/** Links of rows and of files on a page, by what they are called. */
const linksOf = (page: string): readonly (readonly [name: string, href: string])[] =>
  Array.from(
    page.matchAll(/<a href="([^"]*)" (?:aria-label="Open row|title=")([^"]*)"/g),
    ([, href = '', name = '']) => [name.trim(), href.replaceAll('&amp;', '&')],
  )

const accept = { accept: 'text/html' }

test.each(['', '&where=number+%3E+9', '&by=number&order=desc'])(
  'rows of a table lead to the file as stored, which may call columns otherwise, and say so: %s',
  async query => {
    const fileSystem = await createTable()
    await change(fileSystem, json => {
      const fields = [{ id: 2, name: 'number', required: false, type: 'long' }]
      Object.assign(json, { schemas: [{ type: 'struct', 'schema-id': 0, fields }], 'current-schema-id': 0 })
    })
    const target = `/rest/1.0/hdfs?path=${path}&recursive=true&columns=number${query}`
    const { text } = await get(fileSystem, target, accept)
    expect(text).toContain('Their links open the files as stored, where columns may have other names.')
    const links = linksOf(text)
    const file = 'dt=2026-11-22/hour=10/10.parquet'
    expect(links.slice(0, 2)).toEqual([
      [
        `0 of ${file} as stored`,
        `/rest/1.0/hdfs?path=${encodeURIComponent(`${path}/${file}`).replaceAll('%2F', '/')}&row=0`,
      ],
      [`${path}/${file} as stored`, expect.not.stringMatching(/number/)],
    ])
    for (const [, href] of links.slice(0, 2)) {
      const page = await get(fileSystem, href, accept)
      expect([page.status, page.text.includes('eventDate')]).toEqual([200, true])
    }
  },
)

test('rows of files that are of no table keep the question', async () => {
  const fileSystem = await createTable()
  await fileSystem.delete(`${path}/metadata`, { recursive: true })
  const target = `/rest/1.0/hdfs?path=${path}&recursive=true&columns=id&where=id+%3E+9`
  const { text } = await get(fileSystem, target, accept)
  expect(text).not.toContain('as stored')
  expect(linksOf(text)[0]).toEqual([expect.stringMatching(/^0 of .*11\.parquet$/), expect.stringMatching(/columns=id/)])
})
