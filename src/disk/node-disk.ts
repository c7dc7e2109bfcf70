// node-only: files, and a thread for the log
import { type FileHandle, open, opendir, readdir, rename, rm, stat, statfs, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createSlabs } from '../bytes/slabs.ts'
import { makeRoot } from '../filesystem/local/durable.ts'
import type { AppendFile, Disk } from './disk.ts'

/** What the operating system gives as a piece of an uploaded file. */
const streamChunkBytes = 1 << 20

/** The first piece: many files are small, and a large buffer for each would cost more than reading it. */
const firstChunkBytes = 1 << 16

/** Names of a directory that are asked for together. */
const namesAtOnce = 1_000

export type NodeDiskOptions = {
  readonly directory: string
  /** Opens a file for appending; the log's files are written by a thread of their own. @default in this thread */
  readonly createFile?: (path: string) => Promise<AppendFile>
  /** Whether files made here are private to their owner. @default false */
  readonly isPrivate?: boolean
  readonly onClose?: () => Promise<void>
}

/** The real disk, through `node:fs`. */
export const createNodeDisk = ({
  directory,
  isPrivate = false,
  createFile = path => createAppendFile(path, isPrivate ? 0o600 : undefined),
  onClose = async () => {},
}: NodeDiskOptions): Disk => {
  const at = (path: string): string => join(directory, path)
  return {
    directory,
    create: path => createFile(at(path)),
    read: (path, start = 0) => using(at(path), file => readFrom(file, start)),
    stream: (path, memory) => streamFile(at(path), memory),
    list: async path => {
      const entries = await readdir(at(path), { withFileTypes: true })
      const listed = entries.map(async entry => {
        const { name } = entry
        if (entry.isDirectory()) return [{ name, isDirectory: true, length: 0 }]
        const found = await stat(at(`${path}/${name}`)).catch(ignoreMissing)
        return found ? [{ name, isDirectory: false, length: found.size }] : []
      })
      return (await Promise.all(listed)).flat().sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    names: path => readNames(at(path)),
    mkdir: async path => void (await makeRoot(resolve(at(path)), isPrivate ? 0o700 : undefined)),
    rename: (from, to) => rename(at(from), at(to)),
    truncate: (path, length) =>
      using(
        at(path),
        async file => {
          await file.truncate(length)
          await file.datasync()
        },
        'r+',
      ),
    unlink: async path => {
      await unlink(at(path)).catch(ignoreMissing)
    },
    removeDirectory: path => rm(at(path), { recursive: true, force: true }),
    fsync: path => using(at(path), file => file.datasync()),
    fsyncDir: path => using(at(path), directory => directory.sync()),
    space: async () => {
      const { bavail, blocks, bsize } = await statfs(directory)
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
    },
    close: onClose,
  }
}

const using = async <T>(path: string, body: (file: FileHandle) => Promise<T>, flags = 'r'): Promise<T> => {
  const file = await open(path, flags)
  try {
    return await body(file)
  } finally {
    await file.close()
  }
}

const readFrom = async (file: FileHandle, start: number): Promise<Uint8Array> => {
  const { size } = await file.stat()
  const bytes = new Uint8Array(Math.max(0, size - start))
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

async function* readNames(path: string): AsyncGenerator<readonly string[]> {
  let names: string[] = []
  for await (const { name } of await opendir(path, { bufferSize: namesAtOnce })) {
    if (names.push(name) < namesAtOnce) continue
    yield names
    names = []
  }
  yield names
}

async function* streamFile(path: string, memory?: Uint8Array): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r')
  let slabs = createSlabs(firstChunkBytes)
  try {
    for (let isFirst = true; ; isFirst = false) {
      const { bytesRead } = await file.read(memory ?? slabs.next())
      if (bytesRead === 0) return
      yield memory?.subarray(0, bytesRead) ?? slabs.filled(bytesRead)
      if (!isFirst) continue
      slabs.close()
      slabs = createSlabs(streamChunkBytes)
    }
  } finally {
    slabs.close()
    await file.close()
  }
}

const createAppendFile = async (path: string, mode?: number): Promise<AppendFile> => {
  const file = await open(path, 'ax', mode)
  let length = 0
  let last: Promise<unknown> = Promise.resolve()
  /** One after the other, and none after a failure: a sync must not make half of an append look safe. */
  const inOrder = <T>(call: () => Promise<T>): Promise<T> => {
    const next = last.then(call)
    last = next
    last.catch(() => {})
    return next
  }
  return {
    append: bytes =>
      inOrder(async () => {
        let written = 0
        while (written < bytes.length) {
          written += (await file.write(bytes, written, bytes.length - written)).bytesWritten
        }
        length += written
        return length
      }),
    fdatasync: () =>
      inOrder(async () => {
        await file.datasync()
        return length
      }),
    close: async () => {
      await last.catch(() => {})
      await file.close()
    },
  }
}

const ignoreMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error
}
