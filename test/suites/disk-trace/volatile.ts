import { dirname } from 'node:path/posix'
import type { TraceEvent } from './trace.ts'

/** What a power cut could take at one moment of a trace. */
export type Volatile = {
  /** Takes the next call into account. */
  apply(event: TraceEvent): void
  /** Files with bytes that are not synced. */
  files(): string[]
  /** Names that are new in their directories, and names that are gone from them, since the directory was last synced. */
  added(): string[]
  removed(): string[]
  /** What was written to the ledger and is not synced. */
  contents(): string[]
}

/** One file, under all its names. */
type Inode = { written: number; synced: number; contents: { readonly at: number; readonly content: string }[] }
/** Names that changed since a directory was synced, and in which change of the trace. */
type Changes = { readonly added: Map<string, number>; readonly removed: Map<string, number> }

/** Follows the calls of a trace. A sync covers what had been done when it began. */
export const createVolatile = (): Volatile => {
  const inodes = new Map<string, Inode>()
  const changes = new Map<string, Changes>()
  const syncing = new Map<string, number>()
  let now = 0

  const inodeOf = (path: string): Inode => {
    const known = inodes.get(path)
    if (known) return known
    const inode = { written: 0, synced: 0, contents: [] }
    inodes.set(path, inode)
    return inode
  }
  const changesOf = (directory: string): Changes => {
    const known = changes.get(directory)
    if (known) return known
    const none = { added: new Map<string, number>(), removed: new Map<string, number>() }
    changes.set(directory, none)
    return none
  }
  const directoryOf = (path: string): string => (dirname(path) === '.' ? '' : dirname(path))
  const add = (path: string): void => {
    const { added, removed } = changesOf(directoryOf(path))
    added.set(path, now)
    removed.delete(path)
  }
  const remove = (path: string): void => {
    const { added, removed } = changesOf(directoryOf(path))
    added.delete(path)
    removed.set(path, now)
  }
  const isInside = (path: string, directory: string): boolean => path === directory || path.startsWith(`${directory}/`)
  /** A directory takes with it what is below. */
  const moveAll = (from: string, to: string): void => {
    const rename = (path: string): string => (isInside(path, from) ? to + path.slice(from.length) : path)
    const below = (path: string): boolean => isInside(path, from)
    for (const [path, inode] of [...inodes].filter(([path]) => below(path))) {
      inodes.delete(path)
      inodes.set(rename(path), inode)
    }
    for (const [path, { added, removed }] of [...changes].filter(([path]) => below(path))) {
      changes.delete(path)
      const renamed = (names: Map<string, number>) => new Map([...names].map(([name, at]) => [rename(name), at]))
      changes.set(rename(path), { added: renamed(added), removed: renamed(removed) })
    }
  }
  const forget = (names: Map<string, number>, before: number): void => {
    for (const [name, at] of names) if (at <= before) names.delete(name)
  }

  return {
    apply: ({ operation, thread, path, target, content }) => {
      now++
      switch (operation) {
        case 'create':
        case 'mkdir':
          return add(path)
        case 'write': {
          const inode = inodeOf(path)
          inode.written = now
          if (content !== '') inode.contents.push({ at: now, content })
          return
        }
        case 'syncing':
          syncing.set(`${thread} ${path}`, now)
          return
        case 'synced': {
          const began = syncing.get(`${thread} ${path}`) ?? 0
          const inode = inodes.get(path)
          if (inode) {
            inode.synced = Math.max(inode.synced, began)
            inode.contents = inode.contents.filter(({ at }) => at > began)
          }
          const changed = changes.get(path)
          if (changed) for (const names of [changed.added, changed.removed]) forget(names, began)
          return
        }
        case 'rename':
          moveAll(path, target)
          remove(path)
          return add(target)
        case 'link':
          inodes.set(target, inodeOf(path))
          return add(target)
        case 'unlink':
          inodes.delete(path)
          return remove(path)
        case 'rmdir':
          changes.delete(path)
          return remove(path)
        case 'answer':
          return
      }
    },
    files: () => [...inodes].filter(([, { written, synced }]) => written > synced).map(([path]) => path),
    added: () => [...changes.values()].flatMap(({ added }) => [...added.keys()]),
    removed: () => [...changes.values()].flatMap(({ removed }) => [...removed.keys()]),
    contents: () => [...inodes.values()].flatMap(({ contents }) => contents.map(({ content }) => content)),
  }
}
