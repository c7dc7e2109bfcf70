import type { Disk } from '../../disk/disk.ts'
import { parseSegmentName } from '../segment/segment-files.ts'
import { writeAnew } from './remote-file.ts'
import { copiedDirectories, isCopied, isSegment, toRemoteName } from './remote-names.ts'
import type { ReplicaParts } from './replicated-file.ts'
import { ReplicatedFile } from './replicated-file.ts'

/** A disk whose files stand in HDFS as well, those that {@link isCopied}. */
export type ReplicatedDisk = Disk & {
  /** Brings the files that are open to where they are on the local disk; the ledger is the last one. */
  catchUpOpen(): Promise<void>
  /** Writes a file that is not open anew in HDFS, as it is on the local disk; one that is gone is fine. */
  copy(path: string): Promise<void>
  /** Whether somebody writes it. */
  isOpen(path: string): boolean
  /** Resolves when the files that were closed here have ended there. */
  ended(): Promise<void>
}

/**
 * The local disk, with what is written to it in HDFS as well. Before anybody knows whether the copy there is still ours,
 * only the local disk is written; while HDFS is away only segments are, where that is asked for; and nothing is once another
 * collector has the copy. The names of the files in HDFS are those under which a start finds them here: what has a
 * name for the time being is copied when it gets its own.
 */
export const replicateDisk = (disk: Disk, parts: ReplicaParts): ReplicatedDisk => {
  const { state, directory } = parts
  const { unlessFenced, checkStrictly, both } = createRules(parts)
  const files = createOpenFiles(disk, parts)
  const copy = createCopier(disk, parts)
  return {
    directory: disk.directory,
    create: unlessFenced(async path => {
      checkStrictly(path)
      return await files.create(path)
    }),
    read: (path, start) => disk.read(path, start),
    stream: (path, memory) => disk.stream(path, memory),
    list: path => disk.list(path),
    names: path => disk.names(path),
    mkdir: unlessFenced(path => disk.mkdir(path)),
    rename: unlessFenced(async (from, to) => {
      checkStrictly(to)
      const file = files.get(from)
      // First there: what a taker finds is never behind what is true here.
      if (file) await file.moveTo(to)
      else await both(to, () => copy(to, from))
      await disk.rename(from, to)
      files.move(from, to)
    }),
    truncate: unlessFenced(async (path, length) => {
      await disk.truncate(path, length)
      await both(path, () => copy(path))
    }),
    unlink: unlessFenced(async path => {
      await disk.unlink(path)
      // A segment stays until its events are in the file system. What is left of another file changes nothing.
      if (!isSegment(path) && isCopied(path) && state.name === 'in-step')
        await directory()
          .delete(toRemoteName(path))
          .catch(() => {})
    }),
    removeDirectory: unlessFenced(path => disk.removeDirectory(path)),
    fsync: unlessFenced(async path => {
      await disk.fsync(path)
      // Another thread has written it.
      if (!files.isOpen(path)) await both(path, () => copy(path))
    }),
    fsyncDir: unlessFenced(path => disk.fsyncDir(path)),
    space: () => disk.space(),
    close: async () => {
      await files.ended()
      await disk.close()
    },
    catchUpOpen: () => files.catchUp(),
    copy: path => copy(path),
    isOpen: path => files.isOpen(path),
    ended: () => files.ended(),
  }
}

/** What may be written now. */
const createRules = ({ state, isCatchingUp }: Pick<ReplicaParts, 'state' | 'isCatchingUp'>) => ({
  /** Rejects once another collector has the copy. */
  unlessFenced:
    <Args extends unknown[], Result>(change: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (state.name === 'fenced') state.check()
      return await change(...args)
    },
  /** @throws NotReplicated where the ledger and what belongs to it cannot be written */
  checkStrictly: (path: string): void => {
    const isStrict = (isCopied(path) && !isSegment(path)) || isTemporary(path)
    if (isStrict && state.name === 'away' && !isCatchingUp()) state.check()
  },
  /** What is done to a file there that is copied, once it was done here. */
  both: async (path: string, there: () => Promise<void>): Promise<void> => {
    if (!isCopied(path) || state.name === 'unproven') return
    state.check()
    await there().catch((error: unknown) => {
      state.failed(error)
      throw error
    })
  },
})

/** Makes what writes a file anew in HDFS that is not open: its length is that of now. One that is gone is fine. */
const createCopier =
  (disk: Disk, { directory, settings }: ReplicaParts) =>
  async (path: string, from = path): Promise<void> => {
    const parent = from.includes('/') ? from.slice(0, from.indexOf('/')) : '.'
    const name = from.slice(from.indexOf('/') + 1)
    const found = (await disk.list(parent)).find(entry => entry.name === name)
    if (found === undefined) return
    const written = await writeAnew(disk, directory(), { from, to: path, length: found.length }, settings)
    await written.close()
  }

/** The files that somebody writes. */
const createOpenFiles = (disk: Disk, parts: ReplicaParts) => {
  const open = new Map<string, ReplicatedFile>()
  /** Files that may be on the disk already, and are open in a moment. */
  const opening = new Set<string>()
  /** Of files that are closed here. */
  const ending = new Set<Promise<void>>()
  const onClose = (file: ReplicatedFile, ended: Promise<void>): void => {
    for (const [path, one] of open) if (one === file) open.delete(path)
    ending.add(ended)
    void ended.then(() => ending.delete(ended))
  }
  return {
    create: async (path: string): Promise<ReplicatedFile> => {
      opening.add(path)
      const file = await disk
        .create(path)
        .then(created => new ReplicatedFile(created, path, parts, onClose))
        .finally(() => opening.delete(path))
      open.set(path, file)
      const segment = isSegment(path) ? parseSegmentName(path.slice('log/'.length)) : undefined
      if (segment !== undefined) parts.onSegment(segment)
      return file
    },
    get: (path: string): ReplicatedFile | undefined => open.get(path),
    isOpen: (path: string): boolean => open.has(path) || opening.has(path),
    move: (from: string, to: string): void => {
      const file = open.get(from)
      if (!file) return
      open.delete(from)
      open.set(to, file)
    },
    catchUp: async (): Promise<void> => {
      const files = [...open].filter(([path]) => isCopied(path))
      for (const [path, file] of files) if (path !== 'ledger') await file.catchUp()
      await open.get('ledger')?.catchUp()
    },
    ended: async (): Promise<void> => void (await Promise.all(ending)),
  }
}

/** The names that files have before they get one that is copied. */
const isTemporary = (path: string): boolean => path === 'ledger.new' || path.endsWith('.next')

/** The files of a spool that are copied, with their lengths. */
export const listCopied = async (disk: Pick<Disk, 'list'>): Promise<ReadonlyMap<string, number>> => {
  const found = new Map<string, number>()
  for (const parent of copiedDirectories) {
    const entries = await disk.list(parent).catch(() => [])
    for (const { name, isDirectory, length } of entries) {
      const path = parent === '.' ? name : `${parent}/${name}`
      if (!isDirectory && isCopied(path)) found.set(path, length)
    }
  }
  return found
}
