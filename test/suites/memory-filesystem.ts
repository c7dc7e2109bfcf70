import { createHash } from 'node:crypto'
import { abortable, throwIfAborted, toAbortError } from '../../src/filesystem/abortable.ts'
import {
  type FileStatus,
  type FileSystem,
  FileSystemError,
  type FileSystemErrorCode,
} from '../../src/filesystem/filesystem.ts'
import type { ContentSummary, HadoopVerbs } from '../../src/filesystem/hadoop-verbs.ts'
import {
  checkAction,
  checkPermission,
  checkRange,
  checkReplication,
  checkTimes,
  defaultDirectoryPermission,
  defaultFilePermission,
  toRange,
} from '../../src/filesystem/options.ts'
import { baseName, compareNames, isInside, parentPath, parsePath } from '../../src/filesystem/path.ts'
import { fromVerbs, type Verbs } from './flat-filesystem.ts'

/** The call that a fault is asked for. */
export type MemoryOperation = Exclude<
  keyof MemoryVerbs,
  'url' | 'close' | 'openFile' | 'as' | 'directories' | 'hadoop' | 'webHdfs'
>

/** All verbs of it are its own; the facets, and publishing, go by them. */
type MemoryVerbs = Verbs & Omit<HadoopVerbs, 'webHdfs'>
export type MemoryFileSystem = FileSystem & MemoryVerbs & Required<Pick<FileSystem, 'directories' | 'hadoop'>>

/**
 * What goes wrong with one call:
 * - an `Error`: it is thrown before anything happens;
 * - `lost-reply`: the call takes effect, and then reports `unavailable`;
 * - `torn`: `create` leaves the first half of the bytes and reports `unavailable`; the stream of `open` breaks halfway;
 *   `rename` of a file leaves it under both names and reports `unavailable`; other calls take it as `lost-reply`;
 * - `halved`: `rename` without `overwrite` leaves what a local disk makes first, an empty file or directory in the place of the
 *   target, and reports `unavailable`; other calls take it as `lost-reply`;
 * - `short`: `create` leaves the first half of the bytes and says that all is well; other calls do not know it;
 * - `cut`: the call does nothing and reports `unavailable`, and the file of its path, which was accepted whole before, keeps
 *   the first half of its bytes; `create` and `open` take it as `torn`.
 */
export type MemoryFault = Error | 'lost-reply' | 'torn' | 'halved' | 'short' | 'cut'

export type MemoryOptions = {
  /** Decides the fate of each call; `path` is the source for a rename. @default nothing fails */
  readonly fail?: (operation: MemoryOperation, path: string) => MemoryFault | undefined
  /** ms since the epoch. @default Date.now */
  readonly now?: () => number
}

type Attributes = { permission: number; modified: number; accessed: number; owner: string; group: string }
type FileNode = Attributes & { readonly kind: 'file'; bytes: Uint8Array; replication: number }
type DirectoryNode = Attributes & { readonly kind: 'directory'; entries: Map<string, Node> }
type Node = FileNode | DirectoryNode

const blockSize = 128 * 1024 * 1024

/** Entries of one part of a listing; few, so that short directories have several. */
const entriesAtOnce = 3

