import type { AppendFile, Disk } from '../../src/disk/disk.ts'

/** A file: what was written, and how much of it a power cut spares for certain. */
type Inode = { bytes: Uint8Array; length: number; synced: number }

/** A directory entry as it is now and as it is after a power cut: names are synced apart from contents. */
type Directory = { readonly now: Map<string, Inode>; readonly safe: Map<string, Inode> }

export type TearingDiskOptions = {
  /** Makes an operation fail before it does anything, an append halfway; for example EIO on one fdatasync. */
  readonly fail?: (operation: keyof Disk | keyof AppendFile, path: string) => Error | undefined
  /** A disk whose syncs do nothing and say that all is well: what the tests must be able to notice. */
  readonly lies?: boolean
  readonly freeBytes?: () => number
}

export type TearingDisk = Disk & {
  /**
   * Cuts the power. Everything still under way never ends. Synced data is on the returned disk, and a random part of
   * the rest: unsynced bytes are cut, torn (zeros), or kept, unsynced names are forgotten or kept.
   */
  powerCut(random: () => number, options?: TearingDiskOptions): TearingDisk
  /** Ends the process, as `kill -9` does: everything written remains, and unsynced data is still not safe. */
  kill(options?: TearingDiskOptions): TearingDisk
  /** Puts bytes into a file, bypassing everything: for damage. */
  overwrite(path: string, bytes: Uint8Array): void
  /** What a file holds now, looked at from outside. */
  contents(path: string): Uint8Array
  /** The files that a power cut would leave for certain, with as much of them as it would leave. */
  safeFiles(): ReadonlyMap<string, Uint8Array>
  /** How much of a file is safe. */
  syncedLength(path: string): number
  readonly paths: readonly string[]
}

/** A disk in memory that keeps apart what is written and what is safe. */
export const createTearingDisk = (options: TearingDiskOptions = {}): TearingDisk =>
  fromDirectories(new Map([['.', emptyDirectory()]]), options)

