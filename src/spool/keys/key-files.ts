/**
 * `keys/NNNNNNNNNN.keys`: idempotency keys that no segment holds any more. Behind the header (see `format-header.ts`)
 * stand frames of type 1, each some rows (see `key-row.ts`) in the order in which they came. A file only grows, and a
 * start begins a new one; the oldest files go once the newer ones hold as many keys as are remembered.
 */
import type { AppendFile, Disk } from '../../disk/disk.ts'
import type { Logger } from '../../log/log.ts'
import { nextTurn } from '../../runtime/next-turn.ts'
import { encodeHeader, formats, streamFormat, UnknownFormat } from '../framing/format-header.ts'
import { toFrame } from '../framing/framing.ts'
import { decodeRows, encodeRows, type KeyRow } from './key-row.ts'

const directory = 'keys'

/** Rows of one frame, some 180 KB. */
const rowsPerFrame = 4_096

/** Each file holds at most this part of the keys that are remembered, so that old ones can go. */
const filesPerWindow = 8

/** What it means that keys are missing. */
const lostKeys =
  'idempotency keys of earlier requests are missing: such a request counts twice when it is sent again with its key'

/** Files that may stand beside one another, mostly of starts that added little; more are put together. */
const maxFiles = 64

export type KeyFiles = {
  /** Resolves when the rows are synced, and their file will be found; if they are all there are, older files go. */
  append(rows: Iterable<KeyRow>, areAll: boolean): Promise<void>
  /** What earlier runs wrote and a start does not find, for people; empty where all is there. */
  readonly problem: string
  /** The newest file with keys in it, which a crash may follow with an empty one; 0 where there is none. */
  readonly newest: number
  /** This file had keys once: the next one has a larger number, and without it, or them, something is missing. */
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

const pathOf = (number: number): string => `${directory}/${String(number).padStart(10, '0')}.keys`

/**
 * Reads the keys of earlier runs, in order, and is ready for more. Changes nothing yet.
 * @throws UnknownFormat
 */
export const openKeyFiles = async (
  disk: Disk,
  maxKeys: number,
  log: Logger,
  onRow: (row: KeyRow) => void,
): Promise<KeyFiles> => {
  const files: Written[] = []
  const missing: string[] = []
  let newest = 0
  for (const number of await listNumbers(disk)) {
    // The oldest go by themselves, and no other.
    if (newest > 0 && number > newest + 1) missing.push(`no file between ${pathOf(newest)} and ${pathOf(number)}`)
    newest = number
    const written: Written = { number, rows: 0 }
    files.push(written)
    const { read, whole, reason } = await readFile(disk, number, row => {
      written.rows++
      onRow(row)
    })
    written.isDamaged = reason !== undefined || read < whole
    if (reason !== undefined) missing.push(`${pathOf(number)} cannot be read: ${reason}`)
    else if (read < whole) missing.push(`${pathOf(number)} is damaged from byte ${read} of ${whole} on`)
  }
  for (const reason of missing) log.warn({ reason }, lostKeys)
  const miss = (reason: string): void => {
    missing.push(reason)
    log.warn({ reason }, lostKeys)
  }
  let current: { readonly file: AppendFile; readonly written: Written } | undefined

  const open = async (): Promise<NonNullable<typeof current>> => {
    await disk.mkdir(directory)
    const written = { number: ++newest, rows: 0 }
    files.push(written)
    const file = await disk.create(pathOf(written.number))
    try {
      await file.append(encodeHeader('keys'))
      await disk.fsyncDir(directory)
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
  /** Removes the oldest files, as long as the others hold as many keys as are wanted. */
  const removeOld = async (wanted: number): Promise<void> => {
    let newer = files.reduce((sum, { rows }) => sum + rows, 0)
    for (let oldest = files[0]; oldest && files.length > 1; oldest = files[0]) {
      newer -= oldest.rows
      if (newer < wanted) return
      await disk.unlink(pathOf(oldest.number))
      files.shift()
    }
  }
  const append = async (rows: Iterable<KeyRow>, areAll: boolean): Promise<void> => {
    current ??= await open()
    const { file, written } = current
    try {
      let end = 0
      for (const lot of inLots(rows)) {
        end = await file.append(toFrame(formats.keys.frames.rows, encodeRows(lot)))
        written.rows += lot.length
      }
      const safe = await file.fdatasync()
      if (safe < end) throw new Error(`The idempotency keys are safe up to ${safe} of ${end} bytes`)
    } catch (error) {
      // What the file holds is unknown now: the rows come again, in the next one.
      await leave()
      throw error
    }
    if (areAll) await removeOld(0)
    if (written.rows * filesPerWindow < maxKeys) return
    await leave()
    await removeOld(maxKeys)
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
        miss(`${pathOf(number)} has no keys any more`)
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

const listNumbers = async (disk: Disk): Promise<number[]> => {
  const root = await disk.list('.')
  if (!root.some(({ name }) => name === directory)) return []
  return (await disk.list(directory)).flatMap(({ name }) => {
    const [, digits] = /^(\d{10})\.keys$/.exec(name) ?? []
    return digits === undefined ? [] : [Number(digits)]
  })
}

const readFile = async (
  disk: Disk,
  number: number,
  onRow: (row: KeyRow) => void,
): Promise<{ readonly read: number; readonly whole: number; readonly reason?: string }> => {
  let whole = 0
  const pieces = async function* () {
    for await (const piece of disk.stream(pathOf(number))) {
      whole += piece.length
      yield piece
    }
  }
  const frames = streamFormat(pieces(), pathOf(number), 'keys')
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
        for (const row of decodeRows(payload)) onRow(row)
      } catch {
        // Its CRC fits, so no disk did this; but no start may fail of it.
        return { read: start, whole }
      }
      await nextTurn()
    }
  }
}

function* inLots(rows: Iterable<KeyRow>): Generator<readonly KeyRow[], void, undefined> {
  let lot: KeyRow[] = []
  for (const row of rows) {
    if (lot.push(row) < rowsPerFrame) continue
    yield lot
    lot = []
  }
  if (lot.length > 0) yield lot
}
