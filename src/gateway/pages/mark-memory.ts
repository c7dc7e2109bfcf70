import type { FileStatus } from '../../filesystem/filesystem.ts'
import type { Mark } from '../../rows/reading.ts'

/** Files remembered, and places in each; the least recently used file and every second place make room. */
const maxFiles = 100
const maxMarks = 1_000

/**
 * Remembers from where the rows of recently read files can be read, so that going back, and jumping to a row again,
 * does not begin at the top. A file that has changed is another file.
 */
export type MarkMemory = {
  /** The last known place at or before a row; undefined is the beginning. */
  find(status: FileStatus, row: number): Mark | undefined
  /** Takes only places that were found by reading from the beginning or from a place given out here. */
  add(status: FileStatus, mark: Mark): void
}

/** An empty {@link MarkMemory}. */
export const createMarkMemory = (): MarkMemory => {
  const files = new Map<string, Mark[]>()
  const open = (status: FileStatus): Mark[] => {
    const key = JSON.stringify([status.path, status.length, status.modificationTime])
    const marks = files.get(key) ?? []
    files.delete(key)
    files.set(key, marks)
    const [oldest] = files.keys()
    if (files.size > maxFiles && oldest !== undefined) files.delete(oldest)
    return marks
  }
  return {
    find: (status, row) => open(status).findLast(mark => mark.row <= row),
    add: (status, mark) => {
      const marks = open(status)
      const at = marks.findLastIndex(known => known.row <= mark.row)
      if (marks[at]?.row === mark.row) return
      marks.splice(at + 1, 0, mark)
      if (marks.length <= maxMarks) return
      const kept = marks.filter((_, index) => index % 2 === 0)
      marks.splice(0, marks.length, ...kept)
    },
  }
}
