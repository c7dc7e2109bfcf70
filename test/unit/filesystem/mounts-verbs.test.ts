import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RemoteException, remoteOf } from '../../../src/filesystem/cluster/remote-exception.ts'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import type { ContentSummary, WebHdfsOperation } from '../../../src/filesystem/hadoop-verbs.ts'
import { createMountTable } from '../../../src/filesystem/mounts.ts'
import { chunksOf, expectCode, readText } from '../../suites/filesystem.ts'
import { type FlatFileSystem as FileSystem, flat, fromVerbs } from '../../suites/flat-filesystem.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'

const setUp = () => {
  const [root, a, b] = [createMemoryFileSystem(), createMemoryFileSystem(), createMemoryFileSystem()]
  const table = flat(
    createMountTable(root, [
      { path: '/c/a', fileSystem: a },
      { path: '/c/a/deep/b', fileSystem: b },
    ]),
  )
  return { table, root, a, b }
}

/** Calls of all verbs of one path, with an error that is about it. */
const calls: Record<string, (fs: FileSystem, path: string) => Promise<unknown>> = {
  append: (fs, path) => fs.append(path, chunksOf('x')),
  setPermission: (fs, path) => fs.setPermission(path, 0o700),
  setOwner: (fs, path) => fs.setOwner(path, { owner: 'x' }),
  setReplication: (fs, path) => fs.setReplication(path, 1),
  setTimes: (fs, path) => fs.setTimes(path, { accessTime: 1 }),
  getContentSummary: (fs, path) => fs.getContentSummary(path),
  getFileChecksum: (fs, path) => fs.getFileChecksum(path),
  getFileBlockLocations: (fs, path) => fs.getFileBlockLocations(path, 0, 1),
  getStatus: (fs, path) => fs.getStatus(path),
  access: (fs, path) => fs.access(path, 4),
}

describe('createMountTable: verbs', () => {
  test.for(Object.entries(calls))(
    '%s goes to the cluster of its path, and errors speak of that path',
    async ([verb, call]) => {
      const seen: string[] = []
      const named = (name: string): FileSystem =>
        createMemoryFileSystem({
          fail: (operation, path) => {
            if (operation === verb) seen.push(`${name} ${path}`)
            return undefined
          },
        })
      const table = flat(createMountTable(named('root'), [{ path: '/far', fileSystem: named('far') }]))
      await table.create('/near/file', chunksOf('x'))
      await table.create('/far/dir/file', chunksOf('x'))
      await call(table, '/near/file')
      await call(table, '/far//dir/./file')
      expect(seen).toEqual(['root /near/file', 'far /dir/file'])
      await expect(call(table, '/far/dir/none')).rejects.toMatchObject({ code: 'not-found', path: '/far/dir/none' })
    },
  )

  test('a mount point, and what only leads to one, keeps its bits, owner and times', async () => {
    const { table, root, a } = setUp()
    const change = (path: string) => [
      table.setPermission(path, 0o700),
      table.setOwner(path, { owner: 'x' }),
      table.setTimes(path, { accessTime: 1 }),
      table.setReplication(path, 2),
    ]
    for (const path of ['/c', '/c/a', '/c/a/deep', '/c/a/deep/b']) {
      for (const call of change(path)) await expectCode(call, 'denied')
    }
    await expectCode(table.setPermission('/c/none', 0o700), 'not-found')
    // What is there all the same is a directory like any other.
    await root.mkdirs('/c')
    await Promise.all(change('/c'))
    expect((await root.getFileStatus('/c')).permission).toBe(0o700)
    await Promise.all(change('/'))
    expect((await a.getFileStatus('/')).permission).toBe(0o755)
  })

  test('what is, or leads to, a mount point is a directory for all verbs of files', async () => {
    const { table, root } = setUp()
    await root.create('/c/a', chunksOf('a file behind the mount point'))
    for (const path of ['/c', '/c/a', '/c/a/deep', '/c/a/deep/b']) {
      await expectCode(table.append(path, chunksOf('x')), 'is-directory')
      await expectCode(table.getFileChecksum(path), 'is-directory')
      await expectCode(table.getFileBlockLocations(path, 0, 1), 'is-directory')
    }
    expect(await readText(root, '/c/a')).toBe('a file behind the mount point')
  })

  test('what only leads to a mount point can be read and passed through, and not written to', async () => {
    const { table, root } = setUp()
    for (const path of ['/c', '/c/a/deep']) {
      for (const action of [0, 1, 4, 5]) await table.access(path, action)
      for (const action of [2, 3, 6, 7]) await expectCode(table.access(path, action), 'denied')
      expect(await table.getStatus(path)).toMatchObject({ used: 0 })
      await table.getServerDefaults(path)
    }
    await expectCode(table.access('/c/none', 4), 'not-found')
    await expectCode(table.getStatus('/c/none'), 'not-found')
    await root.mkdirs('/c')
    await table.access('/c', 7)
    await table.access('/c/a/deep/b', 7)
  })

  test('getStatus is that of the cluster', async () => {
    const { table } = setUp()
    await table.create('/c/a/file', chunksOf('12345'))
    expect((await table.getStatus('/c/a/file')).used).toBe(5)
    expect((await table.getStatus('/')).used).toBe(0)
  })
})

