import { execFileSync } from 'node:child_process'
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

describe('GET /rest/1.0/binary', () => {
  test('gives a file as stored, as a download', async () => {
    await setUp({ '/d/näme "x".csv': 'a,b\r\n' })
    const { status, headers, text } = await get(at('/binary', '/d/näme "x".csv'))
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
    expect((await get(at('/binary', `/${name}`))).headers.get('content-type')).toBe('application/octet-stream')
  })

  test('a drawing has its type for an image alone, and is a download without power all the same', async () => {
    await setUp({ '/a.svg': '<svg/>', '/a.html': '<svg/>' })
    const image = 'image/avif,image/svg+xml,image/*;q=0.8'
    const toType = async (headers: Readonly<Record<string, string>>, path = '/a.svg') => {
      const answer = await get(at('/binary', path), headers)
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
    expect((await get(at('/binary', '/a.svg'))).headers.get('vary')).toContain('Accept, Sec-Fetch-Dest')
  })

  test.each([
    { range: 'bytes=1-3', status: 206, text: '123', more: 'bytes 1-3/10' },
    { range: 'bytes=-2', status: 206, text: '89', more: 'bytes 8-9/10' },
    { range: 'bytes=7-', status: 206, text: '789', more: 'bytes 7-9/10' },
    { range: 'bytes=1-2,4-5', status: 200, text: '0123456789', more: null },
    { range: 'pages=1', status: 200, text: '0123456789', more: null },
  ])('Range $range', async ({ range, status, text, more }) => {
    await setUp({ '/f': '0123456789' })
    const answer = await get('/rest/1.0/binary?path=/f', { range })
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
    await get('/rest/1.0/binary?path=/f', { range: 'bytes=5-6' })
    expect(asked).toEqual([[5, 2]])
    await get('/rest/1.0/binary?path=/f', {}, 'HEAD')
    expect(asked).toHaveLength(1)
  })

  test('a range beyond the end is a 416 that says the length', async () => {
    await setUp({ '/f': '0123456789' })
    const { status, headers, text } = await get('/rest/1.0/binary?path=/f', { range: 'bytes=10-' })
    expect([status, headers.get('content-range')]).toEqual([416, 'bytes */10'])
    expect(JSON.parse(text)).toMatchObject({ code: 'range-not-satisfiable' })
  })

  test('conditional requests', async () => {
    await setUp({ '/f': '0123456789' })
    const target = '/rest/1.0/binary?path=/f'
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
    const { status, headers, text } = await get('/rest/1.0/binary?path=/f', { range: 'bytes=2-3' }, 'HEAD')
    expect([status, text, headers.get('content-length'), headers.get('content-range')]).toEqual([
      206,
      '',
      '2',
      'bytes 2-3/10',
    ])
  })

  test('range counts lines of stored bytes, and excludes Range', async () => {
    await setUp({ '/f': 'a\r\nb\n\nd', '/d/1': '1\n2\n', '/d/2': '3\n' })
    expect((await get('/rest/1.0/binary?path=/f&range=1-1')).text).toBe('a\r\nb\n')
    expect((await get('/rest/1.0/binary?path=/f&range=2-9')).text).toBe('\nd')
    expect((await get('/rest/1.0/binary?path=/d&range=1-2&recursive=true')).text).toBe('1\n2\n3\n')
    expect((await get('/rest/1.0/binary?path=/f&range=1-1', { range: 'bytes=0-1' })).status).toBe(400)
  })

  test('a directory needs recursive=true, and then gives its files one after another', async () => {
    await setUp({ '/d/1': '1', '/d/_SUCCESS': 'x', '/d/s/2': '2' })
    expect((await get('/rest/1.0/binary?path=/d')).status).toBe(400)
    expect((await get('/rest/1.0/binary?path=/d&recursive=true')).text).toBe('12')
    expect((await get('/rest/1.0/binary?path=/none&recursive=true')).status).toBe(404)
  })

  test('or as an archive that tar unpacks', async () => {
    await setUp({ '/x/d/1': 'one', '/x/d/_SUCCESS': '', '/x/d/s/ü': 'two' })
    const response = await gateway?.call('/rest/1.0/binary?path=/x/d&recursive=true', {
      headers: { accept: 'application/x-tar' },
    })
    expect(response?.headers.get('content-type')).toBe('application/x-tar')
    expect(response?.headers.get('content-disposition')).toContain('filename="d.tar"')
    const input = Buffer.from((await response?.arrayBuffer()) ?? new ArrayBuffer())
    const names = execFileSync('tar', ['--list', '--quoting-style=literal', '--file=-'], { input, encoding: 'utf8' })
    expect(names.trim().split('\n')).toEqual(['d/1', 'd/s/', 'd/s/ü'])
    const both = execFileSync('tar', ['--extract', '--to-stdout', '--file=-'], { input, encoding: 'utf8' })
    expect(both).toBe('onetwo')
  })

  test.each([
    { archive: 'zip', more: '', names: ['d/1', 'd/s/', 'd/s/ü'] },
    { archive: 'tar', more: '&recursive=true', names: ['d/1', 'd/s/', 'd/s/ü'] },
    { archive: 'zip', more: '&select=s&select=1&select=s', names: ['d/s/', 'd/s/ü', 'd/1'] },
    { archive: 'tar', more: '&select=_SUCCESS', names: ['d/_SUCCESS'] },
    { archive: 'zip', more: '&select=1&select=gone', names: ['d/1', 'd/_LEFT_OUT.txt'] },
  ])('archive=$archive$more', async ({ archive, more, names }) => {
    await setUp({ '/x/d/1': 'one', '/x/d/_SUCCESS': '', '/x/d/s/ü': 'two', '/x/d/s/_tmp/3': '3' })
    const response = await gateway?.call(`/rest/1.0/binary?path=/x/d&archive=${archive}${more}`)
    expect(response?.headers.get('content-type')).toBe(archive === 'zip' ? 'application/zip' : 'application/x-tar')
    expect(response?.headers.get('content-disposition')).toContain(`filename="d.${archive}"`)
    const bytes = Buffer.from((await response?.arrayBuffer()) ?? new ArrayBuffer())
    const code = `import io, json, sys, tarfile, zipfile
b = io.BytesIO(sys.stdin.buffer.read())
z = zipfile.ZipFile(b) if sys.argv[1] == "zip" else None
print(json.dumps(z.namelist() if z else [i.name + "/" * i.isdir() for i in tarfile.open(fileobj=b)]))`
    expect(JSON.parse(execFileSync('python3', ['-c', code, archive], { input: bytes, encoding: 'utf8' }))).toEqual(
      names,
    )
  })

  test.each([
    { target: '/x/d/1', more: '&archive=zip', status: 409, says: 'is a file' },
    { target: '/x/d', more: '&select=1', status: 400, says: 'need recursive' },
    { target: '/x/d', more: '&select=1&recursive=true', status: 400, says: 'only of an archive' },
    { target: '/x/d/1', more: '&select=1', status: 400, says: 'only of an archive' },
    { target: '/x/d', more: '&archive=zip&select=../d/1', status: 400, says: 'cannot be used' },
    { target: '/x/d', more: '&archive=zip&select=..', status: 400, says: 'cannot be used' },
    { target: '/x/d', more: '&archive=rar', status: 400, says: 'archive' },
  ])('$target$more: $status', async ({ target, more, status, says }) => {
    await setUp({ '/x/d/1': 'one' })
    const refused = await get(`/rest/1.0/binary?path=${target}${more}`)
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(says)])
  })

  test.each(['tar', 'zip'])('a file that breaks off breaks the %s off', async archive => {
    const fs = createMemoryFileSystem({ fail: operation => (operation === 'open' ? 'torn' : undefined) })
    await setUp({ '/d/a': 'x'.repeat(1_000_000) }, fs)
    const response = await gateway?.call(`/rest/1.0/binary?path=/d&archive=${archive}`)
    await expect(response?.arrayBuffer()).rejects.toMatchObject({ code: 'unavailable' })
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
    const read = async () => (await gateway?.call('/rest/1.0/binary?path=/f'))?.text()
    expect(await read()).toBe('012345678')
    wrong = 21
    await expect(read()).rejects.toThrow('20 bytes came, 21 were announced')
  })

  test('an upstream that breaks breaks the answer off', async () => {
    const fs = createMemoryFileSystem({ fail: operation => (operation === 'open' ? 'torn' : undefined) })
    await setUp({ '/f': 'x'.repeat(1_000_000) }, fs)
    const response = await gateway?.call('/rest/1.0/binary?path=/f')
    expect(response?.status).toBe(200)
    await expect(response?.arrayBuffer()).rejects.toMatchObject({ code: 'unavailable' })
  })
})
