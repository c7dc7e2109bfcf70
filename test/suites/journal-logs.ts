/** Logs in an object store in memory, as processes see them. */
import type { FileAppender } from '../../src/filesystem/appends.ts'
import { appendsOf, directoriesOf } from '../../src/filesystem/facets.ts'
import { type FileSystem, FileSystemError } from '../../src/filesystem/filesystem.ts'
import { claimBytes } from '../../src/filesystem/journal/frame.ts'
import { createJournaled } from '../../src/filesystem/journal/journaled.ts'
import { isInside } from '../../src/filesystem/path.ts'
import { listAll } from './list-all.ts'
import { createObjects } from './object-filesystem.ts'

/** Has the logs. */
export const root = '/events/_log'
export const [id, taker, other] = ['a', 'b', 'c'].map(letter => letter.repeat(32)) as [string, string, string]
export const own = `${root}/${id}`
export const taken = `${root}/${id}.${taker}`

/** What befalls a PUT; `lost`: it takes effect, and the caller hears that it failed. */
export type Fate = 'passes' | 'fails' | 'lost'
export type Decide = (path: string) => Fate | Promise<Fate>

export const away = (path: string): FileSystemError => new FileSystemError('unavailable', path, 'it is away')

/** A process: what it writes meets its fate. */
export const startProcess = (objects: FileSystem, decide: Decide = () => 'passes', groupsPerCheckpoint = 500) =>
  createJournaled(
    {
      ...objects,
      publish: async (path, source, options) => {
        const fate = await decide(path)
        if (fate === 'fails') throw away(path)
        const published = await objects.publish(path, source, options)
        if (fate === 'lost') throw away(path)
        return published
      },
    },
    {
      rootOf: path => (isInside(path, root) ? root : undefined),
      gatherMs: () => 0,
      isWhole: names => names.includes('ledger'),
      groupsPerCheckpoint,
    },
  )

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
export const create = (fs: FileSystem, path: string): Promise<FileAppender> =>
  appendsOf(fs).create(path, { overwrite: true, createParent: false, replication: 3 })
export const flush = async (file: FileAppender, text: string): Promise<void> => {
  await file.write(bytesOf(text))
  await file.hsync()
}
export const textOf = async (fs: FileSystem, path: string, options = {}): Promise<string> =>
  Buffer.concat(await Array.fromAsync(await fs.open(path, options))).toString()
export const take = (fs: FileSystem, from = own, to = taken): Promise<void> => directoriesOf(fs).rename(from, to)
export const notFound = { code: 'not-found' }
/** Numbers of the objects of the journal, with a mark behind those of claims. */
export const numbersOf = async (objects: FileSystem): Promise<readonly string[]> =>
  (await listAll(objects, own).catch(() => [])).map(
    ({ path, length }) => `${999_999_999_999 - Number(path.slice(own.length + 1))}${length === claimBytes ? '!' : ''}`,
  )

/** An owner with one file. */
export const begin = async (decide?: Decide, groupsPerCheckpoint?: number) => {
  const objects = createObjects()
  const fs = startProcess(objects, decide, groupsPerCheckpoint)
  await directoriesOf(fs).mkdirs(own)
  const file = await create(fs, `${own}/ledger`)
  return { objects, fs, file }
}
