import { afterEach, describe, expect, test } from 'vitest'
import { createTestGateway, type TestGateway } from '../../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { createWorld } from '../pages/world.ts'

let gateway: TestGateway | undefined
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
})

const once = (bytes: Uint8Array) => new Blob([new Uint8Array(bytes)]).stream()

const setUp = async (content: string | Uint8Array) => {
  const fileSystem = createMemoryFileSystem()
  await fileSystem.create('/a.csv', once(typeof content === 'string' ? Buffer.from(content) : content))
  gateway = await createTestGateway({ fileSystem })
  const { call } = gateway
  return {
    json: async (query: string) => {
      const response = await call(`/rest/1.0/json?path=/a.csv${query}`)
      const { entries } = (await response.json()) as { readonly entries?: readonly { readonly content: unknown }[] }
      return { status: response.status, rows: entries?.[0]?.content }
    },
    text: async (query: string) => await (await call(`/rest/1.0/text?path=/a.csv${query}`)).text(),
  }
}

describe('parameters tell how text is read', () => {
  test.each([
    { query: '', rows: [{ x: 'a,b', y: '1' }] },
    { query: '&delimiter=comma', rows: [{ 'x;y': 'a', 'col-1': 'b;1' }] },
    { query: '&delimiter=,&has-header=false', rows: [{ 'col-0': 'x;y' }, { 'col-0': 'a', 'col-1': 'b;1' }] },
    { query: '&delimiter=%3B', rows: [{ x: 'a,b', y: '1' }] },
    {
      query: '&has-header=false',
      rows: [
        { 'col-0': 'x', 'col-1': 'y' },
        { 'col-0': 'a,b', 'col-1': '1' },
      ],
    },
    { query: '&delimiter=&quote=&has-header=&encoding=', rows: [{ x: 'a,b', y: '1' }] },
  ])('JSON$query', async ({ query, rows }) => {
    expect(await (await setUp('x;y\na,b;1\n')).json(query)).toEqual({ status: 200, rows })
  })

  test('decimal commas too, in CSV and in filters', async () => {
    const { json, text } = await setUp('x;y\na;1,5\nb;12,25\n')
    expect((await json('&where=y > 10')).rows).toEqual([{ x: 'b', y: '12.25' }])
    expect((await json('&decimal=point')).rows).toEqual([
      { x: 'a', y: '1,5' },
      { x: 'b', y: '12,25' },
    ])
    expect(await text('')).toBe('a,1.5\r\nb,12.25\r\n')
  })

  test('quotes and encoding too, in CSV as well', async () => {
    const { json, text } = await setUp(Buffer.from("x;y\n'ü;1';2\n", 'latin1'))
    expect((await json('&quote=single&encoding=windows-1252')).rows).toEqual([{ x: 'ü;1', y: '2' }])
    expect((await json('&quote=none&delimiter=semicolon')).rows).toEqual([{ x: "'ü", y: "1'", 'col-2': '2' }])
    expect((await json('&quote=single&encoding=utf-8')).rows).toEqual([{ x: '\ufffd;1', y: '2' }])
    expect(await text('&quote=single&header=true')).toBe('x,y\r\nü;1,2\r\n')
    expect(await text('&has-header=false&quote=single')).toBe('x,y\r\nü;1,2\r\n')
  })

  test.each(['delimiter=ab', 'delimiter=x', 'delimiter=%22', 'quote=x', 'has-header=maybe', 'encoding=klingon'])(
    '%s is refused',
    async query => expect((await (await setUp('a,b\n')).json(`&${query}`)).status).toBe(400),
  )

  test('places in a file that is read one way are not those of another', async () => {
    const { json } = await setUp(`a,b\n${Array.from({ length: 30_000 }, (_, i) => `${i},x\n`).join('')}`)
    const last = async (query: string) => (await json(`&range=29000-29000${query}`)).rows
    for (let round = 0; round < 2; round++) {
      expect(await last('')).toEqual([{ a: '29000', b: 'x' }])
      expect(await last('&has-header=false')).toEqual([{ 'col-0': '28999', 'col-1': 'x' }])
      expect(await last('&raw=true')).toEqual([{ record: '28999,x' }])
      expect(await last('&encoding=windows-1252')).toEqual([{ a: '29000', b: 'x' }])
    }
  })
})

describe('the page of a file', () => {
  const page = async (content: string | Uint8Array, query = '', name = 'a.csv') =>
    await (await createWorld({ files: { [`/${name}`]: content } })).page(`/rest/1.0/hdfs?path=/${name}${query}`)
  const readAs = (html: string) => /<dt>Read as<\/dt><dd>([^<]*)</.exec(html)?.[1]

  test.each([
    { content: 'a,b\n1,2\n', want: 'csv' },
    { content: 'a;b\n1;2\n', want: 'csv (Semicolon ;)' },
    { content: '1,2\n', want: 'csv (no header)' },
    { content: Buffer.from('a;b\nü;2\n', 'latin1'), want: 'csv (Semicolon ;, Windows-1252 (Latin-1))' },
    { content: Buffer.from('\ufeffa\n', 'utf16le'), name: 'a.txt', want: 'text (UTF-16 (little endian))' },
    { content: 'a\n', name: 'a.txt', want: 'text' },
  ])('says that it is read as $want', async ({ content, want, name }) => {
    expect(readAs(await page(content, '', name))).toBe(want)
  })

  test('says that numbers have a decimal comma, and how to read them otherwise', async () => {
    expect(readAs(await page('x;y\na;1,5\n'))).toBe('csv (Semicolon ;, decimal comma)')
    const html = await page('x;y\na;1,5\n', '&decimal=point')
    expect(readAs(html)).toBe('csv (Semicolon ;)')
    expect(html).toContain('<option value="point" selected>')
    expect(html).toContain('decimal=point&amp;')
  })

  test('has a menu, and every link keeps what was chosen', async () => {
    const query = '&delimiter=comma&quote=none&has-header=false&encoding=windows-1252&where=~x'
    const html = await page('a;b,c\n1;2,x\n', query.replace('&where=~x', ''))
    expect(readAs(html)).toBe('csv (quotes: None, no header, Windows-1252 (Latin-1))')
    for (const value of ['comma', 'none', 'false', 'windows-1252']) {
      expect(html).toContain(`<option value="${value}" selected>`)
    }
    const links = [...html.matchAll(/href="(\/rest\/1\.0\/(?:hdfs|json|text)\?path=\/a\.csv[^"]*)"/g)]
      .map(([, link = '']) => link)
      .filter(link => !/show=(?:delete|rename)/.test(link))
    expect(links.length).toBeGreaterThan(4)
    for (const link of links) expect(link).toContain('delimiter=comma&amp;quote=none&amp;has-header=false')
    expect(await page('{"a":1}\n', '', 'a.smile').catch(String)).not.toContain('name="delimiter"')
    const text = await page('a\n', '', 'a.txt')
    expect(text).toContain('name="encoding"')
    expect(text).not.toContain('name="delimiter"')
  })
})
