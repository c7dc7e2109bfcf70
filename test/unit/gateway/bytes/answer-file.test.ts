import { afterEach, describe, expect, test } from 'vitest'
import { hadoopOf } from '../../../../src/filesystem/facets.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { chunksOf } from '../../../suites/filesystem.ts'
import { at, createTestGateway, type TestGateway } from '../../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'

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

const get = async (target: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
  const response = await gateway?.call(target, { headers, method })
  if (!response) throw new Error('no gateway')
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const links: Readonly<Record<string, (path: string) => string>> = {
  '/rest/1.0/binary': path => at('/binary', path),
  '/files/{path}': path => `/files${path.split('/').map(encodeURIComponent).join('/')}`,
}

describe.each(Object.entries(links))('GET %s of a file', (_, toLink) => {
  test('gives a file as stored, as a download', async () => {
    await setUp({ '/d/näme "x".csv': 'a,b\r\n' })
    const { status, headers, text } = await get(toLink('/d/näme "x".csv'))
    expect([status, text]).toEqual([200, 'a,b\r\n'])
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-length': '5',
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="n_me _x_.csv"; filename*=UTF-8''n%C3%A4me%20%22x%22.csv`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^"\d+-5"$/),
      'last-modified': expect.stringContaining('GMT'),
    })
  })

  test.each(['a.html', 'a.svg', 'a.js', 'a.xhtml', 'a'])('%s has no type that a browser would run', async name => {
    await setUp({ [`/${name}`]: '<script>' })
    expect((await get(toLink(`/${name}`))).headers.get('content-type')).toBe('application/octet-stream')
  })

  test('a drawing has its type for an image alone, and is a download without power all the same', async () => {
    await setUp({ '/a.svg': '<svg/>', '/a.html': '<svg/>' })
    const image = 'image/avif,image/svg+xml,image/*;q=0.8'
    const toType = async (headers: Readonly<Record<string, string>>, path = '/a.svg') => {
      const answer = await get(toLink(path), headers)
      expect(answer.headers.get('content-disposition')).toMatch(/^attachment/)
      expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
      return answer.headers.get('content-type')
    }
    expect(await toType({ accept: image })).toBe('image/svg+xml')
    expect(await toType({ accept: image, 'sec-fetch-dest': 'image' })).toBe('image/svg+xml')
    for (const headers of [
      { accept: image, 'sec-fetch-dest': 'object' },
      { accept: `text/html,${image}` },
      { accept: 'application/xhtml+xml,image/svg+xml', 'sec-fetch-dest': 'document' },
      { accept: '*/*', 'sec-fetch-dest': 'image' },
    ]) {
      expect(await toType(headers), JSON.stringify(headers)).toBe('application/octet-stream')
    }
    expect(await toType({ accept: image }, '/a.html')).toBe('application/octet-stream')
    expect((await get(toLink('/a.svg'))).headers.get('vary')).toContain('Accept, Sec-Fetch-Dest')
  })

  test.each([
    { range: 'bytes=1-3', status: 206, text: '123', more: 'bytes 1-3/10' },
    { range: 'bytes=-2', status: 206, text: '89', more: 'bytes 8-9/10' },
    { range: 'bytes=7-', status: 206, text: '789', more: 'bytes 7-9/10' },
    { range: 'bytes=1-2,4-5', status: 200, text: '0123456789', more: null },
    { range: 'pages=1', status: 200, text: '0123456789', more: null },
  ])('Range $range', async ({ range, status, text, more }) => {
    await setUp({ '/f': '0123456789' })
    const answer = await get(toLink('/f'), { range })
    expect([answer.status, answer.text, answer.headers.get('content-range')]).toEqual([status, text, more])
    expect(answer.headers.get('content-length')).toBe(String(text.length))
  })

  test('reads of the file only what Range asks for', async () => {
    const memory = createMemoryFileSystem()
    const asked: unknown[] = []
    const fs: FileSystem = {
      ...memory,
      open: (path, options) => {
        asked.push([options?.offset, options?.length])
        return memory.open(path, options)
      },
    }
    await setUp({ '/f': '0123456789' }, fs)
    await get(toLink('/f'), { range: 'bytes=5-6' })
    expect(asked).toEqual([[5, 2]])
    await get(toLink('/f'), {}, 'HEAD')
    expect(asked).toHaveLength(1)
  })

  test('a range beyond the end is a 416 that says the length', async () => {
    await setUp({ '/f': '0123456789' })
    const { status, headers, text } = await get(toLink('/f'), { range: 'bytes=10-' })
    expect([status, headers.get('content-range')]).toEqual([416, 'bytes */10'])
    expect(JSON.parse(text)).toMatchObject({ code: 'range-not-satisfiable' })
  })

  test('conditional requests', async () => {
    await setUp({ '/f': '0123456789' })
    const target = toLink('/f')
    const { headers } = await get(target)
    const etag = headers.get('etag') ?? ''
    const date = headers.get('last-modified') ?? ''
    const notModified = await get(target, { 'if-none-match': etag })
    expect([notModified.status, notModified.text, notModified.headers.get('etag')]).toEqual([304, '', etag])
    expect((await get(target, { 'if-modified-since': date })).status).toBe(304)
    expect((await get(target, { 'if-match': '"other"' })).status).toBe(412)
    expect((await get(target, { 'if-range': etag, range: 'bytes=0-0' })).status).toBe(206)
    expect((await get(target, { 'if-range': '"other"', range: 'bytes=0-0' })).status).toBe(200)
    await gateway?.fs.create('/f', chunksOf('longer than before'), { overwrite: true })
    expect((await get(target, { 'if-none-match': etag })).status).toBe(200)
    expect((await get(target, { 'if-match': etag })).status).toBe(412)
    expect((await get(target, { 'if-range': etag, range: 'bytes=0-0' })).status).toBe(200)
  })

  test('HEAD tells everything without a byte', async () => {
    await setUp({ '/f': '0123456789' })
    const { status, headers, text } = await get(toLink('/f'), { range: 'bytes=2-3' }, 'HEAD')
    expect([status, text, headers.get('content-length'), headers.get('content-range')]).toEqual([
      206,
      '',
      '2',
      'bytes 2-3/10',
    ])
  })

  test('a file that shrinks or grows meanwhile never ends as a whole answer', async () => {
    const memory = createMemoryFileSystem()
    let wrong = 9
    const fs: FileSystem = {
      ...memory,
      getFileStatus: async path => {
        const status = await memory.getFileStatus(path)
        return status.isDirectory ? status : { ...status, length: wrong }
      },
    }
    await setUp({ '/f': '0123456789'.repeat(2) }, fs)
    const read = async () => (await gateway?.call(toLink('/f')))?.text()
    expect(await read()).toBe('012345678')
    wrong = 21
    await expect(read()).rejects.toThrow('20 bytes came, 21 were announced')
  })

  test('an upstream that breaks breaks the answer off', async () => {
    const fs = createMemoryFileSystem({ fail: operation => (operation === 'open' ? 'torn' : undefined) })
    await setUp({ '/f': 'x'.repeat(1_000_000) }, fs)
    const response = await gateway?.call(toLink('/f'))
    expect(response?.status).toBe(200)
    await expect(response?.arrayBuffer()).rejects.toMatchObject({ code: 'unavailable' })
  })
})
