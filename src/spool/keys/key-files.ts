/**
 * `keys/NNNNNNNNNN.keys`: idempotency keys that no segment holds any more. Behind the header (see `format-header.ts`)
 * stand frames of type 1, each some rows (see `key-row.ts`) in the order in which they came. A file only grows, and a
 * start begins a new one; the oldest files go once the newer ones hold as many keys as are remembered.
 */
import { nextTurn } from '../../next-turn.ts'
import type { AppendFile, Disk } from '../disk/disk.ts'
import { encodeHeader, streamFormat } from '../format-header.ts'
import { toFrame } from '../framing.ts'
import type { SpoolLogger } from '../spool-options.ts'
import { decodeRows, encodeRows, type KeyRow } from './key-row.ts'

const directory = 'keys'
const rowsFrame = 1

/** Rows of one frame, some 180 KB. */
const rowsPerFrame = 4_096

/** Each file holds at most this part of the keys that are remembered, so that old ones can go. */
const filesPerWindow = 8

/** Files that may stand beside one another, mostly of starts that added little; more are put together. */
const maxFiles = 64

export type KeyFiles = {
  /** Resolves when the rows are synced, and their file will be found; if they are all there are, older files go. */
  append(rows: Iterable<KeyRow>, areAll: boolean): Promise<void>
  /** Whether there are so many files that all rows had better be written anew. */
  readonly isScattered: boolean
  close(): Promise<void>
}

type Written = { readonly number: number; rows: number }

const pathOf = (number: number): string => `${directory}/${String(number).padStart(10, '0')}.keys`

/**
 * Reads the keys of earlier runs, in order, and is ready for more. Changes nothing yet.
 * @throws UnknownFormat
 */
export const openKeyFiles = async (
  disk: Disk,
  maxKeys: number,
  log: SpoolLogger,
  onRow: (row: KeyRow) => void,
): Promise<KeyFiles> => {
  const files: Written[] = []
  for (const number of await listNumbers(disk)) {
    const written = { number, rows: 0 }
    files.push(written)
    const length = await readFile(disk, number, row => {
      written.rows++
      onRow(row)
    })
    if (length.read < length.whole)
      log.warn({ file: pathOf(number), ...length }, 'a part of the idempotency keys cannot be read')
  }
  let current: { readonly file: AppendFile; readonly written: Written } | undefined

  const open = async (): Promise<NonNullable<typeof current>> => {
    await disk.mkdir(directory)
    const written = { number: (files.at(-1)?.number ?? 0) + 1, rows: 0 }
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
        end = await file.append(toFrame(rowsFrame, encodeRows(lot)))
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
): Promise<{ readonly read: number; readonly whole: number }> => {
  let whole = 0
  const pieces = async function* () {
    for await (const piece of disk.stream(pathOf(number))) {
      whole += piece.length
      yield piece
    }
  }
  const frames = streamFormat(pieces(), pathOf(number), 'keys')
  for (;;) {
    const next = await frames.next()
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