/** What a walk through all listings finds. */
const walk = async (
  fs: FileSystem,
  path: string,
): Promise<Pick<ContentSummary, 'directoryCount' | 'fileCount' | 'length'>> => {
  const total = { directoryCount: 1, fileCount: 0, length: 0 }
  for await (const part of fs.listStatus(path)) {
    for (const status of part) {
      const found = status.isDirectory
        ? await walk(fs, status.path)
        : { directoryCount: 0, fileCount: 1, length: status.length }
      total.directoryCount += found.directoryCount
      total.fileCount += found.fileCount
      total.length += found.length
    }
  }
  return total
}

test('getContentSummary counts what a walk finds, wherever clusters are mounted and whatever they hide', async () => {
  const name = fc.constantFrom('a', 'b', 'c')
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map(names => `/${names.join('/')}`)
  const files = fc.uniqueArray(path, { maxLength: 6 })
  const scene = fc.record({
    root: files,
    mounts: fc.dictionary(path, files, { maxKeys: 3 }),
    at: fc.oneof(path, fc.constant('/')),
  })
  await fc.assert(
    fc.asyncProperty(scene, async ({ root, mounts, at }) => {
      const fill = async (paths: readonly string[]): Promise<FileSystem> => {
        const fs = createMemoryFileSystem()
        // A directory for some, so that none is in the way of another.
        for (const one of paths) await fs.create(`${one}/file`, chunksOf(one)).catch(() => {})
        return fs
      }
      const mounted = await Promise.all(
        Object.entries(mounts).map(async ([point, paths]) => ({ path: point, fileSystem: await fill(paths) })),
      )
      const table = flat(createMountTable(await fill(root), mounted))
      const status = await table.getFileStatus(at).catch(() => undefined)
      if (!status) return await expectCode(table.getContentSummary(at), 'not-found')
      expect(await table.getContentSummary(at)).toMatchObject(await walk(table, at))
    }),
    { numRuns: 300 },
  )
})

test('getContentSummary fails with a cluster below that is unavailable, and tells whose fault it is', async () => {
  const away = createMemoryFileSystem({
    fail: (_, path) => new FileSystemError('unavailable', path, `Cannot use "${path}": it is away`),
  })
  const table = flat(createMountTable(createMemoryFileSystem(), [{ path: '/far/away', fileSystem: away }]))
  await expect(table.getContentSummary('/')).rejects.toMatchObject({ code: 'unavailable', path: '/far/away' })
  expect(table.problemOf('/far/away')).not.toBe('')
  expect(table.problemOf('/')).toBe('')
})

