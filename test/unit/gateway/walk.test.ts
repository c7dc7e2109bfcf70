import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { isHidden, walk } from '../../../src/gateway/walk.ts'
import { chunksOf } from '../../suites/filesystem.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'

const createTree = async (options = {}) => {
  const fs = createMemoryFileSystem(options)
  for (const path of ['/t/a/1', '/t/a/b/2', '/t/c', '/t/d/3']) await fs.create(path, chunksOf(path))
  await fs.mkdirs('/t/e')
  return fs
}

const pathsOf = async (options: Partial<Parameters<typeof walk>[2]>, path = '/t') => {
  const fs = await createTree()
  const entries = walk(fs, await fs.getFileStatus(path), { recursive: true, ...options })
  return (await Array.fromAsync(entries)).flat().map(({ status }) => status.path)
}

describe('walk', () => {
  test('a file is itself', async () => expect(await pathsOf({}, '/t/c')).toEqual(['/t/c']))

  test('a directory gives its entries', async () => {
    expect(await pathsOf({ recursive: false })).toEqual(['/t/a', '/t/c', '/t/d', '/t/e'])
    expect(await pathsOf({ recursive: false, startAfter: 'c' })).toEqual(['/t/d', '/t/e'])
  })

  test('depth first, a directory behind what is in it', async () => {
    expect(await pathsOf({})).toEqual(['/t/a/1', '/t/a/b/2', '/t/a/b', '/t/a', '/t/c', '/t/d/3', '/t/d', '/t/e'])
    expect(await pathsOf({ startAfter: 'a' })).toEqual(['/t/c', '/t/d/3', '/t/d', '/t/e'])
  })

  test('or before', async () => {
    const want = ['/t/a', '/t/a/1', '/t/a/b', '/t/a/b/2', '/t/c', '/t/d', '/t/d/3', '/t/e']
    expect(await pathsOf({ directoriesFirst: true })).toEqual(want)
  })

  test('a directory below that cannot be listed is an entry with an error; the first one is a failure', async () => {
    const denied = (path: string) => new FileSystemError('denied', path, `Cannot list "${path}"`)
    let refused = '/t/a'
    const fs = await createTree({
      fail: (operation: string, path: string) =>
        operation === 'listStatus' && path === refused ? denied(path) : undefined,
    })
    const root = await fs.getFileStatus('/t')
    const entries = (await Array.fromAsync(walk(fs, root, { recursive: true }))).flat()
    expect(entries.map(({ status, error }) => [status.path, error?.code])).toEqual([
      ['/t/a', 'denied'],
      ['/t/c', undefined],
      ['/t/d/3', undefined],
      ['/t/d', undefined],
      ['/t/e', undefined],
    ])
    refused = '/t'
    await expect(Array.fromAsync(walk(fs, root, { recursive: true }))).rejects.toMatchObject({ code: 'denied' })
  })

  test('leaving it closes the listings of all levels', async () => {
    const fs = await createTree()
    const open = new Set<string>()
    const watched = {
      ...fs,
      async *listStatus(path: string) {
        open.add(path)
        try {
          yield* fs.listStatus(path)
        } finally {
          open.delete(path)
        }
      },
    }
    for await (const part of walk(watched, await fs.getFileStatus('/t'), { recursive: true })) {
      if (part.some(({ status }) => status.path === '/t/a/b/2')) break
    }
    await new Promise(resolve => setImmediate(resolve))
    expect([...open]).toEqual([])
  })
})

test.each([
  ['/_a/b', '/', true],
  ['/_a/b', '/_a', false],
  ['/_SUCCESS', '/', true],
  ['/x/.crc', '/x', true],
  ['/x/_t/a/b', '/x', true],
  ['/x/_t/a/b', '/x/_t/a', false],
  ['/a_b.c', '/', false],
  ['/_a', '/_a', false],
])('isHidden: %s below %s: %s', async (path, root, want) => {
  const fs = createMemoryFileSystem()
  await fs.create(path, chunksOf(''))
  expect(isHidden(await fs.getFileStatus(path), await fs.getFileStatus(root))).toBe(want)
})
