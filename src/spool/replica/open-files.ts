import type { Disk } from '../../disk/disk.ts'
import type { Behind } from './behind.ts'
import { segmentAt } from './remote-names.ts'
import { ReplicatedFile, type ReplicatedFileParts } from './replicated-file.ts'

/** The files that somebody writes, by their paths. */
export type OpenFiles = {
  create(path: string): Promise<ReplicatedFile>
  get(path: string): ReplicatedFile | undefined
  has(path: string): boolean
  move(from: string, to: string): void
  readonly paths: readonly string[]
  readonly isBehind: boolean
  readonly behindBytes: number
  /** Resolves when all that are closed here have ended in HDFS, well or not. */
  ended(): Promise<void>
}

/** @param behind hears of files that are closed before HDFS has them */
export const createOpenFiles = (disk: Disk, parts: ReplicatedFileParts, behind: Behind): OpenFiles => {
  const open = new Map<string, ReplicatedFile>()
  const ending = new Set<Promise<void>>()
  const onClose = (file: ReplicatedFile, ended: Promise<void>): void => {
    for (const [path, one] of open) {
      if (one !== file) continue
      open.delete(path)
      if (file.behindBytes > 0) behind.note(path, file.behindBytes)
    }
    ending.add(ended)
    void ended.then(() => ending.delete(ended))
  }
  return {
    create: async path => {
      const file = new ReplicatedFile(await disk.create(path), path, parts, onClose)
      open.set(path, file)
      const segment = segmentAt(path)
      if (segment !== undefined) parts.onSegment(segment)
      return file
    },
    get: path => open.get(path),
    has: path => open.has(path),
    move: (from, to) => {
      const file = open.get(from)
      if (!file) return
      open.delete(from)
      open.set(to, file)
    },
    get paths() {
      return [...open.keys()]
    },
    get isBehind() {
      return open.values().some(file => file.isBehind)
    },
    get behindBytes() {
      return open.values().reduce((sum, file) => sum + file.behindBytes, 0)
    },
    ended: async () => void (await Promise.all(ending)),
  }
}
