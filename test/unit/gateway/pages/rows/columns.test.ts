import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, test } from 'vitest'
import { createMemoryFileSystem } from '../../../../suites/memory-filesystem.ts'
import { fixture } from '../../../rows/files.ts'
import { createWorld } from '../world.ts'

const kinds = fixture('rows/kinds.parquet')
const toPage = (path: string, query = '') => `/rest/1.0/hdfs?path=${encodeURIComponent(path)}${query}`
const toHeads = (html: string) =>
  [...html.matchAll(/<th scope="col"(?: class="num")?><a [^>]*><bdi>([^<]*)<\/bdi>/g)].map(([, name]) => name)
const toBoxes = (html: string) =>
  [...html.matchAll(/name="columns" value="([^"]*)"( checked)?>/g)].map(
    ([, value = '', checked]) => `${value.replaceAll('&quot;', '"')}${checked ? '!' : ''}`,
  )
/** Targets of links on a page that have this in them. */
const toLinks = (html: string, part: string) =>
  [...html.matchAll(/href="([^"]*)"/g)]
    .map(([, link = '']) => link.replaceAll('&amp;', '&'))
    .filter(link => link.includes(part))

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\t${index}\tx\n`).join('')

/** The pages of one file, and what has been read of it since the last check. */
const createCountingWorld = async (bytes: Uint8Array) => {
  const memory = createMemoryFileSystem()
  await memory.create('/k.parquet', new Blob([Uint8Array.from(bytes)]).stream())
  const lengths: (number | undefined)[] = []
  const fileSystem = {
    ...memory,
    open: (...[path, options]: Parameters<typeof memory.open>) => {
      lengths.push(options?.length)
      return memory.open(path, options)
    },
  }
  const takeLengths = () => lengths.splice(0)
  const takeRead = () => takeLengths().reduce<number>((sum, length = 0) => sum + length, 0)
  return { world: await createWorld({ fileSystem }), takeLengths, takeRead }
}

describe('columns on a page', () => {
  test('are chosen by boxes in a form, which keeps the rows that are shown', async () => {
    const world = await createWorld({ files: { '/d/words.txt': lines(300) } })
    const html = await world.page(toPage('/d/words.txt', '&columns=col-2,col-0&range=100-199'))
    expect(toHeads(html)).toEqual(['col-2', 'col-0'])
    expect(toBoxes(html)).toEqual(['col-2,col-0', 'col-0!', 'col-1', 'col-2!', 'col-2,col-0', 'col-2,col-0'])
    expect(html).toContain('<summary>Columns: 2 of 3</summary>')
    const [, form = ''] = /<details class="choose">([\s\S]*?)<\/details>/.exec(html) ?? []
    expect(form).toContain('<input type="hidden" name="path" value="/d/words.txt">')
    expect(form).toContain('<input type="hidden" name="range" value="100-199">')
    expect(await world.page(toPage('/d/words.txt'))).toContain('<summary>Choose columns (3)</summary>')
  })

  test('stay chosen on the way through the rows, and to what is downloaded', async () => {
    const world = await createWorld({ files: { '/d/words.txt': lines(300) } })
    const html = await world.page(toPage('/d/words.txt', '&columns=col-2,col-0&range=100-199'))
    const kept = toLinks(html, 'columns=col-2%2Ccol-0')
    for (const part of ['range=200-299', 'range=0-99', 'row=100', '/json?', '/text?', 'raw=false', 'pretty=true']) {
      expect(
        kept.filter(link => link.includes(part)),
        part,
      ).not.toEqual([])
    }
    const row = await world.page(toPage('/d/words.txt', '&columns=col-2&row=100'))
    expect(row).toContain('line 100')
    expect(toLinks(row, 'columns=col-2').map(link => /(row|range)=([^&]*)/.exec(link)?.[0])).toEqual([
      'row=99',
      'row=101',
      'range=100-199',
    ])
    const jump = await world.get(toPage('/d/words.txt', '&columns=col-2&row=123&show=rows'))
    expect(jump.headers.get('location')).toContain('range=100-199&columns=col-2#row-123')
  })

  test('with commas, quotes and markup in their names are boxes that work', async () => {
    const names = ['a,b', '"q', '<img src=x>', ' s']
    const row = JSON.stringify(Object.fromEntries(names.map(name => [name, name.length])))
    const world = await createWorld({ files: { '/x.json': `${row}\n` } })
    const html = await world.page(toPage('/x.json'))
    expect(html).not.toContain('<img')
    const values = toBoxes(html).map(value => value.replaceAll('&lt;', '<').replaceAll('&gt;', '>'))
    expect(values).toEqual(['"a,b"', '"""q"', '<img src=x>', '" s"'])
    for (const value of values) {
      const chosen = await world.page(toPage('/x.json', `&columns=${encodeURIComponent(value)}`))
      expect(chosen).toContain('<summary>Columns: 1 of 4</summary>')
    }
  })

  test('that are too many for boxes are typed', async () => {
    const names = Array.from({ length: 201 }, (_, index) => `c${index}x`)
    const world = await createWorld({ files: { '/x.csv': `${names.join()}\n${names.map(() => 1).join()}\n` } })
    const html = await world.page(toPage('/x.csv', '&columns=c7x,c5x'))
    expect(html).toContain('<input id="columns" name="columns" value="c7x,c5x"')
    expect(toHeads(html)).toEqual(['c7x', 'c5x'])
  })

  test('that a file does not have are reported, and all are shown', async () => {
    const world = await createWorld({ files: { '/k.parquet': kinds } })
    const response = await world.get(toPage('/k.parquet', '&columns=tiem'))
    expect(response.status).toBe(400)
    const html = await response.text()
    expect(html).toContain('the file has no column &quot;tiem&quot;; did you mean &quot;time&quot;?')
    expect(toHeads(html)).toContain('time')
    expect((await world.get(toPage('/k.parquet', '&columns="a'))).status).toBe(400)
  })

  test('that a file does not have are reported in a search, too, and all are shown with their values', async () => {
    const columnData = [
      { name: 'a', data: [1, 2, 3] },
      { name: 'b', data: ['x', 'y', 'z'] },
    ]
    const world = await createWorld({ files: { '/k.parquet': new Uint8Array(parquetWriteBuffer({ columnData })) } })
    const response = await world.get(toPage('/k.parquet', '&columns=c&where=a+%3D+2'))
    expect(response.status).toBe(400)
    const html = await response.text()
    expect(html).toContain('All columns are shown instead.')
    expect(toHeads(html)).toEqual(['a', 'b'])
    expect(html).toMatch(/<td[^>]*>(<[^>]*>)*2<.*<td[^>]*>(<[^>]*>)*y</)
  })

  test('are those of all files below a directory', async () => {
    const world = await createWorld({ files: { '/d/a.csv': 'x,y\n1,2\n', '/d/b.json': '{"y":3,"z":4}\n' } })
    const html = await world.page(toPage('/d', '&recursive=true&columns=z,y'))
    expect(toHeads(html)).toEqual(['z', 'y'])
    expect(toBoxes(html)).toEqual(['z,y', 'y!', 'z!', 'x'])
    expect(html).toContain('<input type="hidden" name="recursive" value="true">')
  })
})

test('of all files below a directory those that are not tables are left out, and named', async () => {
  const noise = Uint8Array.from({ length: 5_000 }, (_, index) => (index * 7919) % 256)
  const zip = Buffer.from('PK\x03\x04 and so on')
  const files = { '/d/a.csv': 'x,y\n1,2\n', '/d/photo.bin': noise, '/d/w.csv': zip, '/d/z.txt': 'row\n' }
  const world = await createWorld({ files })
  const html = await world.page(toPage('/d', '&recursive=true'))
  expect(html).toContain('2 files are not tables, and are left out.')
  expect(html).not.toContain('could not be read')
  expect(html).toMatch(/<a href="[^"]*path=\/d\/photo\.bin"><bdi>photo\.bin</)
  expect(html).toMatch(/<a href="[^"]*path=\/d\/w\.csv"><bdi>w\.csv</)
  expect(html.match(/<tr><th scope="row"/g)).toHaveLength(2)
  expect(html).toContain('Rows <strong>0</strong>–<strong>1</strong>')
})

describe('a Parquet file', () => {
  test('tells how many rows it has on every page of them', async () => {
    const world = await createWorld({ files: { '/k.parquet': fixture('rows/kinds.parquet') } })
    expect(await world.page(toPage('/k.parquet', '&range=5-9'))).toMatch(
      /<strong>5<\/strong>–<strong>9<\/strong> of 40</,
    )
  })

  test('says, folded, what its footer says', async () => {
    const world = await createWorld({ files: { '/k.parquet': kinds } })
    const html = await world.page(toPage('/k.parquet'))
    const [, panel = ''] = /<details class="parquet">([\s\S]*)<\/details>\s*<details class="choose">/.exec(html) ?? []
    expect(panel).toContain('<summary>Parquet: 13 columns, 40 rows in 2 row groups</summary>')
    expect(panel).toContain('parquet-cpp-arrow version')
    expect(panel).toContain('<bdi>&lt;b&gt;key&lt;/b&gt;</bdi>')
    expect(panel).toContain('<td>TIMESTAMP(MICROS, UTC)</td>')
    expect(panel).toContain('<td><bdi>2026-11-22T08:00:00.123456Z</bdi></td>')
    expect(panel.match(/<details class="group">/g)).toHaveLength(2)
    expect(panel).not.toContain('<details open')
  })

  test('is read for its page in its wanted rows and columns, its footer once', async () => {
    const { world, takeLengths } = await createCountingWorld(kinds)
    await world.page(toPage('/k.parquet', '&columns=ok&range=30-39'))
    // The beginning, which shows the format; the end; one bit for each row of the second row group, and what is around
    // it.
    const [head, footer, ...rest] = takeLengths()
    expect([head, footer, rest.length]).toEqual([undefined, kinds.length, 1])
    expect(rest[0]).toBeLessThan(100)
    const html = await world.page(toPage('/k.parquet', '&range=100-199'))
    expect(takeLengths()).toEqual([undefined, kinds.length])
    expect(html).toContain('The file has 40 rows')
  })

  test('of more columns than a table shows is read in those alone', async () => {
    const columnData = Array.from({ length: 61 }, (_, index) => ({
      name: `c${index}`,
      type: 'INT64' as const,
      data: Array.from({ length: 5_000 }, (__, row) => BigInt(row * 61 + index)),
    }))
    const bytes = new Uint8Array(parquetWriteBuffer({ columnData, codec: 'UNCOMPRESSED' }))
    const { world, takeRead } = await createCountingWorld(bytes)
    const html = await world.page(toPage('/k.parquet', '&range=0-9'))
    expect(toHeads(html)).toHaveLength(60)
    expect(html).toContain('61 columns; the first 60 are shown.')
    const shown = takeRead()
    await world.page(toPage('/k.parquet', `&range=0-9&columns=${columnData.map(({ name }) => name).join()}`))
    expect(takeRead()).toBeGreaterThan(shown + 5_000)
    expect(await world.page(toPage('/k.parquet', '&range=0-9&columns=c60'))).toContain('Columns: 1 of 61')
    expect(takeRead()).toBeLessThan(shown - 58 * 5_000)
    expect(await world.page(toPage('/k.parquet', '&row=9'))).toContain('<bdi>c60</bdi>')
  })
})
