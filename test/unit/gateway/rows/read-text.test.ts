import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import avro from 'avsc'
import { afterEach, describe, expect, test } from 'vitest'
import { hadoopOf } from '../../../../src/filesystem/facets.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { chunksOf } from '../../../suites/filesystem.ts'
import { at, createTestGateway, type TestGateway } from '../../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { parquetFile } from '../../../suites/parquet-file.ts'
import { pieces } from '../../../suites/pieces.ts'

let gateway: TestGateway | undefined
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
})

const setUp = async (files: Readonly<Record<string, string>>, fileSystem: FileSystem = createMemoryFileSystem()) => {
  for (const [path, text] of Object.entries(files)) await hadoopOf(fileSystem).create(path, chunksOf(text))
  gateway = await createTestGateway({ fileSystem })
  return gateway
}

const text = async (target: string, accept?: string): Promise<string> => {
  const response = await gateway?.call(target, accept === undefined ? {} : { headers: { accept } })
  expect(response?.status).toBe(200)
  return (await response?.text()) ?? ''
}

describe('GET /rest/1.0/text', () => {
  test('is CSV of the decoded rows', async () => {
    const { call } = await setUp({ '/t': 'a\tb,c\n"q"\tx\n' })
    const response = await call('/rest/1.0/text?path=/t')
    expect(await response.text()).toBe('a,"b,c"\r\n"""q""",x\r\n')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('x-row-serializer')).toBe('text')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const plain = await call('/rest/1.0/text?path=/t', { headers: { accept: 'text/plain' } })
    expect(plain.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect((await call('/rest/1.0/text?path=/t', { headers: { accept: 'image/png' } })).status).toBe(406)
  })

  test('U21: safe=true guards what a spreadsheet would calculate', async () => {
    await setUp({ '/t': '=1+1\t-5\nplain\t@x\n' })
    expect(await text('/rest/1.0/text?path=/t')).toBe('=1+1,-5\r\nplain,@x\r\n')
    expect(await text('/rest/1.0/text?path=/t&safe=true')).toBe("'=1+1,-5\r\nplain,'@x\r\n")
    expect(await text('/rest/1.0/text?path=/t&safe=true&header=true')).toBe("col-0,col-1\r\n'=1+1,-5\r\nplain,'@x\r\n")
  })

  test('header=true names the columns of all rows', async () => {
    await setUp({ '/d/1': 'a\n', '/d/2': 'b\tc\n' })
    expect(await text('/rest/1.0/text?path=/d&header=true')).toBe('col-0,col-1\r\na,\r\nb,c\r\n')
    expect(await text('/rest/1.0/text?path=/d&header=true&range=0-0')).toBe('col-0\r\na\r\n')
  })

  test('columns that come after 1 000 rows go into _more', async () => {
    await setUp({ '/t': `${'a\n'.repeat(1_000)}b\tc\n`, '/u': 'a\n'.repeat(1_000) })
    const lines = (await text('/rest/1.0/text?path=/t&header=true')).split('\r\n')
    expect([lines[0], lines[1], lines[1_000], lines[1_001]]).toEqual([
      'col-0,_more',
      'a,',
      'a,',
      'b,"{""col-1"":""c""}"',
    ])
    expect((await text('/rest/1.0/text?path=/u&header=true')).split('\r\n').slice(0, 2)).toEqual(['col-0', 'a'])
  })

  test('a file whose schema has all columns has no _more, however many rows', async () => {
    const count = 1_500
    const parquet = parquetFile({
      columns: [{ name: 'a', type: 'INT32' }],
      chunks: [{ pages: [{ values: count, bytes: Buffer.alloc(4 * count) }] }],
      rows: count,
    })
    const type = avro.Type.forSchema({ type: 'record', name: 'R', fields: [{ name: 'a', type: 'int' }] })
    const encoder = new avro.streams.BlockEncoder(type)
    for (let i = 0; i < count; i++) encoder.write({ a: 0 })
    encoder.end()
    const files = { '/d/x.parquet': parquet, '/d/x.avro': await buffer(encoder) }
    const fs = createMemoryFileSystem()
    for (const [path, bytes] of Object.entries(files)) await fs.create(path, pieces(bytes, 100_000))
    await setUp({}, fs)
    for (const path of Object.keys(files)) {
      const lines = (await text(`/rest/1.0/text?path=${path}&header=true`)).split('\r\n')
      expect([lines[0], lines[1], lines[count]]).toEqual(['a', '0', '0'])
    }
    // The next file of a directory may have others.
    expect(await text('/rest/1.0/text?path=/d&header=true')).toMatch(/^a,_more\r\n/)
  })

  test('gives directories file by file, and ranges across them', async () => {
    await setUp({ '/d/1': '1\n2', '/d/2': '3\n4\n', '/d/_x': 'hidden', '/d/s/5': '5\n' })
    expect(await text('/rest/1.0/text?path=/d')).toBe('1\r\n2\r\n3\r\n4\r\n')
    expect(await text('/rest/1.0/text?path=/d&recursive=true')).toBe('1\r\n2\r\n3\r\n4\r\n5\r\n')
    expect(await text('/rest/1.0/text?path=/d&range=1-2')).toBe('1\r\n2\r\n3\r\n')
    expect(await text('/rest/1.0/text?path=/d&range=3-50')).toBe('4\r\n')
    expect(await text('/rest/1.0/text?path=/d&range=9-50')).toBe('')
  })

  test('damage breaks the stream off behind the rows before it; before the first row it is a 422', async () => {
    const good = readFileSync(new URL('../../../fixtures/rows/events.smile', import.meta.url))
    const fs = createMemoryFileSystem()
    const put = (path: string, bytes: Uint8Array) =>
      fs.create(
        path,
        (async function* () {
          yield bytes
        })(),
      )
    await put('/cut.smile', Buffer.concat([good, good.subarray(0, good.length - 9)]))
    await put('/bad.smile', good.subarray(0, 30))
    await setUp({}, fs)
    const whole = await gateway?.call('/rest/1.0/text?path=/cut.smile')
    expect(whole?.status).toBe(200)
    const reader = whole?.body?.getReader()
    const first = await reader?.read()
    expect(
      Buffer.from(first?.value ?? [])
        .toString()
        .split('\r\n').length,
    ).toBeGreaterThan(2)
    await expect(reader?.read()).rejects.toThrow(/at byte/)
    const bad = await gateway?.call('/rest/1.0/text?path=/bad.smile')
    expect(bad?.status).toBe(422)
    expect(await bad?.json()).toMatchObject({ code: 'unreadable', detail: expect.stringMatching(/at byte \d+/) })
  })

  test('starts before the file is read, and stops reading when the client leaves', async () => {
    let isCancelled = false
    const stalled = Promise.withResolvers<void>()
    const memory = createMemoryFileSystem()
    const fs: FileSystem = {
      ...memory,
      getFileStatus: async path => ({ ...(await memory.getFileStatus('/')), path, isDirectory: false, length: 1e12 }),
      open: async () => {
        let sent = false
        return new ReadableStream(
          {
            pull: async controller => {
              if (sent) await stalled.promise
              sent = true
              controller.enqueue(Buffer.from('first\n'.repeat(2_000)))
            },
            cancel: () => {
              isCancelled = true
            },
          },
          { highWaterMark: 0 },
        )
      },
    }
    await setUp({}, fs)
    const response = await gateway?.call('/rest/1.0/text?path=/endless')
    const reader = response?.body?.getReader()
    const first = await reader?.read()
    expect(Buffer.from(first?.value ?? []).toString()).toMatch(/^first\r\n/)
    await reader?.cancel()
    stalled.resolve()
    await expect.poll(() => isCancelled).toBe(true)
  })
})

