import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../../../src/filesystem/filesystem.ts'
import { maxOpenedThrough } from '../../../../../src/gateway/pages/listing/open-through.ts'
import {
  filesNewestFirst,
  maxNewestDirectories,
  maxNewestEntries,
} from '../../../../../src/gateway/pages/tree/newest-first.ts'
import { createMemoryFileSystem, type MemoryOptions } from '../../../../suites/memory-filesystem.ts'
import { createReadContext } from '../../../../suites/reads.ts'
import { createWorld } from '../world.ts'

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`).join('')
const toPage = (path: string, query = '') => `/rest/1.0/hdfs?path=${encodeURIComponent(path)}${query}`
const { signal } = new AbortController()

/** Files that were made one after another, each a second later. */
const createFiles = async (paths: readonly string[], memory: MemoryOptions = {}) => {
  let second = 0
  const fileSystem = createMemoryFileSystem({ now: () => second * 1_000, ...memory })
  for (const path of paths) {
    second += 1
    await fileSystem.create(path, new Blob([lines(3)]).stream())
  }
  return fileSystem
}
const list = async (paths: readonly string[], after?: string, memory?: MemoryOptions) => {
  const fileSystem = await createFiles(paths, memory)
  const found: string[] = []
  const context = createReadContext(fileSystem)
  for await (const { status, error } of filesNewestFirst(context, await fileSystem.getFileStatus('/d'), {
    after,
    signal,
  }))
    found.push(`${status.path.slice(3)}${error ? `: ${error.code}` : ''}`)
  return found
}

describe('the files below a directory, the newest first', () => {
  const partitions = ['/d/2024-05-02/10/a', '/d/2024-05-02/09/b', '/d/2024-05-01/23/c', '/d/2024-05-01/23/d']
  test.each([
    { what: 'files by time', paths: ['/d/b', '/d/c', '/d/a'], want: ['a', 'c', 'b'] },
    {
      what: 'partitions by name, whenever they were written',
      paths: partitions,
      want: ['2024-05-02/10/a', '2024-05-02/09/b', '2024-05-01/23/d', '2024-05-01/23/c'],
    },
    { what: 'partitions with a key', paths: ['/d/day=2/x', '/d/day=1/y'], want: ['day=2/x', 'day=1/y'] },
    { what: 'other directories by time', paths: ['/d/z/1', '/d/a/1'], want: ['a/1', 'z/1'] },
    { what: 'directories before older files', paths: ['/d/x', '/d/1/a'], want: ['1/a', 'x'] },
    { what: 'newer files before directories', paths: ['/d/1/a', '/d/x'], want: ['x', '1/a'] },
    { what: 'nothing that is hidden', paths: ['/d/a', '/d/_tmp/b', '/d/.c', '/d/_SUCCESS'], want: ['a'] },
  ])('$what', async ({ paths, want }) => {
    expect(await list(paths)).toEqual(want)
  })

  test('continue after each of them', async () => {
    const all = await list(partitions)
    for (const [index, after] of all.entries()) expect(await list(partitions, after)).toEqual(all.slice(index + 1))
  })

  test('begin with the newest where the one before them is gone', async () => {
    expect(await list(['/d/a', '/d/b'], 'c')).toEqual(['b', 'a'])
  })

  test('name a directory that cannot be listed, and continue', async () => {
    const denied = (operation: string, path: string) =>
      operation === 'listStatus' && path === '/d/2' ? new FileSystemError('denied', path, 'no') : undefined
    expect(await list(['/d/1/a', '/d/2/b', '/d/3/c'], undefined, { fail: denied })).toEqual(['3/c', '2: denied', '1/a'])
  })

  test('end where there are too many directories', async () => {
    const paths = Array.from({ length: maxNewestDirectories + 5 }, (_, index) => `/d/${1000 + index}/f`)
    const found = await list(paths)
    expect(found).toHaveLength(maxNewestDirectories)
    expect(found.at(-1)).toMatch(/: too-large$/)
  })

  test.each([0, 5, 30_000])('of more entries than are kept are reported first: %i too many', async more => {
    const memory = await createFiles(['/d/f'])
    const file = await memory.getFileStatus('/d/f')
    const entries = Array.from({ length: maxNewestEntries + more }, (_, index) => ({
      ...file,
      path: `/d/f${index}`,
      modificationTime: index,
    }))
    const listStatus = async function* () {
      for (let at = 0; at < entries.length; at += 15_000) yield entries.slice(at, at + 15_000)
    }
    const { page } = await createWorld({ fileSystem: { ...memory, listStatus } })
    const html = await page(toPage('/d', '&recursive=true'))
    if (more === 0) expect(html).not.toContain('left out')
    else {
      const [left, all] = [more, maxNewestEntries + more].map(count => count.toLocaleString('en-US'))
      expect(html).toContain(`The oldest ${left} of ${all} entries are left out`)
    }
    expect(html).toContain(`f${maxNewestEntries + more - 1}<`)
  })
})

describe('"Newest rows"', () => {
  const files = {
    '/events/PageView/2024-05-01/23/old.txt': lines(5),
    '/events/PageView/2024-05-02/08/new.txt': lines(350),
    '/events/PageView/2024-05-02/09/empty.txt': '',
    '/none/_SUCCESS': 'x\n',
    '/damaged/a.parquet': 'PAR1 and no footer PAR1',
  }
  const world = createWorld({ files })
  const follow = async (path: string, query = '') => {
    const response = await (await world).get(toPage(path, `&show=newest${query}`))
    return [response.status, response.headers.get('location')]
  }

  test('of a directory lead to the last rows of the newest file that has any', async () => {
    const want = '/rest/1.0/hdfs?path=/events/PageView/2024-05-02/08/new.txt&range=250-349'
    expect(await (await world).page(toPage('/events/PageView'))).toContain('show=newest')
    expect(await follow('/events/PageView')).toEqual([303, `${want}&order=desc`])
    expect(await follow('/events', '&columns=a')).toEqual([303, `${want}&order=desc&columns=a`])
    expect(await (await world).page(want)).toContain('line 349')
  })

  test('of a file lead to its last rows, and only where there are more', async () => {
    const path = '/events/PageView/2024-05-02/08/new.txt'
    expect(await (await world).page(toPage(path))).toContain('show=newest')
    expect(await (await world).page(toPage(path, '&range=300-349'))).not.toContain('show=newest')
    expect(await follow(path)).toEqual([303, `/rest/1.0/hdfs?path=${path}&range=250-349&order=desc`])
    expect(await follow('/events/PageView/2024-05-02/09/empty.txt')).toEqual([
      303,
      '/rest/1.0/hdfs?path=/events/PageView/2024-05-02/09/empty.txt',
    ])
  })

  test('are reported as missing without files', async () => {
    expect(await (await world).page(toPage('/none', '&show=newest'))).toContain('No file with rows was found')
  })

  test('of a file that cannot be read lead to its page, which tells why', async () => {
    expect(await follow('/damaged')).toEqual([303, '/rest/1.0/hdfs?path=/damaged/a.parquet'])
  })
})

describe('a directory that holds one directory and nothing else', () => {
  test('opens through, as far as there is no choice', async () => {
    const files = { '/d/2024-05-01/08/f': 'x', '/d/2024-05-02/08/f': 'x', '/d/2024-05-02/09/f': 'x', '/d/one/f': 'x' }
    const html = await (await createWorld({ files })).page(toPage('/d'))
    const links = [...html.matchAll(/<td class="name">(?:<input[^>]*>)?<a href="([^"]*)">.*?<bdi>([^<]*)/g)].map(
      ([, to, name]) => [to, name],
    )
    expect(links).toEqual([
      ['/rest/1.0/hdfs?path=/d/2024-05-01/08', '2024-05-01/08'],
      ['/rest/1.0/hdfs?path=/d/2024-05-02', '2024-05-02'],
      ['/rest/1.0/hdfs?path=/d/one', 'one'],
    ])
  })

  test('is itself where it cannot be looked into, or too many come before it', async () => {
    const files = Object.fromEntries(
      Array.from({ length: maxOpenedThrough + 1 }, (_, index) => [`/d/${1000 + index}/only/f`, 'x'] as const),
    )
    const fail = (operation: string, path: string) =>
      operation === 'listStatus' && path === '/d/1000' ? new FileSystemError('denied', path, 'no') : undefined
    const html = await (await createWorld({ files, memory: { fail } })).page(toPage('/d'))
    expect(html.match(/<bdi>\d+\/only<\/bdi>/g)).toHaveLength(maxOpenedThrough - 1)
    expect(html).toMatch(/<bdi>1000<\/bdi>[\s\S]*<bdi>1001\/only<\/bdi>[\s\S]*<bdi>1100<\/bdi>/)
  })
})
