import type { FileStatus } from '../../filesystem/filesystem.ts'
import type { Mark } from '../../rows/reading.ts'
import { toStateTag } from '../state-tag.ts'

/** Files remembered, the least recently used one makes room; and places in each, spread evenly over its bytes. */
const maxFiles = 100
const maxMarks = 1_000

/**
 * Remembers from where the rows of recently read files can be read, so that going back, and jumping to a row again,
 * does not begin at the top. A file that has changed is another file.
 */
export type MarkMemory = {
  /** The last known place at or before a row; undefined is the beginning. @param form how it is read, where that makes other rows */
  find(status: FileStatus, row: number, form?: string): Mark | undefined
  /** Takes only places that were found by reading from the beginning or from a place given out here. */
  add(status: FileStatus, mark: Mark, form?: string): void
}

/** An empty {@link MarkMemory}. */
export const createMarkMemory = (): MarkMemory => {
  const files = new Map<string, Mark[]>()
  const open = (status: FileStatus, form = ''): Mark[] => {
    const key = JSON.stringify([status.path, toStateTag(status), form])
    const marks = files.get(key) ?? []
    files.delete(key)
    files.set(key, marks)
    const [oldest] = files.keys()
    if (files.size > maxFiles && oldest !== undefined) files.delete(oldest)
    return marks
  }
  return {
    find: (status, row, form) => open(status, form).findLast(mark => mark.row <= row),
    add: (status, mark, form) => {
      const marks = open(status, form)
      const at = marks.findLastIndex(known => known.row <= mark.row)
      const apart = status.length / maxMarks
      const before = marks[at]
      const after = marks[at + 1]
      if (before && (before.row === mark.row || mark.offset - before.offset < apart)) return
      if (after && after.offset - mark.offset < apart) return
      marks.splice(at + 1, 0, mark)
    },
  }
}

/** The places of files that are all read in one way. */
export const withForm = (memory: MarkMemory, form: string): MarkMemory => ({
  find: (status, row) => memory.find(status, row, form),
  add: (status, mark) => memory.add(status, mark, form),
})
