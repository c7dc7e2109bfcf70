import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseJson } from '../../../../src/formats/json.ts'
import { createSmileWriter } from '../../../../src/formats/smile/writer.ts'
import { chunksOf } from '../../../suites/filesystem.ts'
import { createTestGateway, type TestGateway } from '../../../suites/gateway.ts'

const events = '[{"eventName":"A","payload":{"n":null,"s":"","x":1}},{"eventName":"A","payload":{"n":2,"s":"t","x":2}}]'

describe('U8: null and text that is empty, in the rows of events', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await createTestGateway()
    const smile = createSmileWriter()
    smile.write(parseJson(events))
    await gateway.fs.create('/a.smile', new Blob([Uint8Array.from(smile.take())]).stream())
    await gateway.fs.create('/a.jsonl', chunksOf(events))
    const thrift = Uint8Array.from(readFileSync(new URL('../../../fixtures/rows/events.thrift', import.meta.url)))
    await gateway.fs.create('/a.thrift', new Blob([thrift]).stream())
  })
  afterAll(() => gateway.close())
  const rowsOf = async (path: string, query = ''): Promise<unknown> => {
    const answer = await gateway.call(`/rest/1.0/json?path=${path}${query}`)
    const { entries } = (await answer.json()) as { readonly entries: readonly { readonly content: unknown }[] }
    return entries[0]?.content
  }
  const first = { n: null, s: '', x: 1 }
  const second = { n: 2, s: 't', x: 2 }

  test.each([
    ['/a.smile', '', [{ ...first, n: '' }, second]],
    ['/a.smile', '&nulls=false', [{ ...first, n: '' }, second]],
    ['/a.smile', '&nulls=true', [first, second]],
    ['/a.smile', '&where=n%20=%20null', [first]],
    ['/a.smile', '&where=n%20=%20null&nulls=false', []],
    ['/a.smile', '&where=n%20=%20%22%22', []],
    ['/a.smile', '&where=s%20=%20%22%22', [first]],
    ['/a.jsonl', '', [first, second]],
    ['/a.jsonl', '&nulls=true', [first, second]],
  ] as const)('JSON of %s%s', async (path, query, rows) => {
    expect(await rowsOf(path, query)).toEqual(rows)
  })

  test('fields that a Thrift event leaves out', async () => {
    const [old, exact] = [await rowsOf('/a.thrift'), await rowsOf('/a.thrift', '&nulls=true')]
    expect(JSON.stringify(old)).not.toContain('null')
    expect(JSON.stringify(exact)).toContain('null')
  })

  test('CSV has nothing for both, and finds each', async () => {
    const text = async (query: string) => (await gateway.call(`/rest/1.0/text?path=/a.smile${query}`)).text()
    expect(await text('')).toBe(',,1\r\n2,t,2\r\n')
    expect(await text('&where=n%20=%20null')).toBe(',,1\r\n')
    expect(await text('&where=n%20=%20%22%22')).toBe('')
  })

  test('the pages show them apart, and lead to JSON that does', async () => {
    const page = await (await gateway.call('/rest/1.0/hdfs?path=/a.smile', { headers: { accept: 'text/html' } })).text()
    expect(page.match(/<td[^>]*>.*?<\/td>/g)?.slice(0, 3)).toMatchInlineSnapshot(`
      [
        "<td class="num"><span class="dim">null</span></td>",
        "<td><span class="dim">empty</span></td>",
        "<td class="num"><span class="number">1</span></td>",
      ]
    `)
    expect(page).toContain('nulls=true')
  })
})
