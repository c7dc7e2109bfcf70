/**
 * Sorts rows in bounded memory: those that have no room any more go to a file, sorted, and such runs are merged
 * (`merge-runs.ts`). Rows with one key stay in the order in which they were added. Where rows have ids, they are sorted by key and
 * id, and the first of those with the same stays (`drop-repeats.ts`).
 */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ByteSink } from '../formats/parquet/write/byte-sink.ts'
import { dropRepeats, type WithoutRepeats } from './drop-repeats.ts'
import { mergeRuns, type NextIdentifiedRow, type NextRow, type Run, writeRunRow } from './merge-runs.ts'
import { idBytes, SortKeys } from './sort-keys.ts'

export type RowSorterOptions = {
  /** Where the file is made. */
  readonly directory: string
  /** Of the rows that are held, and then of what is read ahead of runs. */
  readonly memoryBytes: number
  /** Whether rows have ids. @default false */
  readonly hasIds?: boolean
}

export type RowSorter = {
  /** A row is put here, and then {@link RowSorter.end} is called. */
  readonly sink: ByteSink
  /**
   * Says by what the row is sorted that was put into the sink; where nothing was, it stands for a row of another file.
   * @param id in base64url; none without
   */
  end(key: number, id?: string): void
  /** Waits until there is room for more rows; undefined where there is. */
  makeRoom(): Promise<void> | undefined
  /** All rows, the least key first; nothing may be added any more. */
  rows(): Promise<NextRow>
  /** The same with those that repeat others, where rows have ids: the first of them is the one that stays. */
  rowsWithRepeats(): Promise<NextIdentifiedRow>
  /** How many of them repeat others and were left out so far. */
  readonly repeats: number
  /** Removes the file. */
  close(): Promise<void>
}

/** Bytes of a run that are written at once. */
const writeBytes = 1024 * 1024

export const createRowSorter = ({ directory, memoryBytes, hasIds = false }: RowSorterOptions): RowSorter => {
  const sink = new ByteSink(1 << 16)
  let held = new SortKeys(hasIds)
  const runs: Run[] = []
  let file: FileHandle | undefined
  let without: WithoutRepeats | undefined

  const spill = async (): Promise<void> => {
    file ??= await openUnnamed(directory)
    const start = runs.at(-1)?.end ?? 0
    const out = new ByteSink(writeBytes)
    let end = start
    const flush = async (to: FileHandle): Promise<void> => {
      for (let at = 0; at < out.length; ) {
        const { bytesWritten } = await to.write(out.bytes, at, out.length - at, end)
        at += bytesWritten
        end += bytesWritten
      }
      out.length = 0
    }
    for (const row of held.order()) {
      writeRunRow(out, held.keyOf(row), sink.bytes.subarray(held.startOf(row), held.endOf(row)), held.idOf(row))
      if (out.length >= writeBytes) await flush(file)
    }
    await flush(file)
    runs.push({ start, end })
    sink.length = 0
    held.clear()
  }

  const mergeAll = async (of: FileHandle): Promise<NextIdentifiedRow> => {
    if (held.count > 0) await spill()
    held = new SortKeys(hasIds)
    sink.free()
    return mergeRuns(of, runs, { memoryBytes, hasIds })
  }
  const rowsWithRepeats = async (): Promise<NextIdentifiedRow> =>
    file ? await mergeAll(file) : heldRows(held, sink, held.order().values())
  return {
    sink,
    end: (key, id) => held.add(key, sink.length, id),
    makeRoom: () => (sink.length + held.bytes < memoryBytes ? undefined : spill()),
    rows: async () => {
      if (hasIds) {
        without = dropRepeats(await rowsWithRepeats())
        return without.next
      }
      if (file) return await mergeAll(file)
      const order = held.order().values()
      return () => {
        const { value, done } = order.next()
        return done ? undefined : { bytes: sink.bytes, start: held.startOf(value) }
      }
    },
    rowsWithRepeats,
    get repeats() {
      return without?.repeats ?? 0
    },
    close: async () => await file?.close(),
  }
}

const heldRows =
  (held: SortKeys, { bytes }: ByteSink, order: Iterator<number, undefined>): NextIdentifiedRow =>
  () => {
    const { value, done } = order.next()
    if (done) return undefined
    const start = held.startOf(value)
    return {
      bytes,
      start,
      length: held.endOf(value) - start,
      key: held.keyOf(value),
      ids: held.ids,
      idAt: value * idBytes,
    }
  }

/** A file that is gone once it is closed, or this process ends. */
const openUnnamed = async (directory: string): Promise<FileHandle> => {
  const own = await mkdtemp(join(directory, 'sluice-compact-'))
  try {
    return await open(join(own, 'rows'), 'wx+', 0o600)
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}
