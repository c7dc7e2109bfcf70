/** What a process does at a file system in memory, call by call, and what goes wrong with a call. */
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { fromVerbs } from '../../../suites/flat-filesystem.ts'
import { createMemoryFileSystem, type MemoryFault, type MemoryFileSystem } from '../../../suites/memory-filesystem.ts'

/** Decides the fate of a call, and when it goes on. */
export type Around = <T>(operation: string, path: string, call: (fault?: MemoryFault) => Promise<T>) => Promise<T>

export type SharedMemory = {
  readonly memory: MemoryFileSystem
  /** Another process. */
  readonly view: (around: Around) => FileSystem
}

export const createSharedMemory = (now: () => number): SharedMemory => {
  let fault: MemoryFault | undefined
  const memory = createMemoryFileSystem({
    now,
    fail: () => {
      const next = fault
      fault = undefined
      return next
    },
  })
  const view = (around: Around): FileSystem => {
    const act = <T>(operation: string, path: string, call: () => Promise<T>): Promise<T> =>
      around(operation, path, async with_ => {
        fault = with_
        return await call()
      })
    return fromVerbs({
      ...memory,
      create: (path, source, options) => act('create', path, () => memory.create(path, source, options)),
      open: (path, options) => act('open', path, () => memory.open(path, options)),
      getFileStatus: path => act('getFileStatus', path, () => memory.getFileStatus(path)),
      mkdirs: (path, options) => act('mkdirs', path, () => memory.mkdirs(path, options)),
      rename: (source, target, options) =>
        act(options?.overwrite ? 'replace' : 'rename', source, () => memory.rename(source, target, options)),
      delete: (path, options) => act('delete', path, () => memory.delete(path, options)),
      probe: () => act('probe', '/', () => memory.probe()),
      async *listStatus(path, options) {
        yield await around('listStatus', path, async () =>
          (await Array.fromAsync(memory.listStatus(path, options))).flat(),
        )
      },
    })
  }
  return { memory, view }
}

export const away = (path: string): FileSystemError => new FileSystemError('unavailable', path, `"${path}" is away`)