/** A file system in memory, for tests: the same answers as HDFS, with faults on demand. */
export const createMemoryFileSystem = ({
  fail = () => undefined,
  now = Date.now,
}: MemoryOptions = {}): MemoryFileSystem => {
  const createAttributes = (permission: number): Attributes => {
    const ms = now()
    return { permission, modified: ms, accessed: ms, owner: 'memory', group: 'memory' }
  }
  const createDirectory = (permission = defaultDirectoryPermission): DirectoryNode => ({
    kind: 'directory',
    entries: new Map(),
    ...createAttributes(permission),
  })
  const root = createDirectory()

  const find = (path: string): Node | undefined => {
    let node: Node | undefined = root
    for (const name of path.split('/')) {
      if (name !== '') node = node?.kind === 'directory' ? node.entries.get(name) : undefined
    }
    return node
  }
  const need = (path: string): Node => find(path) ?? refuse('not-found', path)
  const makeDirectory = (path: string, permission?: number): DirectoryNode => {
    let at = root
    for (const name of path.split('/').filter(Boolean)) {
      const next: Node = at.entries.get(name) ?? createDirectory(at === find(parentPath(path)) ? permission : undefined)
      if (next.kind === 'file') refuse('not-directory', path)
      at.entries.set(name, next)
      at = next
    }
    return at
  }
  /** Runs a call in one step of the event loop, with the fault it is given before or after. */
  const run = async <T>(
    operation: MemoryOperation,
    text: string,
    call: (path: string, fault: MemoryFault | undefined) => T,
  ): Promise<T> => {
    const path = parsePath(text)
    const fault = fail(operation, path)
    if (fault instanceof Error) throw fault
    if (fault === 'cut') {
      const node = find(path)
      if (node?.kind === 'file') node.bytes = node.bytes.subarray(0, node.bytes.length >> 1)
      throw new FileSystemError('unavailable', path, `"${path}" was cut by a crash`)
    }
    const result = call(path, fault)
    if (fault && fault !== 'short') throw lostReply(path)
    return result
  }
  const needFile = (path: string): FileNode => {
    const node = need(path)
    return node.kind === 'file' ? node : refuse('is-directory', path)
  }
  const getFileStatus = (path: string): Promise<FileStatus> =>
    run('getFileStatus', path, name => toFileStatus(name, need(name)))

  const verbs: MemoryVerbs = {
    url: 'memory:///',

    async create(text, source, { overwrite = false, permission, replication = 1, signal } = {}) {
      const path = parsePath(text)
      checkPermission(permission)
      throwIfAborted(signal, path)
      const fault = fail('create', path)
      if (fault instanceof Error) throw fault
      const check = (): void => {
        const old = find(path)
        if (old?.kind === 'directory') refuse('is-directory', path)
        if (old && !overwrite) refuse('exists', path)
      }
      check()
      makeDirectory(parentPath(path))
      const chunks: Uint8Array[] = []
      // Copied at once: the source may use its buffer again.
      for await (const chunk of abortable(source, signal, path)) chunks.push(chunk.slice())
      check()
      const whole = Buffer.concat(chunks)
      const bytes =
        fault === 'torn' || fault === 'short' || fault === 'cut' ? whole.subarray(0, whole.length >> 1) : whole
      const bits = permission ?? defaultFilePermission
      const file: FileNode = { kind: 'file', bytes, replication, ...createAttributes(bits) }
      makeDirectory(parentPath(path)).entries.set(baseName(path), file)
      if (fault && fault !== 'short') throw lostReply(path)
    },

    async open(text, options = {}) {
      const path = parsePath(text)
      throwIfAborted(options.signal, path)
      const fault = fail('open', path)
      if (fault instanceof Error) throw fault
      const node = need(path)
      if (node.kind === 'directory') refuse('is-directory', path)
      const { start, end } = toRange(options, node.bytes.length)
      if (fault === 'lost-reply') throw lostReply(path)
      return toStream(node.bytes.subarray(start, end), path, fault === 'torn' || fault === 'cut', options.signal)
    },

    getFileStatus,

    async *listStatus(text, { startAfter, signal } = {}) {
      const found = await run('listStatus', text, path => ({ path, node: need(path) }))
      if (found.node.kind === 'file') return yield [toFileStatus(found.path, found.node)]
      const isWanted = (name: string): boolean => startAfter === undefined || compareNames(name, startAfter) > 0
      const names = [...found.node.entries.keys()].filter(isWanted).sort(compareNames)
      for (let at = 0; at < names.length; at += entriesAtOnce) {
        throwIfAborted(signal, found.path)
        const part: FileStatus[] = []
        for (const name of names.slice(at, at + entriesAtOnce)) {
          const node = found.node.entries.get(name)
          if (node) part.push(toFileStatus(`${found.path === '/' ? '' : found.path}/${name}`, node))
        }
        if (part.length > 0) yield part
      }
    },

    async mkdirs(text, { permission } = {}) {
      checkPermission(permission)
      await run('mkdirs', text, path => makeDirectory(path, permission))
    },

    rename: (source, target, { overwrite = false } = {}) =>
      run('rename', source, (from, fault) => {
        const to = parsePath(target)
        const node = need(from)
        if (from === '/') refuse('bad-path', from)
        const old = find(to)
        if (old && !overwrite) refuse('exists', to)
        if (from === to) return
        if (isInside(to, from)) refuse('bad-path', to)
        if (old?.kind === 'directory' && node.kind === 'file') refuse('is-directory', to)
        if (old?.kind === 'file' && node.kind === 'directory') refuse('not-directory', to)
        if (old?.kind === 'directory' && old.entries.size > 0) refuse('not-empty', to)
        if (fault === 'halved' && !overwrite) {
          const empty = node.kind === 'directory' ? createDirectory() : { ...node, bytes: new Uint8Array(0) }
          makeDirectory(parentPath(to)).entries.set(baseName(to), empty)
          return
        }
        makeDirectory(parentPath(to)).entries.set(baseName(to), node)
        if (fault === 'torn' && node.kind === 'file') return
        makeDirectory(parentPath(from)).entries.delete(baseName(from))
      }),

    delete: (text, { recursive = false } = {}) =>
      run('delete', text, path => {
        if (path === '/') refuse('bad-path', path)
        const node = find(path)
        if (!node) return false
        if (node.kind === 'directory' && node.entries.size > 0 && !recursive) refuse('not-empty', path)
        return makeDirectory(parentPath(path)).entries.delete(baseName(path))
      }),

    async append(text, source, { signal } = {}) {
      const path = parsePath(text)
      throwIfAborted(signal, path)
      needFile(path)
      const chunks: Uint8Array[] = []
      for await (const chunk of abortable(source, signal, path)) chunks.push(chunk.slice())
      await run('append', path, () => {
        const file = needFile(path)
        file.bytes = Buffer.concat([file.bytes, ...chunks])
        file.modified = now()
      })
    },

    async setPermission(text, permission) {
      checkPermission(permission)
      await run('setPermission', text, path => {
        need(path).permission = permission
      })
    },

    setOwner: (text, change) => run('setOwner', text, path => void Object.assign(need(path), change)),

    async setReplication(text, replication) {
      checkReplication(replication)
      return await run('setReplication', text, path => {
        const node = need(path)
        if (node.kind === 'file') node.replication = replication
        return node.kind === 'file'
      })
    },

    async setTimes(text, times) {
      checkTimes(times)
      await run('setTimes', text, path => {
        const node = need(path)
        node.modified = times.modificationTime ?? node.modified
        node.accessed = times.accessTime ?? node.accessed
      })
    },

    getContentSummary: (text, { signal } = {}) =>
      run('getContentSummary', text, path => {
        throwIfAborted(signal, path)
        return summarize(need(path))
      }),

    getFileChecksum: text =>
      run('getFileChecksum', text, path => {
        const bytes = createHash('md5').update(needFile(path).bytes).digest('hex')
        return { algorithm: 'MD5', bytes, length: bytes.length / 2 }
      }),

    async getFileBlockLocations(text, offset, length) {
      checkRange({ offset, length })
      return await run('getFileBlockLocations', text, path => {
        const { bytes } = needFile(path)
        const isTouched = length > 0 && offset < bytes.length
        return isTouched ? [{ offset: 0, length: bytes.length, hosts: ['memory'], names: ['memory:1'] }] : []
      })
    },

    getStatus: text =>
      run('getStatus', text, path => {
        need(path)
        const used = summarize(root).length
        return { capacity, used, remaining: capacity - used }
      }),

    getServerDefaults: text =>
      run('getServerDefaults', text, () => ({
        blockSize,
        replication: 1,
        bytesPerChecksum: 512,
        writePacketSize: 65_536,
        fileBufferSize: 4_096,
        encryptDataTransfer: false,
        trashInterval: 0,
        checksumType: 2,
      })),

    async access(text, action) {
      checkAction(action)
      await run('access', text, path => {
        if (((need(path).permission >> 6) & action) !== action) refuse('denied', path)
      })
    },

    probe: () => run('probe', '/', () => {}),

    async close() {},
  }
  return fromVerbs(verbs)
}

