import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createAsset } from '../../../../src/http/answers/asset.ts'

const text = 'a file that pages load, '.repeat(50)
const asset = createAsset(Buffer.from(text), 'text/plain; charset=utf-8')
const ask = (headers: Readonly<Record<string, string>>) =>
  asset.respond({ header: name => headers[name] }, { 'cache-control': 'no-cache' })

describe('a file that pages load', () => {
  test.each([
    ['gzip', true],
    ['gzip, deflate, br, zstd', true],
    ['br;q=1.0, GZIP;q=0.8, *;q=0.1', true],
    ['deflate, *', true],
    ['*;q=0.001', true],
    ['gzip;q=0', false],
    ['gzip ; q = 0.000, *', false],
    ['*;q=0', false],
    ['deflate, br', false],
    ['identity', false],
    ['not-gzip', false],
    ['', false],
    [undefined, false],
  ] as const)('Accept-Encoding %j: by gzip %s', async (accepted, isSmall) => {
    const answer = ask(accepted === undefined ? {} : { 'accept-encoding': accepted })
    const body = Buffer.from(await answer.arrayBuffer())
    expect(answer.headers.get('content-encoding')).toBe(isSmall ? 'gzip' : null)
    expect((isSmall ? gunzipSync(body) : body).toString()).toBe(text)
    expect(answer.headers.get('vary')).toBe('accept-encoding')
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-cache')
  })

  test('each form has a tag of its own, which is 304 for that form alone', async () => {
    const small = { 'accept-encoding': 'gzip' }
    const tags = [ask({}), ask(small)].map(({ headers }) => headers.get('etag') ?? '')
    const [plainTag = '', smallTag = ''] = tags
    expect(new Set(tags).size).toBe(2)
    const statuses = [
      ask({ 'if-none-match': plainTag }),
      ask({ ...small, 'if-none-match': smallTag }),
      ask({ ...small, 'if-none-match': `"other", W/${smallTag}` }),
      ask({ 'if-none-match': smallTag }),
      ask({ ...small, 'if-none-match': plainTag }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([304, 304, 304, 200, 200])
    const unchanged = ask({ ...small, 'if-none-match': smallTag })
    expect([await unchanged.text(), unchanged.headers.get('etag'), unchanged.headers.get('vary')]).toEqual([
      '',
      smallTag,
      'accept-encoding',
    ])
  })

  test('has a version by its content', () => {
    expect(createAsset(Buffer.from(text), 'text/css').version).toBe(asset.version)
    expect(createAsset(Buffer.from(`${text}.`), 'text/plain').version).not.toBe(asset.version)
  })
})
