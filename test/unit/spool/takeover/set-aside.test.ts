import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Disk } from '../../../../src/disk/disk.ts'
import { createNodeDisk } from '../../../../src/disk/node-disk.ts'
import { type FileSystem, FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { settleCopy } from '../../../../src/spool/takeover/settle-copy.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { silent } from '../../../suites/spool.ts'

const id = 'a'.repeat(32)
const entries = ['adopted', 'format', 'id', 'keys', 'ledger', 'log', 'replicated', 'sealed', 'turn']

const createSpoolDirectory = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-fenced-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  for (const name of ['adopted', 'keys', 'log', 'sealed']) await mkdir(join(directory, name))
  for (const name of ['format', 'ledger', 'replicated', 'lock', 'lock.holder'])
    await writeFile(join(directory, name), name === 'replicated' ? `/events/_log/${id}\n` : name)
  await writeFile(join(directory, 'id'), `${id}\n`)
  await writeFile(join(directory, 'log/0000000001.log'), 'events')
  return directory
}

const setAside = (disk: Disk, fileSystem: FileSystem, log = silent): Promise<string | undefined> =>
  settleCopy(disk, { fileSystem, outputDirectory: '/events', urlOf: () => fileSystem.url, mountPoints: ['/'] }, log)

const there = async (...names: string[]): Promise<FileSystem> => {
  const fileSystem = createMemoryFileSystem()
  await fileSystem.mkdirs('/events/_log')
  for (const name of names) await fileSystem.mkdirs(`/events/_log/${name}`)
  return fileSystem
}

const expectAside = async (directory: string): Promise<void> => {
  expect((await readdir(directory)).toSorted()).toEqual(['fenced', 'lock', 'lock.holder'])
  expect((await readdir(join(directory, 'fenced', id))).toSorted()).toEqual(entries)
  expect(await readFile(join(directory, 'fenced', id, 'log/0000000001.log'), 'utf8')).toBe('events')
}

test('a spool whose log was taken is set aside whole, and another one can begin in its place', async () => {
  const directory = await createSpoolDirectory()
  const fileSystem = await there(`${id}.${'b'.repeat(32)}`)
  const levels: string[] = []
  const note = (level: string) => () => void levels.push(level)
  const log = { ...silent, warn: note('warn'), error: note('error') }
  expect(await setAside(createNodeDisk({ directory }), fileSystem, log)).toBe(id)
  // Nothing is lost.
  expect(levels).toEqual(['warn'])
  await expectAside(directory)
  expect(await setAside(createNodeDisk({ directory }), fileSystem)).toBeUndefined()
})

test.for<[string, (directory: string) => Promise<FileSystem>]>([
  ['its log is its own', () => there(id)],
  [
    'it never had one there',
    async directory => {
      await rm(join(directory, 'replicated'))
      return await there()
    },
  ],
  [
    'HDFS does not answer',
    async () => {
      const away = async (path: string): Promise<never> => {
        throw new FileSystemError('unavailable', path, 'away')
      }
      return { ...(await there()), getFileStatus: away }
    },
  ],
])('nothing is done where %s', async ([, prepare]) => {
  const directory = await createSpoolDirectory()
  const fileSystem = await prepare(directory)
  const before = await readdir(directory)
  expect(await setAside(createNodeDisk({ directory }), fileSystem)).toBeUndefined()
  expect(await readdir(directory)).toEqual(before)
})

test('`kill -9` at each step: the next start goes on with it, whatever HDFS says by then', async () => {
  for (let killAt = 1; ; killAt++) {
    const directory = await createSpoolDirectory()
    let left = killAt
    const mortal = new Proxy(createNodeDisk({ directory }), {
      get: (disk, verb) => {
        const call: unknown = Reflect.get(disk, verb)
        if (typeof call !== 'function') return call
        return async (...args: unknown[]) => {
          if (--left <= 0) throw new Error('killed')
          return await Reflect.apply(call, disk, args)
        }
      },
    })
    const first = await setAside(mortal, await there()).catch(() => 'killed')
    // As soon as anything was moved there is no way back.
    const hasBegun = (await readdir(directory)).includes('fenced')
    await setAside(createNodeDisk({ directory }), await there(...(hasBegun ? [id] : [])))
    await expectAside(directory)
    if (first === id) {
      expect(killAt).toBeGreaterThan(10)
      return
    }
  }
})