const refuse: (code: FileSystemErrorCode, path: string) => never = (code, path) => {
  throw new FileSystemError(code, path, `Cannot use "${path}": ${code}`)
}

const capacity = 1_000_000_000

const summarize = (node: Node): ContentSummary => {
  const own = node.kind === 'file' ? node.bytes.length : 0
  const total = { directoryCount: 0, fileCount: 0, length: own, spaceConsumed: own, quota: -1, spaceQuota: -1 }
  total[node.kind === 'file' ? 'fileCount' : 'directoryCount'] = 1
  for (const below of node.kind === 'file' ? [] : node.entries.values()) {
    const more = summarize(below)
    for (const name of ['directoryCount', 'fileCount', 'length', 'spaceConsumed'] as const) total[name] += more[name]
  }
  return total
}

const lostReply = (path: string): FileSystemError =>
  new FileSystemError('unavailable', path, `The reply for "${path}" was lost`)

const toFileStatus = (path: string, node: Node): FileStatus => {
  const isDirectory = node.kind === 'directory'
  return {
    path,
    isDirectory,
    length: isDirectory ? 0 : node.bytes.length,
    modificationTime: node.modified,
    accessTime: node.accessed,
    owner: node.owner,
    group: node.group,
    permission: node.permission,
    replication: isDirectory ? 0 : node.replication,
    blockSize: isDirectory ? 0 : blockSize,
  }
}

/** Bytes of one chunk; small, so that short test files have several. */
const chunkBytes = 64 * 1024

const toStream = (
  bytes: Uint8Array,
  path: string,
  torn: boolean,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> => {
  const end = torn ? bytes.length >> 1 : bytes.length
  let at = 0
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        signal?.addEventListener('abort', () => controller.error(toAbortError(signal, path)), { once: true })
      },
      pull(controller) {
        // As from a network: what has arrived before can be read, and closed, without a failure.
        if (torn && at >= end) return controller.error(lostReply(path))
        if (at < end) controller.enqueue(bytes.slice(at, Math.min(at + chunkBytes, end)))
        at += chunkBytes
        if (at >= end && !torn) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