describe('createMountTable: webHdfs', () => {
  /** A cluster that notes what it is asked, and answers the same each time. */
  const createCluster = (answer?: unknown) => {
    const asked: WebHdfsOperation[] = []
    const webHdfs = (operation: WebHdfsOperation): Promise<unknown> => {
      asked.push(operation)
      return Promise.resolve(answer)
    }
    return { asked, fileSystem: fromVerbs({ ...createMemoryFileSystem(), webHdfs }) }
  }
  const operation = (more: Partial<WebHdfsOperation> = {}): WebHdfsOperation => ({
    method: 'GET',
    op: 'GETXATTRS',
    path: '/far/x',
    params: [],
    ...more,
  })
  const mountAt = (path: string, fileSystem: FileSystem, root: FileSystem = createMemoryFileSystem()) =>
    flat(createMountTable(root, [{ path, fileSystem }]))

  test('goes to the cluster of the path, with all else as it is', async () => {
    const [root, far] = [createCluster('root'), createCluster('far')]
    const table = mountAt('/far', far.fileSystem, root.fileSystem)
    const params = [
      ['xattr.name', 'user./far/x'],
      ['xattr.name', 'b'],
    ] as const
    const { signal } = new AbortController()
    expect(await table.webHdfs(operation({ params, signal }))).toBe('far')
    expect(far.asked).toEqual([{ method: 'GET', op: 'GETXATTRS', path: '/x', params, signal }])
    expect(await table.webHdfs(operation({ path: '/near', params }))).toBe('root')
    expect(root.asked).toEqual([operation({ path: '/near', params })])
  })

  test('a file system that is not a cluster does not support it', async () => {
    const table = mountAt('/far', createCluster().fileSystem)
    await expect(table.webHdfs(operation({ path: '/near' }))).rejects.toMatchObject({
      code: 'unsupported',
      path: '/near',
      message: "memory:/// doesn't support GETXATTRS",
    })
  })

  test('paths among the parameters are those of the cluster, however their names are written', async () => {
    const far = createCluster()
    const table = mountAt('/far', far.fileSystem)
    const params = [
      ['destination', '/far/y'],
      ['DESTINATION', '/far//z/'],
      ['sources', '/far/a,/far/b'],
      ['Sources', '/far/c'],
      ['other', '/far/d'],
    ] as const
    await table.webHdfs(operation({ method: 'POST', params }))
    expect(far.asked[0]?.params).toEqual([
      ['destination', '/y'],
      ['DESTINATION', '/z'],
      ['sources', '/a,/b'],
      ['Sources', '/c'],
      ['other', '/far/d'],
    ])
  })

  test.for([
    ['destination', '/near/y', 'bad-path'],
    ['Destination', '/far/../near', 'bad-path'],
    ['destination', '/farther', 'bad-path'],
    ['destination', '/far', 'denied'],
    ['destination', '/', 'denied'],
    ['destination', '', 'bad-path'],
    ['destination', 'y', 'bad-path'],
    ['sources', '/far/a,/near/b', 'bad-path'],
    ['sources', '/near/a', 'bad-path'],
    ['SOURCES', '/far/a,b', 'bad-path'],
    ['sources', '/far/a,', 'bad-path'],
    ['sources', '/far/../../x', 'bad-path'],
  ] as const)('%s=%s is refused with %s, before anybody is asked', async ([name, value, code]) => {
    const [root, far] = [createCluster(), createCluster()]
    const table = mountAt('/far', far.fileSystem, root.fileSystem)
    await expectCode(table.webHdfs(operation({ method: 'PUT', params: [[name, value]] })), code)
    expect([root.asked, far.asked]).toEqual([[], []])
  })

  test('nothing changes a mount point, or what leads to it; all may be asked', async () => {
    const [root, far] = [createCluster(), createCluster()]
    const table = mountAt('/far/a', far.fileSystem, root.fileSystem)
    for (const method of ['PUT', 'POST', 'DELETE'] as const) {
      for (const path of ['/far', '/far/a', '/far/a/'])
        await expectCode(table.webHdfs(operation({ method, path })), 'denied')
      await table.webHdfs(operation({ method, path: '/far/a/b' }))
      await table.webHdfs(operation({ method, path: '/' }))
    }
    for (const path of ['/far', '/far/a']) await table.webHdfs(operation({ path }))
    expect(far.asked.map(({ path }) => path)).toEqual(['/b', '/b', '/b', '/'])
  })

  const answers = {
    CREATESNAPSHOT: [{ Path: '/x/.snapshot/s' }, { Path: '/far/x/.snapshot/s' }],
    GETTRASHROOT: [{ Path: '/user/root/.Trash' }, { Path: '/far/user/root/.Trash' }],
    GETHOMEDIRECTORY: [{ Path: '/' }, { Path: '/far' }],
    GETTRASHROOTS: [
      { Paths: [{ path: '/user/bob/.Trash', owner: '/bob', length: 1 }] },
      { Paths: [{ path: '/far/user/bob/.Trash', owner: '/bob', length: 1 }] },
    ],
    'GETTRASHROOTS of old': [{ Paths: ['/a', '/b'] }, { Paths: ['/far/a', '/far/b'] }],
    'GETTRASHROOTS of none': [{ Paths: null }, { Paths: null }],
    GETSNAPSHOTTABLEDIRECTORYLIST: [
      { SnapshottableDirectoryList: [{ parentFullPath: '/', dirStatus: { pathSuffix: '/x' }, snapshotQuota: 1 }] },
      { SnapshottableDirectoryList: [{ parentFullPath: '/far', dirStatus: { pathSuffix: '/x' }, snapshotQuota: 1 }] },
    ],
    GETSNAPSHOTLIST: [
      { SnapshotList: [{ fullPath: '/x/.snapshot/s', dirStatus: {} }] },
      { SnapshotList: [{ fullPath: '/far/x/.snapshot/s', dirStatus: {} }] },
    ],
    GETSNAPSHOTDIFF: [
      { SnapshotDiffReport: { snapshotRoot: '/x', diffList: [{ sourcePath: '', type: 'MODIFY' }] } },
      { SnapshotDiffReport: { snapshotRoot: '/far/x', diffList: [{ sourcePath: '', type: 'MODIFY' }] } },
    ],
    GETXATTRS: [{ XAttrs: [{ name: '/x', value: '/x' }] }, { XAttrs: [{ name: '/x', value: '/x' }] }],
    GETECPOLICY: [null, null],
    SETACL: [undefined, undefined],
  }
  test.for(Object.entries(answers))(
    '%s: paths of the answer are those of the one name space',
    async ([, [inner, outer]]) => {
      expect(await mountAt('/far', createCluster(inner).fileSystem).webHdfs(operation())).toEqual(outer)
      const alone = mountAt('/other', createMemoryFileSystem(), createCluster(inner).fileSystem)
      expect(await alone.webHdfs(operation())).toBe(inner)
    },
  )

  test('a refusal speaks of the path in the one name space', async () => {
    const cause = new RemoteException('AccessControlException', 403, 'no')
    const far = fromVerbs({
      ...createMemoryFileSystem(),
      webHdfs: () => Promise.reject(new FileSystemError('denied', '/x', 'Cannot GETXATTRS "/x": no', { cause })),
    })
    const error = await mountAt('/far', far)
      .webHdfs(operation())
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'denied', path: '/far/x', message: 'Cannot GETXATTRS "/far/x": no' })
    expect(remoteOf(error)).toBe(cause)
  })
})

test('a verb that its caller gives up says nothing of the cluster', async () => {
  const far = createMemoryFileSystem({
    fail: (operation, path) => (operation === 'append' ? new FileSystemError('unavailable', path, 'gone') : undefined),
  })
  await far.create('/f', chunksOf('x'))
  const table = createMountTable(createMemoryFileSystem(), [{ path: '/far', fileSystem: far }])
  const controller = new AbortController()
  const source = async function* () {
    yield new Uint8Array(1)
    controller.abort()
  }
  await expectCode(table.hadoop.append('/far/f', source(), { signal: controller.signal }), 'unavailable')
  expect(table.problemOf('/far')).toBe('')
  await expectCode(table.hadoop.append('/far/f', chunksOf('y')), 'unavailable')
  expect(table.problemOf('/far')).not.toBe('')
})
