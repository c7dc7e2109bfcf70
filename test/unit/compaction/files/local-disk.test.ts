/** A local disk renames in two steps where nothing may be replaced; a process is killed between them. */
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { directoriesOf } from '../../../../src/filesystem/facets.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { createLocalFileSystem } from '../../../../src/filesystem/local.ts'
import { away } from './process-view.ts'
import { compact, hourDirectory, listFiles, namesIn, readVisible, written } from './world.ts'

const open = async () => {
  const root = await mkdtemp(join(tmpdir(), 'sluice-local-disk-'))
  onTestFinished(() => rm(root, { recursive: true }))
  await mkdir(join(root, hourDirectory), { recursive: true })
  for (const name of ['a', 'b', 'c']) {
    const file = join(root, `${hourDirectory}/${name}.jsonl`)
    await writeFile(file, `{"${name}":1}\n`)
    await utimes(file, written / 1_000, written / 1_000)
  }
  const fileSystem = await createLocalFileSystem({ root })
  onTestFinished(() => fileSystem.close())
  return { root, fileSystem }
}

/** Killed within one of its RENAMEs. @param at its number, from 1 */
const killedAt = (root: string, fileSystem: FileSystem, at: number) => {
  let renames = 0
  const act = async <T>(path: string, call: () => Promise<T>): Promise<T> => {
    if (renames >= at) throw away(path)
    return await call()
  }
  const directories = directoriesOf(fileSystem)
  const view: FileSystem = {
    ...fileSystem,
    publish: (path, ...more) => act(path, () => fileSystem.publish(path, ...more)),
    delete: (path, options) => act(path, () => fileSystem.delete(path, options)),
    getFileStatus: path => act(path, () => fileSystem.getFileStatus(path)),
    probe: () => act('/', () => fileSystem.probe()),
    directories: {
      mkdirs: (path, options) => act(path, () => directories.mkdirs(path, options)),
      rename: async (from, to, options) => {
        if (renames + 1 < at) {
          renames++
          return await directories.rename(from, to, options)
        }
        const { isDirectory } = await act(from, () => fileSystem.getFileStatus(from))
        renames = at
        const target = join(root, to)
        await mkdir(dirname(target), { recursive: true })
        if (!options?.overwrite)
          if (isDirectory) await mkdir(target)
          else await writeFile(target, '', { flag: 'wx' })
        throw away(from)
      },
    },
  }
  return { view, isOver: () => renames < at }
}

test.each([true, false])('each row once, whichever RENAME it is (sources deleted: %s)', async isDeleted => {
  const others = isDeleted ? { toTrash: async () => undefined } : {}
  let at = 1
  for (let isOver = false; !isOver; at++) {
    const { root, fileSystem } = await open()
    const before = await readVisible(fileSystem, hourDirectory)
    const first = killedAt(root, fileSystem, at)
    await compact(first.view, others).catch(() => {})
    for (let again = 0; again < 2; again++) await compact(fileSystem, others)
    expect(await readVisible(fileSystem, hourDirectory), `${at}`).toEqual(before)
    expect(await namesIn(fileSystem, '/events'), `${at}`).toHaveLength(1)
    if (!isDeleted) expect(await listFiles(fileSystem, '/user'), `${at}`).toHaveLength(3)
    isOver = first.isOver()
  }
  expect(at).toBeGreaterThan(isDeleted ? 6 : 8)
})
