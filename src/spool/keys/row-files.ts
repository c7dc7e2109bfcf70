/**
 * `keys/NNNNNNNNNN.keys` and `ids/NNNNNNNNNN.ids`: idempotency keys and ids of events that no segment holds any more.
 * The header (see `format-header.ts`) is followed by frames of type 1, each some rows (see `key-row.ts`, `id-row.ts`)
 * in the order of their arrival. A file only grows, and each start begins a new one; the oldest files are removed once
 * the newer ones hold as many rows as are remembered.
 */
import type { Disk } from '../../disk/disk.ts'
import type { Logger } from '../../log/log.ts'
import { findRowFiles, rowPath } from './found-rows.ts'
import { createRowFileWriter } from './row-file-writer.ts'
import type { RowKind, WindowRow } from './row-form.ts'

/** Each file holds at most this part of the rows that are remembered, so that old ones can go. */
const filesPerWindow = 8

/** The most files of one kind, mostly of starts that added little; more are merged. */
const maxFiles = 64

export type RowFiles = {
  /** Resolves when the rows are synced, and their file will be found; if they are all there are, older files go. */
  append(rows: Iterable<WindowRow>, areAll: boolean): Promise<void>
  /** What earlier runs wrote and a start does not find, for people; empty where all is there. */
  readonly problem: string
  /** The newest file with rows in it, which a crash may follow with an empty one; 0 without such a file. */
  readonly newest: number
  /** This file had rows once: the next one has a larger number, and without it, or them, something is missing. */
  expect(newest: number): void
  /** Whether all rows have to be rewritten: those that were read may not be safe, or there are too many files. */
  readonly isToBeRenewed: boolean
  close(): Promise<void>
}

/**
 * Reads the rows of earlier runs, in order, and is ready for more. Changes nothing yet.
 * @throws UnknownFormat
 */
export const openRowFiles = async (
  disk: Disk,
  kind: RowKind,
  maxRows: number,
  log: Logger,
  onRow: (row: WindowRow) => void,
): Promise<RowFiles> => {
  const { files, missing, areSafe } = await findRowFiles(disk, kind, onRow)
  const warn = (reason: string): void => log.warn({ reason }, kind.lost)
  for (const reason of missing) warn(reason)
  let newest = files.at(-1)?.number ?? 0
  const writer = createRowFileWriter(disk, kind, () => {
    const file = { number: ++newest, rows: 0 }
    files.push(file)
    return file
  })
  /** Removes the oldest files, as long as the others hold as many rows as are wanted. */
  const removeOld = async (wanted: number): Promise<void> => {
    let newer = files.reduce((sum, { rows }) => sum + rows, 0)
    for (let oldest = files[0]; oldest && files.length > 1; oldest = files[0]) {
      newer -= oldest.rows
      if (newer < wanted) return
      await disk.unlink(rowPath(kind, oldest.number))
      files.shift()
    }
  }
  const append = async (rows: Iterable<WindowRow>, areAll: boolean): Promise<void> => {
    const written = await writer.append(rows)
    if (areAll) await removeOld(0)
    if (written * filesPerWindow < maxRows) return
    await writer.leave()
    await removeOld(maxRows)
  }
  /** What is missing of a file that had rows once; undefined where it is all there, or said already. */
  const problemOf = (number: number): string | undefined => {
    if (number > newest) return `${rowPath(kind, number)} is gone`
    const isEmptied = files.some(file => file.number === number && file.rows === 0 && !file.isDamaged)
    return isEmptied ? `${rowPath(kind, number)} has no ${kind.name} any more` : undefined
  }
  let last: Promise<unknown> = Promise.resolve()
  return {
    get problem() {
      return missing.join('; ')
    },
    get newest() {
      return files.findLast(({ rows }) => rows > 0)?.number ?? 0
    },
    expect: number => {
      const problem = problemOf(number)
      newest = Math.max(newest, number)
      if (problem === undefined) return
      missing.push(problem)
      warn(problem)
    },
    get isToBeRenewed() {
      return !areSafe || files.length > maxFiles
    },
    append: (rows, areAll) => {
      const next = last.then(() => append(rows, areAll))
      last = next.catch(() => {})
      return next
    },
    close: async () => {
      await last
      await writer.leave()
    },
  }
}
