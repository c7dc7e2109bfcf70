import type { Disk } from '../../disk/disk.ts'
import { nextTurn } from '../../runtime/next-turn.ts'
import { streamFormat, UnknownFormat } from '../framing/format-header.ts'
import { decodeRows, type RowKind, type WindowRow } from './row-form.ts'

/** A file of rows. */
export type RowFile = {
  readonly number: number
  rows: number
  /** It was said already that rows are missing. */
  isDamaged?: boolean
}

/** Where a file is. */
export const rowPath = ({ format }: Pick<RowKind, 'format'>, number: number): string =>
  `${format}/${String(number).padStart(10, '0')}.${format}`

/** What earlier runs have left. */
export type FoundRows = {
  /** Oldest first. */
  readonly files: RowFile[]
  /** What is missing of them, for people. */
  readonly missing: string[]
  /** Whether all that was read is safe. */
  readonly areSafe: boolean
}

/** Reads the rows of earlier runs, in order. @throws UnknownFormat */
export const findRowFiles = async (disk: Disk, kind: RowKind, onRow: (row: WindowRow) => void): Promise<FoundRows> => {
  const files: RowFile[] = []
  const missing: string[] = []
  let areSafe = true
  const pathOf = (number: number): string => rowPath(kind, number)
  for (const number of await listNumbers(disk, kind)) {
    const newest = files.at(-1)?.number ?? number
    // The oldest go by themselves, and no other.
    if (number > newest + 1) missing.push(`no file between ${pathOf(newest)} and ${pathOf(number)}`)
    const file: RowFile = { number, rows: 0 }
    files.push(file)
    // A killed process may have left bytes that the disk does not have yet.
    await disk.fsync(pathOf(number)).catch(() => {
      areSafe = false
    })
    const { read, whole, reason } = await readFile(disk, kind, number, row => {
      file.rows++
      onRow(row)
    })
    file.isDamaged = reason !== undefined || read < whole
    if (reason !== undefined) missing.push(`${pathOf(number)} cannot be read: ${reason}`)
    else if (read < whole) missing.push(`${pathOf(number)} is damaged from byte ${read} of ${whole} on`)
  }
  return { files, missing, areSafe }
}

const listNumbers = async (disk: Disk, { format }: RowKind): Promise<number[]> => {
  const root = await disk.list('.')
  if (!root.some(({ name }) => name === format)) return []
  return (await disk.list(format)).flatMap(({ name }) => {
    const [, digits, ending] = /^(\d{10})\.(\w+)$/.exec(name) ?? []
    return ending === format ? [Number(digits)] : []
  })
}

const readFile = async (
  disk: Disk,
  kind: RowKind,
  number: number,
  onRow: (row: WindowRow) => void,
): Promise<{ readonly read: number; readonly whole: number; readonly reason?: string }> => {
  let whole = 0
  const path = rowPath(kind, number)
  const pieces = async function* () {
    for await (const piece of disk.stream(path)) {
      whole += piece.length
      yield piece
    }
  }
  const frames = streamFormat(pieces(), path, kind.format)
  for (;;) {
    let next: Awaited<ReturnType<typeof frames.next>>
    try {
      next = await frames.next()
    } catch (error) {
      if (error instanceof UnknownFormat) throw error
      return { read: 0, whole, reason: (error as Error).message }
    }
    if (next.done) return { read: next.value, whole }
    for (const { payload, start } of next.value.frames) {
      try {
        for (const row of decodeRows(kind.form, payload)) onRow(row)
      } catch {
        // Its CRC fits, so no disk did this; but no start may fail of it.
        return { read: start, whole }
      }
      await nextTurn()
    }
  }
}