const fromDirectories = (directories: Map<string, Directory>, options: TearingDiskOptions): TearingDisk => {
  let dead = false

  /** One operation: never ends after the power cut, fails where the test wants it to. */
  const step = async <T>(
    operation: keyof Disk | keyof AppendFile,
    path: string,
    body: () => T,
    half: () => void = () => {},
  ): Promise<T> => {
    // A turn of the event loop, so that operations interleave as they do on a real disk.
    await new Promise(resolve => setImmediate(resolve))
    if (dead) return await new Promise<never>(() => {})
    const failure = options.fail?.(operation, path)
    if (!failure) return body()
    if (!dead) half()
    throw failure
  }
  const directoryOf = (path: string): [Directory, string] => {
    const slash = path.lastIndexOf('/')
    const directory = directories.get(slash < 0 ? '.' : path.slice(0, slash))
    if (!directory) throw missing(path)
    return [directory, path.slice(slash + 1)]
  }
  const find = (path: string): Inode => {
    const [directory, name] = directoryOf(path)
    const inode = directory.now.get(name)
    if (!inode) throw missing(path)
    return inode
  }

  const open = (path: string): AppendFile => {
    const [directory, name] = directoryOf(path)
    if (directory.now.has(name)) throw Object.assign(new Error(`EEXIST: ${path}`), { code: 'EEXIST' })
    const inode: Inode = { bytes: new Uint8Array(1024), length: 0, synced: 0 }
    directory.now.set(name, inode)
    let tail: Promise<unknown> = Promise.resolve()
    /** As a real file does: in the order of the calls, and nothing after a failure. */
    const inOrder = <T>(operation: 'append' | 'fdatasync', body: () => T, half?: () => void): Promise<T> => {
      const next = tail.then(() => step(operation, path, body, half))
      tail = next
      tail.catch(() => {})
      return next
    }
    const append = (bytes: Uint8Array): number => {
      if (inode.length + bytes.length > inode.bytes.length) {
        const grown = new Uint8Array(2 * (inode.length + bytes.length))
        grown.set(inode.bytes.subarray(0, inode.length))
        inode.bytes = grown
      }
      inode.bytes.set(bytes, inode.length)
      inode.length += bytes.length
      return inode.length
    }
    return {
      append: bytes =>
        inOrder(
          'append',
          () => append(bytes),
          () => append(bytes.subarray(0, bytes.length >> 1)),
        ),
      fdatasync: () =>
        inOrder('fdatasync', () => {
          if (!options.lies) inode.synced = inode.length
          return options.lies ? inode.length : inode.synced
        }),
      close: async () => {},
    }
  }

  return {
    directory: 'memory',
    create: path => step('create', path, () => open(path)),
    read: (path, start = 0) =>
      step('read', path, () => {
        const inode = find(path)
        return inode.bytes.slice(start, inode.length)
      }),
    stream: async function* (path, memory) {
      const { bytes, length } = await step('stream', path, () => find(path))
      for (let at = 0; at < length; at += 4_096) {
        const piece = bytes.slice(at, Math.min(length, at + 4_096))
        if (!memory) yield piece
        else {
          memory.set(piece)
          yield memory.subarray(0, piece.length)
          // A late reader must not find the old bytes.
          memory.fill(0xff)
        }
      }
    },
    list: path =>
      step('list', path, () => {
        const files = [...(directories.get(path)?.now ?? [])].map(([name, { length }]) => ({
          name,
          isDirectory: false,
          length,
        }))
        const prefix = path === '.' ? '' : `${path}/`
        const folders = [...directories.keys()]
          .filter(key => key !== '.' && key.startsWith(prefix) && !key.slice(prefix.length).includes('/'))
          .map(key => ({ name: key.slice(prefix.length), isDirectory: true, length: 0 }))
        return [...files, ...folders].sort((a, b) => (a.name < b.name ? -1 : 1))
      }),
    names: async function* (path) {
      yield await step('names', path, () => [...(directories.get(path)?.now.keys() ?? [])])
    },
    mkdir: path =>
      step('mkdir', path, () => {
        for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
          const parent = end < 0 ? path : path.slice(0, end)
          if (!directories.has(parent)) directories.set(parent, emptyDirectory())
          if (end < 0) return
        }
      }),
    rename: (from, to) =>
      step('rename', from, () => {
        if (directories.has(from)) return renameDirectory(directories, from, to)
        const inode = find(from)
        const [source, sourceName] = directoryOf(from)
        const [target, targetName] = directoryOf(to)
        source.now.delete(sourceName)
        target.now.set(targetName, inode)
      }),
    truncate: (path, length) =>
      step('truncate', path, () => {
        const inode = find(path)
        inode.length = Math.min(inode.length, length)
        if (!options.lies) inode.synced = inode.length
      }),
    unlink: path =>
      step('unlink', path, () => {
        const [directory, name] = directoryOf(path)
        directory.now.delete(name)
      }),
    removeDirectory: path => step('removeDirectory', path, () => void directories.delete(path)),
    fsyncDir: path =>
      step('fsyncDir', path, () => {
        const directory = directories.get(path)
        if (!directory) throw missing(path)
        if (options.lies) return
        // A journal keeps both ends of a move together: one directory is never synced without the other.
        const before = new Set(directory.safe.values())
        for (const { now, safe } of directories.values()) {
          for (const [name, inode] of now) if (before.has(inode)) safe.set(name, inode)
        }
        directory.safe.clear()
        for (const [name, inode] of directory.now) directory.safe.set(name, inode)
      }),
    fsync: path =>
      step('fsync', path, () => {
        const inode = find(path)
        if (!options.lies) inode.synced = inode.length
      }),
    space: async () => ({ freeBytes: options.freeBytes?.() ?? 1e12, totalBytes: 2e12 }),
    close: async () => {},
    powerCut: (random, next = {}) => {
      dead = true
      const survivors = new Map<string, Directory>()
      const left = new Map<Inode, Inode>()
      const keep = (path: string, name: string, inode: Inode): void => {
        const copy = left.get(inode) ?? afterCut(inode, random)
        left.set(inode, copy)
        survivors.get(path)?.now.set(name, copy)
        survivors.get(path)?.safe.set(name, copy)
      }
      for (const [path, { now, safe }] of directories) {
        survivors.set(path, emptyDirectory())
        for (const name of new Set([...now.keys(), ...safe.keys()])) {
          const inode = random() < 0.5 ? now.get(name) : safe.get(name)
          if (inode) keep(path, name, inode)
        }
      }
      // A journal moves a name from one directory to another in one piece: it may be in both, never in neither.
      const safe = new Set([...directories.values()].flatMap(directory => [...directory.safe.values()]))
      for (const [path, { now }] of directories) {
        for (const [name, inode] of now) if (safe.has(inode) && !left.has(inode)) keep(path, name, inode)
      }
      return fromDirectories(survivors, next)
    },
    kill: (next = {}) => {
      dead = true
      // Copies: an operation of the dead process that is under way must not reach what the next one sees.
      return fromDirectories(structuredClone(directories), next)
    },
    overwrite: (path, bytes) => {
      const inode = find(path)
      inode.bytes = bytes
      inode.length = inode.synced = bytes.length
    },
    contents: path => {
      const { bytes, length } = find(path)
      return bytes.slice(0, length)
    },
    safeFiles: () =>
      new Map(
        [...directories].flatMap(([path, { safe }]) =>
          [...safe].map(([name, { bytes, synced }]) => [`${path}/${name}`, bytes.slice(0, synced)] as const),
        ),
      ),
    syncedLength: path => find(path).synced,
    get paths() {
      return [...directories].flatMap(([path, { now }]) =>
        [...now.keys()].map(name => (path === '.' ? name : `${path}/${name}`)),
      )
    },
  }
}

/** With all that is below it. */
const renameDirectory = (directories: Map<string, Directory>, from: string, to: string): void => {
  for (const [path, directory] of Array.from(directories)) {
    if (path !== from && !path.startsWith(`${from}/`)) continue
    directories.delete(path)
    directories.set(`${to}${path.slice(from.length)}`, directory)
  }
}

const emptyDirectory = (): Directory => ({ now: new Map(), safe: new Map() })

/** What is left of a file: the safe part, then nothing, a torn part with zeros behind it, or all of the rest. */
const afterCut = ({ bytes, length, synced }: Inode, random: () => number): Inode => {
  const fate = random()
  const end = fate < 0.4 ? synced : fate < 0.8 ? synced + Math.floor(random() * (length - synced)) : length
  const kept = bytes.slice(0, fate >= 0.6 && fate < 0.8 ? length : end)
  if (fate >= 0.6 && fate < 0.8) kept.fill(0, end)
  return { bytes: kept, length: kept.length, synced: kept.length }
}

const missing = (path: string): Error => Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })
