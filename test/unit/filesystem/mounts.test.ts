import { describe, expect, onTestFinished, test } from 'vitest'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { createMountTable } from '../../../src/filesystem/mounts.ts'
import { createS3FileSystem } from '../../../src/filesystem/s3.ts'
import { createUserViews } from '../../../src/filesystem/views.ts'
import { chunksOf, describeFileSystem, expectCode, listNames, readText } from '../../suites/filesystem.ts'
import { type FlatFileSystem as FileSystem, flat } from '../../suites/flat-filesystem.ts'
import { listAll } from '../../suites/list-all.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { startFakeS3, testEnv } from '../../suites/s3/fake-s3.ts'

const inMount = flat(
  createMountTable(createMemoryFileSystem(), [{ path: '/far/a', fileSystem: createMemoryFileSystem() }]),
)
describeFileSystem('mounted', { fs: () => inMount, base: '/far/a/suite' })

const besideMount = flat(
  createMountTable(createMemoryFileSystem(), [{ path: '/far/a', fileSystem: createMemoryFileSystem() }]),
)
describeFileSystem('beside a mount', { fs: () => besideMount, base: '/suite' })

/** A cluster that does not answer. */
const createAway = (): FileSystem => {
  const away = (path: string) => new FileSystemError('unavailable', path, `Cannot use "${path}": it is away`)
  return createMemoryFileSystem({ fail: (_, path) => away(path) })
}

const setUp = () => {
  const [root, a, b] = [createMemoryFileSystem(), createMemoryFileSystem(), createMemoryFileSystem()]
  const table = flat(
    createMountTable(root, [
      { path: '/c/a', fileSystem: a },
      { path: '/c/a/deep/b', fileSystem: b },
      { path: '/z', fileSystem: createAway() },
    ]),
  )
  return { table, root, a, b }
}

describe('createMountTable', () => {
  test('the longest mount point above a path serves it, by its own paths', async () => {
    const { table, root, a, b } = setUp()
    for (const path of ['/x', '/c/ab', '/c/a/x', '/c/a/deep/x', '/c/a/deep/b/x'])
      await table.create(path, chunksOf(path))
    expect(await readText(root, '/c/ab')).toBe('/c/ab')
    expect(await readText(a, '/deep/x')).toBe('/c/a/deep/x')
    expect(await readText(b, '/x')).toBe('/c/a/deep/b/x')
    expect(await table.getFileStatus('/c/a//deep/./b/x')).toMatchObject({ path: '/c/a/deep/b/x' })
    expect(['/', '/c/ab', '/c/a', '/c/a/x', '/c/a/deep/b', '//c//a/x', 'no path'].map(table.mountOf)).toEqual([
      '/',
      '/',
      '/c/a',
      '/c/a',
      '/c/a/deep/b',
      '/c/a',
      '/',
    ])
  })

  test('on behalf of a user where a cluster knows users, as itself elsewhere; what does not answer is known of all', async () => {
    const [root, own, others] = [createMemoryFileSystem(), createMemoryFileSystem(), createMemoryFileSystem()]
    const as = createUserViews(user => (user === 'bob' ? others : createAway()))
    const table = flat(createMountTable(root, [{ path: '/far', fileSystem: { ...own, as } }]))
    const view = table.as?.('bob')
    const bob = view && flat(view)
    await bob?.create('/far/x', chunksOf('of bob'))
    await bob?.create('/x', chunksOf('of all'))
    expect(await readText(others, '/x')).toBe('of bob')
    expect(await readText(root, '/x')).toBe('of all')
    await expectCode(table.getFileStatus('/far/x'), 'not-found')
    expect(table.as?.('bob')).toBe(view)
    await expectCode(table.as?.('alice').getFileStatus('/far/x') ?? Promise.resolve(), 'unavailable')
    expect(table.problemOf('/far')).toContain('away')
    expect(flat(createMountTable(root, [{ path: '/far', fileSystem: own }])).as).toBeUndefined()
  })

  test('views of more users than are kept are recreated', () => {
    let made = 0
    const as = createUserViews(() => {
      made++
      return createMemoryFileSystem()
    })
    const first = as('0')
    for (let user = 1; user < 1_000; user++) as(String(user))
    expect(as('0')).toBe(first)
    as('1000')
    expect(as('0'), 'it was asked for a moment ago').toBe(first)
    const before = made
    as('1')
    expect(made).toBe(before + 1)
  })

  test('listings show mount points among the rest, in order, without asking what is behind them', async () => {
    const { table, root, a } = setUp()
    expect(await listNames(table, '/')).toEqual(['c', 'z'])
    for (const name of ['b', 'd', 'zz']) await root.create(`/${name}`, chunksOf(''))
    await root.create('/c/hidden/x', chunksOf(''))
    await root.create('/z', chunksOf('a file behind the mount point'))
    expect(await listNames(table, '/')).toEqual(['b', 'c', 'd', 'z', 'zz'])
    expect(await listNames(table, '/', { startAfter: 'd' })).toEqual(['z', 'zz'])
    expect((await listAll(table, '/')).map(({ isDirectory }) => isDirectory)).toEqual([false, true, false, true, false])
    expect(await listNames(table, '/c')).toEqual(['a', 'hidden'])
    expect(await listNames(table, '/c/a')).toEqual(['deep'])
    await a.create('/file', chunksOf(''))
    const entries = await listAll(table, '/c/a')
    expect(entries.map(({ path }) => path)).toEqual(['/c/a/deep', '/c/a/file'])
  })

  test('wherever a mount point comes in the parts of a listing', async () => {
    for (const place of ['0', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      const root = createMemoryFileSystem()
      const table = flat(
        createMountTable(root, [
          { path: `/${place}`, fileSystem: createMemoryFileSystem() },
          { path: '/f/below', fileSystem: createMemoryFileSystem() },
        ]),
      )
      for (const name of ['a', 'b', 'c', 'd', 'e', 'g']) await root.create(`/${name}`, chunksOf(''))
      const want = new Set(['a', 'b', 'c', 'd', 'e', 'f', 'g', place])
      const parts = await Array.fromAsync(table.listStatus('/'))
      expect(parts.every(part => part.length > 0)).toBe(true)
      expect(parts.flat().map(({ path, isDirectory }) => [path.slice(1), isDirectory])).toEqual(
        [...want].sort().map(name => [name, name === place || name === 'f']),
      )
    }
  })

  test('a store that orders names otherwise: each mount point once, and nothing of what it hides', async () => {
    const fake = await startFakeS3({ pageKeys: 1 })
    const how = { endpoint: fake.endpoint, region: 'r', env: testEnv }
    const root = await createS3FileSystem({ url: 's3://bucket', ...how })
    onTestFinished(async () => {
      await root.close()
      await fake.close()
    })
    for (const key of ['a-b', 'a/hidden', 'c', 'd-e', 'd/x', 'é/hidden']) fake.stored.put(key, '')
    const mountPoints = ['/a', '/d/below', '/é', '/z']
    const table = createMountTable(
      root,
      mountPoints.map(path => ({ path, fileSystem: createMemoryFileSystem() })),
    )
    const parts = await Array.fromAsync(table.listStatus('/'))
    expect(parts.every(part => part.length > 0)).toBe(true)
    const names = parts.flat().map(({ path }) => path.slice(1))
    expect(names.toSorted()).toEqual(['a', 'a-b', 'c', 'd', 'd-e', 'z', 'é'])
    const rest = await listNames(table, '/', { startAfter: 'c' })
    expect(rest.toSorted()).toEqual(['d', 'd-e', 'z'])
  })

  test('directories on the way to a mount point exist', async () => {
    const { table } = setUp()
    expect(await table.getFileStatus('/c')).toMatchObject({ path: '/c', isDirectory: true })
    expect(await table.getFileStatus('/c/a/deep')).toMatchObject({ isDirectory: true })
    expect(await listNames(table, '/c/a/deep')).toEqual(['b'])
    await expectCode(table.getFileStatus('/c/none'), 'not-found')
    await expectCode(table.create('/c', chunksOf('')), 'is-directory')
    await expectCode(table.open('/c/a'), 'is-directory')
  })

  test('a cluster that is unavailable fails its own paths and no others', async () => {
    const { table } = setUp()
    await expectCode(table.getFileStatus('/z'), 'unavailable')
    await expectCode(readText(table, '/z/x'), 'unavailable')
    await expectCode(listNames(table, '/z/x'), 'unavailable')
    await table.create('/c/a/x', chunksOf('x'))
    expect(await readText(table, '/c/a/x')).toBe('x')
    await table.probe()
  })

  test('errors speak of the path in the one name space', async () => {
    const { table } = setUp()
    await expect(table.getFileStatus('/z/dir/x')).rejects.toMatchObject({
      path: '/z/dir/x',
      message: 'Cannot use "/z/dir/x": it is away',
    })
    await expect(listNames(table, '/c/a/none')).rejects.toMatchObject({ code: 'not-found', path: '/c/a/none' })
  })

  test('errors that speak of directories above it as well do so by their names there', async () => {
    const path = '/d(/f"/g'
    const message = 'Cannot use "/d(/f"/g": "/d(/f"" is a file in "/d(" of "/", beside "/d(/x" and "/dx"'
    const getFileStatus = () => Promise.reject(new FileSystemError('not-directory', path, message))
    const table = createMountTable(createMemoryFileSystem(), [
      { path: '/d(', fileSystem: { ...createMemoryFileSystem(), getFileStatus } },
    ])
    await expect(table.getFileStatus(`/d(${path}`)).rejects.toMatchObject({
      path: `/d(${path}`,
      message: 'Cannot use "/d(/d(/f"/g": "/d(/d(/f"" is a file in "/d(/d(" of "/d(", beside "/d(/x" and "/dx"',
    })
  })

  test('mount points, and what holds them, are neither deleted nor moved; nothing is renamed across', async () => {
    const { table, root } = setUp()
    await table.create('/x', chunksOf('x'))
    await table.create('/c/a/y', chunksOf('y'))
    await root.mkdirs('/c')
    for (const path of ['/c', '/c/a', '/c/a/deep', '/z']) {
      await expectCode(table.delete(path, { recursive: true }), 'denied')
      await expectCode(table.rename(path, '/c/a/moved'), 'denied')
    }
    await expectCode(table.rename('/x', '/z', { overwrite: true }), 'denied')
    await expectCode(table.rename('/x', '/c/a/x'), 'bad-path')
    await table.rename('/c/a/y', '/c/a/moved')
    expect(await readText(table, '/c/a/moved')).toBe('y')
    await expectCode(table.delete('/', { recursive: true }), 'bad-path')
  })

  test('closes all file systems', async () => {
    const closed: string[] = []
    const closing = (name: string): FileSystem => ({
      ...createMemoryFileSystem(),
      close: async () => void closed.push(name),
    })
    await flat(createMountTable(closing('root'), [{ path: '/a', fileSystem: closing('a') }])).close()
    expect(closed).toEqual(['root', 'a'])
  })
})

test('problemOf says why a cluster did not answer the last call, and forgets it with the next answer', async () => {
  let isAway = true
  const archive = createMemoryFileSystem({
    fail: (_, path) => (isAway ? new FileSystemError('unavailable', path, 'no route to the name node') : undefined),
  })
  const table = flat(createMountTable(createMemoryFileSystem(), [{ path: '/archive', fileSystem: archive }]))
  expect(table.problemOf('/archive/x')).toBe('')
  await expect(table.getFileStatus('/archive/x')).rejects.toMatchObject({ code: 'unavailable' })
  expect([table.problemOf('/archive/x'), table.problemOf('/other')]).toEqual(['no route to the name node', ''])
  isAway = false
  await expect(table.getFileStatus('/archive/x')).rejects.toMatchObject({ code: 'not-found' })
  expect(table.problemOf('/archive')).toBe('')
})

describe('createMountTable: publish', () => {
  const bytes = '0123456789'
  const attemptAt = (temporary: string) => ({ temporary, length: 10, note: async () => {} })
  const mountFar = (fail?: Parameters<typeof createMemoryFileSystem>[0]) => {
    const [root, far] = [createMemoryFileSystem(), createMemoryFileSystem(fail)]
    return { root, far, table: createMountTable(root, [{ path: '/far/a', fileSystem: far }]) }
  }

  test.for(['/near/t', '/', '/far/t'])('what is at %s cannot get a name on another cluster', async temporary => {
    const { root, far, table } = mountFar()
    const attempt = attemptAt(temporary)
    await expectCode(table.publish('/far/a/f', chunksOf(bytes), { attempt }), 'bad-path')
    await expectCode(table.settle('/far/a/f', attempt), 'bad-path')
    expect([await listNames(root, '/'), await listNames(far, '/')]).toEqual([[], []])
  })

  test.for(['/far', '/far/a'])('nothing gets the name %s, which leads to a cluster', async path => {
    const { root, far, table } = mountFar()
    await expectCode(table.publish(path, chunksOf(bytes), { overwrite: true }), 'is-directory')
    await expectCode(table.publish(path, chunksOf(bytes), { attempt: attemptAt('/t') }), 'is-directory')
    expect([await listNames(root, '/'), await listNames(far, '/')]).toEqual([[], []])
  })

  test('the reason for an outage has the path in the one name space', async () => {
    const { far, table } = mountFar({
      fail: (operation, path) =>
        operation === 'rename' ? new FileSystemError('not-found', path, `no "${path}"`) : undefined,
    })
    await far.create('/f', chunksOf('another'))
    const published = await table.publish('/far/a/f', chunksOf(bytes), {
      attempt: { ...attemptAt('/far/a/t'), crc: 1 },
    })
    expect(published).toMatchObject({ outcome: 'foreign', failure: { path: '/far/a/t', message: 'no "/far/a/t"' } })
  })
})
