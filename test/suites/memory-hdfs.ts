import type { FileAppender } from '../../src/filesystem/appends.ts'
import { RemoteException } from '../../src/filesystem/cluster/remote-exception.ts'
import { type FileSystem, FileSystemError } from '../../src/filesystem/filesystem.ts'
import { isInside, parentPath } from '../../src/filesystem/path.ts'
import { createInTurn } from '../../src/spool/heartbeat/in-turn.ts'
import { createMemoryFileSystem, type MemoryFileSystem } from './memory-filesystem.ts'

/** Calls of files that stay open; a fault of them is an error, before or after they take effect. */
export type AppendOperation = 'create' | 'write' | 'flush' | 'close' | 'recoverLease' | 'rename' | 'mkdirs' | 'setTimes'

export type MemoryHdfsOptions = {
  /** What goes wrong with a call of this path. @default nothing */
  readonly fail?: (operation: AppendOperation, path: string) => 'before' | 'after' | undefined
  /** Data nodes that have what is flushed. @default 3 */
  readonly copies?: () => number
  /** What has its files. @default a new one, whose calls do not fail */
  readonly memory?: MemoryFileSystem
}

export type MemoryHdfs = FileSystem & {
  /** What a reader finds in a file now; undefined for a missing file. */
  readonly contents: (path: string) => Promise<Uint8Array | undefined>
  /** Paths of open files. */
  readonly openPaths: () => readonly string[]
  readonly memory: MemoryFileSystem
}

/** A file as one piece; none of an empty one. */
export async function* whole(bytes: Uint8Array = new Uint8Array()): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes
}

type OpenFile = { path: string; isOurs: boolean; taken: Uint8Array[]; bytes: Uint8Array }

/** A file system in memory with files that stay open, as HDFS has them: a lease for each, which follows its renames. */
export const createMemoryHdfs = ({
  fail = () => undefined,
  copies = () => 3,
  memory = createMemoryFileSystem(),
}: MemoryHdfsOptions = {}): MemoryHdfs => {
  const open = new Set<OpenFile>()
  const unavailable = (path: string): FileSystemError => new FileSystemError('unavailable', path, 'it is away')
  const step = async <T>(operation: AppendOperation, path: string, effect: () => Promise<T>): Promise<T> => {
    const fault = fail(operation, path)
    if (fault === 'before') throw unavailable(path)
    const result = await effect()
    if (fault === 'after') throw unavailable(path)
    return result
  }
  /** As a name node does: nothing comes between the steps of one change of its names. */
  const atOnce = createInTurn()
  const isThere = async (path: string): Promise<boolean> =>
    await memory.getFileStatus(path).then(
      () => true,
      () => false,
    )
  const close = (path: string): void => {
    for (const file of open) {
      if (file.path !== path) continue
      file.isOurs = false
      open.delete(file)
    }
  }

  const toAppender = (file: OpenFile): FileAppender => {
    let length = 0
    let last = 0
    const check = (): void => {
      if (file.isOurs) return
      const cause = new RemoteException('LeaseExpiredException', 403, `No lease on ${file.path}`)
      throw new FileSystemError('unavailable', file.path, 'its lease was taken', { cause })
    }
    const flush = (): Promise<void> =>
      step('flush', file.path, () =>
        atOnce(async () => {
          check()
          file.bytes = Buffer.concat([file.bytes, ...file.taken])
          file.taken = []
          await memory.create(file.path, whole(file.bytes), { overwrite: true })
          last = copies()
        }),
      )
    return {
      get length() {
        return length
      },
      get copies() {
        return last
      },
      write: bytes =>
        step('write', file.path, async () => {
          check()
          length += bytes.length
          file.taken.push(Uint8Array.prototype.slice.call(bytes))
        }),
      hflush: flush,
      hsync: flush,
      close: () =>
        step('close', file.path, async () => {
          await flush()
          close(file.path)
        }),
      abandon: async () => {
        file.isOurs = false
        open.delete(file)
      },
    }
  }

  return {
    ...memory,
    memory,
    contents: async path => {
      if (!(await isThere(path))) return undefined
      return Buffer.concat(await Array.fromAsync(await memory.open(path)))
    },
    openPaths: () => [...open].map(({ path }) => path),
    directories: {
      mkdirs: (path, options) => step('mkdirs', path, () => memory.mkdirs(path, options)),
      rename: (from, to, options) =>
        step('rename', from, () =>
          atOnce(async () => {
            await memory.rename(from, to, options)
            if (options?.overwrite) close(to)
            for (const file of open) {
              if (file.path === from || isInside(file.path, from)) file.path = `${to}${file.path.slice(from.length)}`
            }
          }),
        ),
    },
    hadoop: {
      ...memory.hadoop,
      setTimes: (path, times) => step('setTimes', path, () => memory.setTimes(path, times)),
    },
    appends: {
      create: (path, options = {}) =>
        step('create', path, () =>
          atOnce(async () => {
            if (options.createParent === false && !(await isThere(parentPath(path))))
              throw new FileSystemError('not-found', path, 'its parent is not there')
            close(path)
            await memory.create(path, whole(), { overwrite: options.overwrite ?? false })
            const file = { path, isOurs: true, taken: [], bytes: new Uint8Array() }
            open.add(file)
            return toAppender(file)
          }),
        ),
      append: async path => {
        throw unavailable(path)
      },
      truncate: async path => {
        throw unavailable(path)
      },
      visibleLength: async path => (await memory.getFileStatus(path)).length,
      isClosed: async path => {
        await memory.getFileStatus(path)
        return [...open].every(file => file.path !== path)
      },
      recoverLease: path =>
        step('recoverLease', path, async () => {
          await memory.getFileStatus(path)
          close(path)
          return true
        }),
    },
  }
}
