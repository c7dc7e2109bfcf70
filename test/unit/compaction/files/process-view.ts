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
    const through =
      <Args extends readonly [string, ...unknown[]], T>(operation: string, verb: (...args: Args) => Promise<T>) =>
      (...args: Args): Promise<T> =>
        around(operation, args[0], async with_ => {
          fault = with_
          return await verb(...args)
        })
    return fromVerbs({
      ...memory,
      create: through('create', memory.create),
      open: through('open', memory.open),
      getFileStatus: through('getFileStatus', memory.getFileStatus),
      mkdirs: through('mkdirs', memory.mkdirs),
      rename: through('rename', memory.rename),
      delete: through('delete', memory.delete),
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
