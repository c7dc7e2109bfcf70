/** Queries for the rows of a table: columns, where to continue, page after page. */
import { describe, expect, test } from 'vitest'
import { sampleRows } from '../../../../src/gateway/rows/columns.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { atHour, parquetBytes, put } from '../../tables/parquet-files.ts'
import { createTable, get, getJson, getText, importAll, type Memory, open, path, rowsOf, watch } from './world.ts'

const where = (text: string): string => `&where=${encodeURIComponent(text)}`

/**
 * A table of a file for each of some counts of rows, in a snapshot each; ids are consecutive, and below 0 in those that
 * are not looked for.
 */
const createCounted = async (counts: readonly number[]): Promise<Memory> => {
  const fileSystem = createMemoryFileSystem()
  let id = 0
  for (const [hour, count] of counts.entries()) {
    const rows = Array.from({ length: Math.abs(count) }, (_, i) => [atHour(hour) + i, count < 0 ? -1 : id++])
    await put(fileSystem, `${path}/dt=1/hour=0${hour}/a.parquet`, parquetBytes(rows))
    await importAll(fileSystem)
  }
  return fileSystem
}

describe('pages of rows that are looked for', () => {
  test.each([[[300, -120, 5]], [[150, -400, -1, 150, -30]], [[-7, 99, -7, 1, -7, 250]], [[100, -1, 100, -1, 100]]])(
    'have each row once, with files of %s rows between which others are passed over',
    async counts => {
      const { call } = await open(await createCounted(counts))
      const ids: number[] = []
      let next: string | undefined = `/rest/1.0/hdfs?path=${path}&recursive=true&columns=id${where('id >= 0')}`
      while (next !== undefined && ids.length < 1_000) {
        const text = await (await call(next, { headers: { accept: 'text/html' } })).text()
        ids.push(...[...text.matchAll(/<span class="number">(\d+)</g)].map(([, id]) => Number(id)))
        next = /href="([^"]*range=[^"]*)"[^>]*>Continue/.exec(text)?.[1]?.replaceAll('&amp;', '&')
      }
      const all = counts.filter(count => count > 0).reduce((sum, count) => sum + count, 0)
      expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: all }, (_, id) => id))
    },
  )
})

test('a range counts the rows that are passed over before a file that is gone', async () => {
  const fileSystem = await createTable()
  await fileSystem.delete(`${path}/dt=2026-11-22/hour=09/9.parquet`)
  const listed = await getJson(fileSystem, `${where('id >= 9')}&range=2-3`)
  expect(rowsOf(listed).map(({ id }) => id)).toEqual([10, 10])
})

describe('the columns of a table are known', () => {
  test('without reading a file, and without any file', async () => {
    const fileSystem = await createTable()
    expect(await getText(fileSystem, where('id > 100'))).toBe('eventDate,id\n')
    expect(await getText(fileSystem, '&range=90-99')).toBe('eventDate,id\n')
  })

  test('so that no column is kept for others that later rows may have', async () => {
    const text = await getText(await createCounted([sampleRows + 1]))
    expect(text.split('\n', 1)).toEqual(['eventDate,id'])
  })

  test.each([
    ['columns=idd', 'Parameter \\"columns\\": the table has no column \\"idd\\"; did you mean \\"id\\"?'],
    ['where=idd > 1', 'Parameter \\"where\\": the table has no column \\"idd\\"; did you mean \\"id\\"?'],
    ['where=idd > 1 and id > 100', 'Parameter \\"where\\": the table has no column \\"idd\\"; did you mean \\"id\\"?'],
    ['where=not idd = 1', 'Parameter \\"where\\": the table has no column \\"idd\\"; did you mean \\"id\\"?'],
  ])('%s is refused before a file is opened', async (query, sentence) => {
    const { fileSystem, opened } = watch(await createTable())
    const [name, value = ''] = query.split(/=(.*)/)
    for (const route of ['json', 'text']) {
      const { status, text } = await get(
        fileSystem,
        `/rest/1.0/${route}?path=${path}&${name}=${encodeURIComponent(value)}`,
      )
      expect([status, text]).toEqual([400, expect.stringContaining(sentence)])
    }
    expect(opened).toEqual(new Set())
  })
})

describe('startAfter', () => {
  const nine = 'dt=2026-11-22/hour=09/9.parquet'

  test('continues after a file, also one without any of the wanted rows', async () => {
    const fileSystem = await createTable()
    const after = `&startAfter=${nine}`
    expect(rowsOf(await getJson(fileSystem, after)).map(({ id }) => id)).toEqual([10, 10])
    expect(rowsOf(await getJson(fileSystem, `${after}${where('id != 9')}`)).map(({ id }) => id)).toEqual([10, 10])
    expect(rowsOf(await getJson(fileSystem, `${after}${where('id > 9')}`)).map(({ id }) => id)).toEqual([10, 10])
    const late = where('eventDate >= 2026-11-22T10:00')
    expect(rowsOf(await getJson(fileSystem, `${after}${late}`)).map(({ id }) => id)).toEqual([10, 10])
    expect(rowsOf(await getJson(fileSystem, `${after}${where('id > 9')}&range=1-2`)).map(({ id }) => id)).toEqual([
      10, 10,
    ])
  })

  test.each(['gone.parquet', 'dt=2026-11-22/hour=11/11.parquet'])(
    '%s, which the table does not have, is refused',
    async name => {
      const fileSystem = await createTable()
      const { status, text } = await get(fileSystem, `/rest/1.0/json?path=${path}&startAfter=${name}`)
      expect([status, text]).toEqual([
        400,
        expect.stringContaining(`expected a file of the table's current snapshot, found \\"${name}`),
      ])
      const target = `/rest/1.0/hdfs?path=${path}&recursive=true&columns=id&startAfter=${name}`
      const page = await get(fileSystem, target, { accept: 'text/html' })
      expect(page.text).toContain('The file before these rows is gone: these are the newest rows.')
      expect([...page.text.matchAll(/<span class="number">(\d+)</g)]).toHaveLength(6)
    },
  )
})
