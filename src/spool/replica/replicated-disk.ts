import type { Disk } from '../../disk/disk.ts'
import { createPathTurns } from '../../filesystem/local/turns.ts'
import { type Behind, createBehind } from './behind.ts'
import { createOpenFiles, type OpenFiles } from './open-files.ts'
import { writeAnew } from './remote-file.ts'
import { copiedDirectories, isCopied, isSegment, segmentAt, toRemoteName } from './remote-names.ts'
import { NotReplicated } from './replica-state.ts'
import type { ReplicaParts } from './replicated-file.ts'

/** A disk that keeps some of its files in HDFS as well: those that {@link isCopied}. */
export type ReplicatedDisk = Disk & {
  /** Files that nothing writes, and that the copy lacks. */
  readonly behind: Behind
  /** Whether the copy has all that counts as safe. */
  readonly isWhole: boolean
  /** Bytes that the copy lacks, as far as that is known. */
  readonly behindBytes: number
  /** Whether somebody writes it. */
  isOpen(path: string): boolean
  /** Brings a file in HDFS to where it is on the local disk; one that is gone is fine. */
  catchUp(path: string): Promise<void>
  /** What the copy may lack: {@link Behind.paths}, and all files that are open. */
  readonly due: readonly string[]
  /** Deletes a file in HDFS that is not here. */
  forget(path: string): Promise<void>
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
  const behind = createBehind()
  // One owner of a name in HDFS at a time, a copy that catches up as well: none gives it to bytes that are not those of the name any more.
  const inTurn = createPathTurns()
  const { unlessFenced, checkStrictly, both } = createRules(parts)
  const files = createOpenFiles(disk, { ...parts, inTurn }, behind)
  const copy = createCopier(disk, parts, behind)
  const { rename, truncate, unlink, fsync } = createChanges({ disk, parts, files, behind, copy, both })

  return {
    directory: disk.directory,
    create: unlessFenced(async path => {
      checkStrictly(path)
      return await inTurn(path, () => files.create(path))
    }),
    read: (path, start) => disk.read(path, start),
    stream: (path, memory) => disk.stream(path, memory),
    list: path => disk.list(path),
    names: path => disk.names(path),
    mkdir: unlessFenced(path => disk.mkdir(path)),
    rename: unlessFenced(async (from, to) => {
      checkStrictly(to)
      await inTurn(from, () => inTurn(to, () => rename(from, to)))
    }),
    truncate: unlessFenced((path, length) => inTurn(path, () => truncate(path, length))),
    unlink: unlessFenced(path => inTurn(path, () => unlink(path))),
    removeDirectory: unlessFenced(path => disk.removeDirectory(path)),
    fsync: unlessFenced(async path => {
      await disk.fsync(path)
      await inTurn(path, () => fsync(path))
    }),
    fsyncDir: unlessFenced(path => disk.fsyncDir(path)),
    space: () => disk.space(),
    close: async () => {
      await files.ended()
      await disk.close()
    },
    behind,
    get isWhole() {
      return behind.paths.length === 0 && !files.isBehind
    },
    get behindBytes() {
      return behind.bytes + files.behindBytes
    },
    isOpen: path => files.has(path),
    ended: () => files.ended(),
    catchUp: async path => {
      await files.get(path)?.catchUp()
      await inTurn(path, async () => {
        if (behind.has(path)) await copy(path)
      })
    },
    get due() {
      return [...behind.paths, ...files.paths.filter(isCopied)]
    },
    forget: path =>
      inTurn(path, async () => {
        const isHere = files.has(path) || (await listCopied(disk)).has(path)
        if (!isHere) await parts.directory().delete(toRemoteName(path))
      }),
  }
}

type Copy = (path: string, from?: string) => Promise<void>

type ChangeParts = {
  readonly disk: Disk
  readonly parts: ReplicaParts
  readonly files: OpenFiles
  readonly behind: Behind
  readonly copy: Copy
  readonly both: (path: string, there: () => Promise<void>) => Promise<void>
}

/** What is done to files that are not written, here and there; each in the turn of its paths. */
const createChanges = ({ disk, parts, files, behind, copy, both }: ChangeParts) => {
  /** Where it fails nothing is known of the file there. */
  const orUnknown = async (path: string, change: () => Promise<void>): Promise<void> => {
    try {
      await change()
    } catch (error) {
      if (isCopied(path)) behind.note(path, 0)
      throw error
    }
  }
  return {
    rename: async (from: string, to: string): Promise<void> => {
      const file = files.get(from)
      await orUnknown(to, async () => {
        // First there: what a taker finds is never behind what is true here.
        if (file) await file.moveTo(to)
        else await both(to, () => copy(to, from))
        await disk.rename(from, to)
      })
      files.move(from, to)
      if (file) behind.settle(to)
    },
    truncate: async (path: string, length: number): Promise<void> => {
      await disk.truncate(path, length)
      await orUnknown(path, () => both(path, () => copy(path)))
    },
    unlink: async (path: string): Promise<void> => {
      await disk.unlink(path)
      behind.settle(path)
      // A segment stays until its events are in the file system. What is left of another file changes nothing.
      if (isSegment(path) || !isCopied(path) || parts.state.name !== 'in-step') return
      await parts
        .directory()
        .delete(toRemoteName(path))
        .catch(() => {})
    },
    /** Of a file that another thread has written. */
    fsync: async (path: string): Promise<void> => {
      if (!files.has(path)) await orUnknown(path, () => both(path, () => copy(path)))
    },
  }
}

/** What may be written now. */
const createRules = ({ state, isCatchingUp }: Pick<ReplicaParts, 'state' | 'isCatchingUp'>) => {
  /** @throws NotReplicated where nothing is written to HDFS now */
  const check = (path: string): void => {
    if (state.name === 'fenced' || !isCatchingUp(path)) state.check()
  }
  return {
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
      if (isStrict && state.name !== 'unproven') check(path)
    },
    /** What is done there to a file that is copied, before or after it is done here. */
    both: async (path: string, there: () => Promise<void>): Promise<void> => {
      if (!isCopied(path)) return
      // What the copy has of it is seen when it is looked at the first time.
      if (state.name === 'unproven') return
      try {
        check(path)
        await there()
      } catch (error) {
        if (!(error instanceof NotReplicated)) state.failed(error)
        throw error
      }
    },
  }
}

/** Makes the function that rewrites in HDFS a file that is not open for writing here. A file that is gone is fine. */
const createCopier =
  (disk: Disk, { directory, settings, onSegment }: ReplicaParts, behind: Behind): Copy =>
  async (path, from = path) => {
    const segment = segmentAt(path)
    if (segment !== undefined) onSegment(segment)
    try {
      const written = await writeAnew(disk, directory(), { from, to: path }, settings)
      await written.close()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    behind.settle(path)
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