describe('the text of GET /rest/1.0/hdfs', () => {
  test.each([
    { more: '&raw=false', accept: 'text/html', type: 'text/plain; charset=utf-8' },
    { more: '', accept: 'text/plain', type: 'text/plain; charset=utf-8' },
    { more: '', accept: 'text/plain, */*;q=0.1', type: 'text/plain; charset=utf-8' },
    { more: '', accept: 'text/html,application/xhtml+xml,*/*;q=0.8', type: 'text/html; charset=utf-8' },
    { more: '', accept: '*/*', type: 'text/html; charset=utf-8' },
    { more: '&raw=true', accept: 'text/html, text/plain', type: 'text/html; charset=utf-8' },
    { more: '&raw=true', accept: '*/*', type: 'text/html; charset=utf-8' },
  ])('raw "$more" with Accept $accept is $type', async ({ more, accept, type }) => {
    await setUp({ '/t': 'a\tb\n' })
    const response = await gateway?.call(at('/hdfs', '/t', more), { headers: { accept } })
    expect([response?.status, response?.headers.get('content-type')]).toEqual([200, type])
    if (type.startsWith('text/plain')) expect(await response?.text()).toBe('a,b\r\n')
  })

  test('without a path it is the root', async () => {
    await setUp({ '/t': 'a\tb\n' })
    expect(await text('/rest/1.0/hdfs?raw=false')).toBe('a,b\r\n')
  })
})

describe('GET /rest/1.0/viewer', () => {
  const object = Buffer.from('{"big":9223372036854775807,"a":[1.0]}').toString('base64')
  test.each([
    { given: object },
    { given: encodeURIComponent(object) },
    { given: encodeURIComponent(encodeURIComponent(object)) },
  ])('shows $given', async ({ given }) => {
    await setUp({})
    expect(await text(`/rest/1.0/viewer?object=${given}`)).toBe(
      '{\n  "big": 9223372036854775807,\n  "a": [\n    1.0\n  ]\n}',
    )
  })

  test.each(['W10=', 'ey', 'MQ=='])('refuses %s', async given => {
    await setUp({})
    expect((await gateway?.call(`/rest/1.0/viewer?object=${given}`))?.status).toBe(400)
  })
})
