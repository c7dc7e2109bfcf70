/**
 * `keys/NNNNNNNNNN.keys` and `ids/NNNNNNNNNN.ids`: idempotency keys and ids of events that no segment holds any more. Behind
 * the header (see `format-header.ts`) stand frames of type 1, each some rows (see `key-row.ts`, `id-row.ts`) in the order in
 * which they came. A file only grows, and a start begins a new one; the oldest files go once the newer ones hold as many rows
 * as are remembered.
 */
import type { AppendFile, Disk } from '../../disk/disk.ts'
import type { Logger } from '../../log/log.ts'
import { nextTurn } from '../../runtime/next-turn.ts'
import { encodeHeader, formats, streamFormat, UnknownFormat } from '../framing/format-header.ts'
import { toFrame } from '../framing/framing.ts'
import { decodeRows, encodeRows, type Row, type RowForm } from './row-form.ts'

/** What a window remembers. */
export type RowKind = {
  /** Of its files: also their directory, and the end of their names. */
  readonly format: 'keys' | 'ids'
  readonly form: RowForm
  /** For people. */
  readonly name: string
  /** What it means that some are missing, for people. */
  readonly lost: string
}

/** Rows of one frame, some 180 KB at most. */
const rowsPerFrame = 4_096

/** Each file holds at most this part of the rows that are remembered, so that old ones can go. */
const filesPerWindow = 8

/** Files that may stand beside one another, mostly of starts that added little; more are put together. */
const maxFiles = 64

export type RowFiles = {
  /** Resolves when the rows are synced, and their file will be found; if they are all there are, older files go. */
  append(rows: Iterable<Row>, areAll: boolean): Promise<void>
  /** What earlier runs wrote and a start does not find, for people; empty where all is there. */
  readonly problem: string
  /** The newest file with rows in it, which a crash may follow with an empty one; 0 where there is none. */
  readonly newest: number
  /** This file had rows once: the next one has a larger number, and without it, or them, something is missing. */
  expect(newest: number): void
  /** Whether there are so many files that all rows had better be written anew. */
  readonly isScattered: boolean
  close(): Promise<void>
}

type Written = {
  readonly number: number
  rows: number
  /** It was said already that rows are missing. */
  isDamaged?: boolean
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
  onRow: (row: Row) => void,
): Promise<RowFiles> => {
  const { format, form, name, lost } = kind
  const pathOf = (number: number): string => toPath(format, number)
  const files: Written[] = []
  const missing: string[] = []
  let newest = 0
  for (const number of await listNumbers(disk, format)) {
    // The oldest go by themselves, and no other.
    if (newest > 0 && number > newest + 1) missing.push(`no file between ${pathOf(newest)} and ${pathOf(number)}`)
    newest = number
    const written: Written = { number, rows: 0 }
    files.push(written)
    const { read, whole, reason } = await readFile(disk, kind, number, row => {
      written.rows++
      onRow(row)
    })
    written.isDamaged = reason !== undefined || read < whole
    if (reason !== undefined) missing.push(`${pathOf(number)} cannot be read: ${reason}`)
    else if (read < whole) missing.push(`${pathOf(number)} is damaged from byte ${read} of ${whole} on`)
  }
  for (const reason of missing) log.warn({ reason }, lost)
  const miss = (reason: string): void => {
    missing.push(reason)
    log.warn({ reason }, lost)
  }
  let current: { readonly file: AppendFile; readonly written: Written } | undefined

  const open = async (): Promise<NonNullable<typeof current>> => {
    await disk.mkdir(format)
    const written = { number: ++newest, rows: 0 }
    files.push(written)
    const file = await disk.create(pathOf(written.number))
    try {
      await file.append(encodeHeader(format))
      await disk.fsyncDir(format)
      await disk.fsyncDir('.')
    } catch (error) {
      await file.close().catch(() => {})
      throw error
    }
    return { file, written }
  }
  const leave = async (): Promise<void> => {
    const old = current
    current = undefined
    await old?.file.close().catch(() => {})
  }
  /** Removes the oldest files, as long as the others hold as many rows as are wanted. */
  const removeOld = async (wanted: number): Promise<void> => {
    let newer = files.reduce((sum, { rows }) => sum + rows, 0)
    for (let oldest = files[0]; oldest && files.length > 1; oldest = files[0]) {
      newer -= oldest.rows
      if (newer < wanted) return
      await disk.unlink(pathOf(oldest.number))
      files.shift()
    }
  }
  const append = async (rows: Iterable<Row>, areAll: boolean): Promise<void> => {
    current ??= await open()
    const { file, written } = current
    try {
      let end = 0
      for (const lot of inLots(rows)) {
        end = await file.append(toFrame(formats[format].frames.rows, encodeRows(form, lot)))
        written.rows += lot.length
      }
      const safe = await file.fdatasync()
      if (safe < end) throw new Error(`The ${name} are safe up to ${safe} of ${end} bytes`)
    } catch (error) {
      // What the file holds is unknown now: the rows come again, in the next one.
      await leave()
      throw error
    }
    if (areAll) await removeOld(0)
    if (written.rows * filesPerWindow < maxRows) return
    await leave()
    await removeOld(maxRows)
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
      if (number > newest) {
        miss(`${pathOf(number)} is gone`)
        newest = number
      } else if (files.some(file => file.number === number && file.rows === 0 && !file.isDamaged)) {
        miss(`${pathOf(number)} has no ${name} any more`)
      }
    },
    get isScattered() {
      return files.length > maxFiles
    },
    append: (rows, areAll) => {
      const next = last.then(() => append(rows, areAll))
      last = next.catch(() => {})
      return next
    },
    close: async () => {
      await last
      await leave()
    },
  }
}

const toPath = (format: RowKind['format'], number: number): string =>
  `${format}/${String(number).padStart(10, '0')}.${format}`

const listNumbers = async (disk: Disk, format: RowKind['format']): Promise<number[]> => {
  const root = await disk.list('.')
  if (!root.some(({ name }) => name === format)) return []
  return (await disk.list(format)).flatMap(({ name }) => {
    const [, digits, ending] = /^(\d{10})\.(\w+)$/.exec(name) ?? []
    return ending === format ? [Number(digits)] : []
  })
}

const readFile = async (
  disk: Disk,
  { format, form }: RowKind,
  number: number,
  onRow: (row: Row) => void,
): Promise<{ readonly read: number; readonly whole: number; readonly reason?: string }> => {
  let whole = 0
  const path = toPath(format, number)
  const pieces = async function* () {
    for await (const piece of disk.stream(path)) {
      whole += piece.length
      yield piece
    }
  }
  const frames = streamFormat(pieces(), path, format)
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
        for (const row of decodeRows(form, payload)) onRow(row)
      } catch {
        // Its CRC fits, so no disk did this; but no start may fail of it.
        return { read: start, whole }
      }
      await nextTurn()
    }
  }
}

function* inLots(rows: Iterable<Row>): Generator<readonly Row[], void, undefined> {
  let lot: Row[] = []
  for (const row of rows) {
    if (lot.push(row) < rowsPerFrame) continue
    yield lot
    lot = []
  }
  if (lot.length > 0) yield lot
}
