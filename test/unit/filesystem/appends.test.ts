/** Files that stay open, through file systems that wrap others. */
import { expect, test } from 'vitest'
import type { Appends, FileAppender } from '../../../src/filesystem/appends.ts'
import { RemoteException } from '../../../src/filesystem/cluster/remote-exception.ts'
import { createEitherWay } from '../../../src/filesystem/either-way.ts'
import { appendsOf } from '../../../src/filesystem/facets.ts'
import { type FileSystem, FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { NoDataNode } from '../../../src/filesystem/hdfs/files/no-data-node.ts'
import { SaslError } from '../../../src/filesystem/hdfs/tokens/digest-md5.ts'
import { createMountTable } from '../../../src/filesystem/mounts.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'

const closed = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
const away = (cause: unknown = closed, path = '/'): FileSystemError =>
  new FileSystemError('unavailable', path, `Cannot reach "${path}": away`, { cause })

/** Answers each verb, and says what it was asked for; an open file fails with each step but its end. */
const createAppends = (seen: string[]): Appends => {
  const open = async (verb: string, path: string): Promise<FileAppender> => {
    seen.push(`${verb} ${path}`)
    const fail = (): Promise<never> => Promise.reject(away(closed, path))
    return { length: 7, copies: 3, write: fail, hflush: fail, hsync: fail, close: fail, abandon: async () => {} }
  }
  return {
    create: (path, options) => open(`create ${options?.createParent}`, path),
    append: path => open('append', path),
    truncate: async (path, length) => void seen.push(`truncate ${path} ${length}`),
    visibleLength: async path => seen.push(`visibleLength ${path}`),
    recoverLease: async path => seen.push(`recoverLease ${path}`) > 0,
    isClosed: async path => seen.push(`isClosed ${path}`) > 0,
  }
}

const calls: Readonly<Record<keyof Appends, (appends: Appends, path: string) => Promise<unknown>>> = {
  create: (appends, path) => appends.create(path, { createParent: false }),
  append: (appends, path) => appends.append(path),
  truncate: (appends, path) => appends.truncate(path, 3),
  visibleLength: (appends, path) => appends.visibleLength(path),
  recoverLease: (appends, path) => appends.recoverLease(path),
  isClosed: (appends, path) => appends.isClosed(path),
}
const all = Object.entries(calls)

test.for(all)('%s goes to the cluster of its path, and is refused where none stay open', async ([, call]) => {
  const seen: string[] = []
  const far = { ...createMemoryFileSystem(), appends: createAppends(seen) }
  const table = createMountTable(createMemoryFileSystem(), [{ path: '/far', fileSystem: far }])
  await call(appendsOf(table), '/far//d/./log')
  expect(seen.map(one => one.replace(/^create false/, 'create'))).toEqual([expect.stringMatching(/^\w+ \/d\/log/)])
  await expect(call(appendsOf(table), '/near')).rejects.toMatchObject({
    code: 'unsupported',
    message: "memory:/// doesn't support files that stay open",
  })
  await expect(call(appendsOf(table), '/far')).rejects.toMatchObject({ code: 'is-directory', path: '/far' })
  expect(seen).toHaveLength(1)
})

test('errors of an open file speak of the path in the one name space', async () => {
  const far = { ...createMemoryFileSystem(), appends: createAppends([]) }
  const table = createMountTable(createMemoryFileSystem(), [{ path: '/far', fileSystem: far }])
  const file = await appendsOf(table).append('/far/log')
  expect(file.length).toBe(7)
  const steps = [file.write(Buffer.alloc(1)), file.hflush(), file.hsync(), file.close()]
  for (const step of steps) {
    await expect(step).rejects.toMatchObject({ path: '/far/log', message: 'Cannot reach "/far/log": away' })
  }
  await file.abandon()
})

test('a name space without such a cluster does not have them', () => {
  const local = createMemoryFileSystem()
  expect(createMountTable(local, [{ path: '/far', fileSystem: local }]).appends).toBe(undefined)
})

const openEither = (native: Partial<FileSystem>, webHdfs: Partial<FileSystem> = {}) => {
  const seen: string[] = []
  let ms = 0
  const say = (): void => {}
  const either = createEitherWay({
    native: { ...createMemoryFileSystem(), appends: createAppends(seen), ...native },
    webHdfs: { ...createMemoryFileSystem(), ...webHdfs },
    transfers: () => 0,
    log: { info: say, warn: say },
    now: () => ms,
  })
  const later = (by: number): void => {
    ms += by
  }
  return { either, seen, later }
}

test.for(all)('%s goes by the own protocol where that is spoken', async ([verb, call]) => {
  const { either, seen } = openEither({})
  await call(appendsOf(either), '/log')
  expect(seen).toEqual([expect.stringContaining(verb)])
})

test.for(all)('%s is refused where WebHDFS is taken, with the reason', async ([, call]) => {
  const { either, seen } = openEither({ probe: () => Promise.reject(away()) })
  await expect(call(appendsOf(either), '/log')).rejects.toMatchObject({
    code: 'unsupported',
    path: '/log',
    message: 'Cannot keep open "/log": memory:/// is spoken to by WebHDFS: Cannot reach "/": away',
  })
  expect(seen).toEqual([])
})

test('where neither way answers nothing is refused: it fails as the name node does', async () => {
  const fail = { probe: () => Promise.reject(away()) }
  const { either } = openEither(
    { ...fail, appends: { ...createAppends([]), create: () => Promise.reject(away()) } },
    fail,
  )
  await expect(appendsOf(either).create('/log')).rejects.toMatchObject({ code: 'unavailable' })
})

test('where only bytes go by WebHDFS it is refused until data nodes are asked again', async () => {
  const refused = away(new NoDataNode(new SaslError('privacy')))
  const { either, later } = openEither({ open: () => Promise.reject(refused) })
  await either.open('/f').catch(() => {})
  await expect(appendsOf(either).create('/log')).rejects.toThrow(
    /by its own protocol for names, and by WebHDFS for bytes/,
  )
  later(60_000)
  expect((await appendsOf(either).create('/log')).length).toBe(7)
})

test('what moves no bytes does not show whether data nodes are spoken to again', async () => {
  const opened: string[] = []
  const refused = away(new NoDataNode(new SaslError('privacy')))
  const { either, later } = openEither({
    open: path => {
      opened.push(path)
      return Promise.reject(refused)
    },
  })
  await either.open('/f').catch(() => {})
  later(60_000)
  await appendsOf(either).visibleLength('/log')
  await either.open('/g').catch(() => {})
  expect(opened).toEqual(['/f', '/g'])
})

test('a user whom the name nodes refuse does not have them, and others do', async () => {
  const denied = away(new RemoteException('AuthorizationException', 403, 'no'))
  const view = { ...createMemoryFileSystem(), appends: createAppends([]), probe: () => Promise.reject(denied) }
  const { either } = openEither({ as: () => view }, { as: () => createMemoryFileSystem() })
  const bob = either.as?.('bob')
  if (bob === undefined) throw new Error('no views')
  await expect(appendsOf(bob).create('/log')).rejects.toThrow('its name nodes take no calls on behalf of this user')
  expect((await appendsOf(either).create('/log')).length).toBe(7)
})
