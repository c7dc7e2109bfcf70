/** A file system on which the rights of callers count: whatever they ask the gateway for is done on their behalf. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hadoopOf } from '../../src/filesystem/facets.ts'
import { type FileSystem, FileSystemError } from '../../src/filesystem/filesystem.ts'
import { createUserViews } from '../../src/filesystem/views.ts'
import { createToken } from '../../src/http/auth/auth.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { toTokenLine } from '../../src/http/auth/token-file.ts'
import { chunksOf } from '../suites/filesystem.ts'
import { at, createTestGateway, type TestGateway } from '../suites/gateway.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'

const directory = mkdtempSync(join(tmpdir(), 'sluice-callers-'))
const tokens = { alice: createToken(), bob: createToken() }
type Name = keyof typeof tokens

/** Each caller has files of his own, under the same names; those of the server are private. */
const createHomes = async () => {
  const homes = new Map<string, FileSystem>()
  const own = createMemoryFileSystem({
    fail: (_, path) => new FileSystemError('denied', path, `Cannot use "${path}": it is the server's`),
  })
  for (const name of ['alice', 'bob']) {
    const home = createMemoryFileSystem()
    await home.create('/d/f.txt', chunksOf(`of ${name}\n`))
    for (let file = 0; file < 1_200; file++)
      await home.create(`/many/${name}-${String(file).padStart(4, '0')}`, chunksOf(''))
    homes.set(name, home)
  }
  const as = createUserViews(user => homes.get(user) ?? own)
  return { fileSystem: { ...own, as }, homes }
}

describe('what a caller asks for', () => {
  let gateway: TestGateway
  let homes: Map<string, FileSystem>
  beforeAll(async () => {
    const file = join(directory, 'tokens')
    const lines = Object.entries(tokens).map(([name, token]) => toTokenLine(name, ['read', 'write'], hashToken(token)))
    writeFileSync(file, lines.join('\n'))
    const made = await createHomes()
    homes = made.homes
    gateway = await createTestGateway({ fileSystem: made.fileSystem, settings: [`auth.tokens=${file}`] })
  })
  afterAll(async () => {
    await gateway.close()
    rmSync(directory, { recursive: true })
  })
  const ask = async (name: Name, target: string, init: RequestInit = {}): Promise<string> => {
    const headers = { authorization: `Bearer ${tokens[name]}`, 'content-type': 'text/plain' }
    const response = await gateway.call(target, { ...init, headers })
    return `${response.status} ${await response.text()}`
  }

  const reads: readonly (readonly [string, string])[] = [
    ['a listing', at('/json', '/many', '&limit=1')],
    ['rows', at('/json', '/d/f.txt')],
    ['rows of a tree', at('/json', '/d', '&recursive=true')],
    ['text', at('/text', '/d/f.txt')],
    ['bytes', at('/binary', '/d/f.txt')],
    ['bytes of a tree', at('/binary', '/d', '&recursive=true')],
    ['a page', at('/hdfs', '/d/f.txt')],
    ['OPEN', '/webhdfs/v1/d/f.txt?op=OPEN'],
    ['LISTSTATUS', '/webhdfs/v1/many?op=LISTSTATUS'],
    ['LISTSTATUS_BATCH', '/webhdfs/v1/many?op=LISTSTATUS_BATCH'],
  ]
  test.each(reads)('%s is read as he may read it, turn by turn', async (_, target) => {
    for (const name of ['alice', 'bob', 'alice', 'bob'] as const) {
      const [answer, other] = [await ask(name, target), name === 'alice' ? 'bob' : 'alice']
      expect(answer.slice(0, 3)).toBe('200')
      expect(answer).toMatch(new RegExp(`of ${name}|${name}-0000`))
      expect(answer.replaceAll(`>${other}<`, '')).not.toMatch(new RegExp(`of ${other}|${other}-0`))
    }
  })

  test('pages of a listing that one has begun are not given to another', async () => {
    await ask('alice', '/webhdfs/v1/many?op=LISTSTATUS_BATCH')
    const next = (name: Name) => ask(name, '/webhdfs/v1/many?op=LISTSTATUS_BATCH&startAfter=alice-0999')
    expect(await next('bob')).toContain('bob-0000')
    expect(await next('bob')).not.toContain('alice-1000')
    expect(await next('alice')).toContain('alice-1000')
  })

  const writes: readonly (readonly [string, string, RequestInit, string])[] = [
    ['an upload', at('', '/w/upload'), { method: 'POST', body: 'x' }, '/w/upload'],
    ['CREATE', '/webhdfs/v1/w/create?op=CREATE&data=true', { method: 'PUT', body: 'x' }, '/w/create'],
    ['MKDIRS', '/webhdfs/v1/w/made?op=MKDIRS', { method: 'PUT' }, '/w/made'],
    ['APPEND', '/webhdfs/v1/d/f.txt?op=APPEND&data=true', { method: 'POST', body: 'y' }, '/d/f.txt'],
  ]
  test.each(writes)('%s is done for him alone', async (_, target, init, path) => {
    expect(await ask('bob', target, init)).toMatch(/^20[01]/)
    expect(await homes.get('bob')?.getFileStatus(path)).toMatchObject({ path })
    const ofAlice = await homes
      .get('alice')
      ?.getFileStatus(path)
      .catch(() => undefined)
    expect(ofAlice?.length ?? 0).toBe(path === '/d/f.txt' ? 'of alice\n'.length : 0)
  })

  test.each([
    ['a delete', at('', '/x')],
    ['DELETE', '/webhdfs/v1/x?op=DELETE'],
  ])('%s is done for him alone', async (_, target) => {
    for (const home of homes.values()) await hadoopOf(home).create('/x', chunksOf('x'), { overwrite: true })
    expect(await ask('bob', target, { method: 'DELETE' })).toMatch(/^200/)
    await expect(homes.get('bob')?.getFileStatus('/x')).rejects.toMatchObject({ code: 'not-found' })
    expect(await homes.get('alice')?.getFileStatus('/x')).toMatchObject({ path: '/x' })
  })
})
