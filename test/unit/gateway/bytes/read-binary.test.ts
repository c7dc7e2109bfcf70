import { execFileSync } from 'node:child_process'
import { afterEach, describe, expect, test } from 'vitest'
import { hadoopOf } from '../../../../src/filesystem/facets.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { chunksOf } from '../../../suites/filesystem.ts'
import { createTestGateway, type TestGateway } from '../../../suites/gateway.ts'
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
})
