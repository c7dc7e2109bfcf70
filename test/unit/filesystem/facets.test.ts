import { expect, test } from 'vitest'
import { directoriesOf, hadoopOf } from '../../../src/filesystem/facets.ts'
import type { Directories, FileSystem } from '../../../src/filesystem/filesystem.ts'
import type { HadoopVerbs } from '../../../src/filesystem/hadoop-verbs.ts'
import { createMountTable } from '../../../src/filesystem/mounts.ts'
import { createTimedFileSystem } from '../../../src/gateway/timed-filesystem.ts'
import { chunksOf } from '../../suites/filesystem.ts'
import { fromVerbs } from '../../suites/flat-filesystem.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'

/** A file system that has neither facet, as an object store. */
const createBare = async (): Promise<FileSystem> => {
  const memory = createMemoryFileSystem()
  await memory.create('/d/f', chunksOf('12345'))
  const { directories: _, hadoop: __, ...bare } = memory
  return bare
}

/** A call of each verb. */
const verbs: { readonly [Verb in keyof HadoopVerbs]: (hadoop: HadoopVerbs, path: string) => Promise<unknown> } = {
  create: (hadoop, path) => hadoop.create(path, chunksOf('x'), { overwrite: true }),
  append: (hadoop, path) => hadoop.append(path, chunksOf('x')),
  setPermission: (hadoop, path) => hadoop.setPermission(path, 0o600),
  setOwner: (hadoop, path) => hadoop.setOwner(path, { owner: 'x' }),
  setReplication: (hadoop, path) => hadoop.setReplication(path, 2),
  setTimes: (hadoop, path) => hadoop.setTimes(path, { accessTime: 1 }),
  getContentSummary: (hadoop, path) => hadoop.getContentSummary(path),
  getFileChecksum: (hadoop, path) => hadoop.getFileChecksum(path),
  getFileBlockLocations: (hadoop, path) => hadoop.getFileBlockLocations(path, 0, 1),
  getStatus: (hadoop, path) => hadoop.getStatus(path),
  getServerDefaults: (hadoop, path) => hadoop.getServerDefaults(path),
  access: (hadoop, path) => hadoop.access(path, 4),
  webHdfs: (hadoop, path) => hadoop.webHdfs({ method: 'GET', op: 'GETXATTRS', path, params: [] }),
}

/** What Hadoop's own local file system answers where it keeps nothing of the kind. */
const madeUp: Partial<Record<keyof HadoopVerbs, unknown>> = {
  setReplication: true,
  getFileBlockLocations: [{ offset: 0, length: 5, hosts: ['localhost'], names: ['localhost:9866'] }],
  getServerDefaults: expect.objectContaining({ blockSize: 33_554_432, replication: 1 }),
}

test.for(Object.entries(verbs))('%s of a file system without the facet, mounted or not', async ([verb, call]) => {
  const bare = await createBare()
  const table = createMountTable(createMemoryFileSystem(), [{ path: '/far', fileSystem: bare }])
  for (const [hadoop, path] of [
    [hadoopOf(bare), '/d/f'],
    [table.hadoop, '/far/d/f'],
    [hadoopOf(createTimedFileSystem(table, () => {})), '/far/d/f'],
  ] as const) {
    const answer = verb in madeUp ? { value: madeUp[verb as keyof HadoopVerbs] } : undefined
    if (answer) expect(await call(hadoop, path)).toEqual(answer.value)
    else {
      const name = verb === 'webHdfs' ? 'GETXATTRS' : verb
      const message = `memory:/// doesn't support ${name}`
      await expect(call(hadoop, path)).rejects.toMatchObject({ code: 'unsupported', path, message })
    }
  }
})

test.for(['setReplication', 'getFileChecksum', 'getFileBlockLocations'] as const)(
  '%s of what is missing is not made up',
  async verb => {
    const bare = await createBare()
    await expect(verbs[verb](hadoopOf(bare), '/d/none')).rejects.toMatchObject({ code: 'not-found' })
  },
)

test('a directory has no copies and no blocks', async () => {
  const hadoop = hadoopOf(await createBare())
  expect(await hadoop.setReplication('/d', 2)).toBe(false)
  await expect(hadoop.getFileBlockLocations('/d', 0, 1)).rejects.toMatchObject({ code: 'is-directory', path: '/d' })
})

test('without directories nothing is made or renamed', async () => {
  const directories = directoriesOf(await createBare())
  await expect(directories.mkdirs('/x')).rejects.toMatchObject({ code: 'unsupported', path: '/x' })
  await expect(directories.rename('/d/f', '/x')).rejects.toMatchObject({ code: 'unsupported', path: '/d/f' })
})

const timed = () => {
  const upstream: number[] = []
  const seen: string[] = []
  const memory = createMemoryFileSystem({ fail: (operation, path) => void seen.push(`${operation} ${path}`) })
  const inner = fromVerbs({ ...memory, webHdfs: async ({ path }) => void seen.push(`webHdfs ${path}`) })
  const fileSystem = createTimedFileSystem(inner, ms => upstream.push(ms))
  return { memory, seen, upstream, fileSystem }
}

test.for(Object.entries(verbs))('%s is timed, once, and passed on', async ([verb, call]) => {
  const { memory, seen, upstream, fileSystem } = timed()
  await memory.create('/f', chunksOf('x'))
  seen.length = 0
  await call(hadoopOf(fileSystem), '/f')
  expect([seen, upstream]).toEqual([[`${verb} /f`], [expect.any(Number)]])
})

test.for<[string, (directories: Directories) => Promise<unknown>]>([
  ['mkdirs /d', directories => directories.mkdirs('/d')],
  ['rename /f', directories => directories.rename('/f', '/g')],
])('%s is timed, once, and passed on', async ([name, call]) => {
  const { memory, seen, upstream, fileSystem } = timed()
  await memory.create('/f', chunksOf('x'))
  seen.length = 0
  await call(directoriesOf(fileSystem))
  expect([seen, upstream]).toEqual([[name], [expect.any(Number)]])
})

test('a facet that is not there is not passed on', async () => {
  const fileSystem = createTimedFileSystem(await createBare(), () => {})
  expect([fileSystem.directories, fileSystem.hadoop]).toEqual([undefined, undefined])
})
