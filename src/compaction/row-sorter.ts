/**
 * Sorts rows in bounded memory: those that have no room any more go to a file, sorted, and such runs are merged
 * (`merge-runs.ts`). Rows with one key stay in the order in which they were added.
 */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ByteSink } from '../formats/parquet/write/byte-sink.ts'
import { mergeRuns, type NextRow, type Run, writeRunRow } from './merge-runs.ts'
import { SortKeys } from './sort-keys.ts'

export type RowSorterOptions = {
  /** Where the file is made. */
  readonly directory: string
  /** Of the rows that are held. */
  readonly memoryBytes: number
}

export type RowSorter = {
  /** A row is put here, and then {@link RowSorter.end} is called. */
  readonly sink: ByteSink
  /** Says by what the row is sorted that was put into the sink. */
  end(key: number): void
  /** Waits until there is room for more rows; undefined where there is. */
  makeRoom(): Promise<void> | undefined
  /** All rows, the least key first; nothing may be added any more. */
  rows(): Promise<NextRow>
  /** Removes the file. */
  close(): Promise<void>
}

/** Bytes of a run that are written at once. */
const writeBytes = 1024 * 1024

export const createRowSorter = ({ directory, memoryBytes }: RowSorterOptions): RowSorter => {
  const sink = new ByteSink(1 << 16)
  const held = new SortKeys()
  const runs: Run[] = []
  let file: FileHandle | undefined

  const spill = async (): Promise<FileHandle> => {
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
      writeRunRow(out, held.keyOf(row), sink.bytes.subarray(held.startOf(row), held.endOf(row)))
      if (out.length >= writeBytes) await flush(file)
    }
    await flush(file)
    runs.push({ start, end })
    sink.length = 0
    held.clear()
    return file
  }

  return {
    sink,
    end: key => held.add(key, sink.length),
    makeRoom: () => (sink.length + held.bytes < memoryBytes ? undefined : spill().then(() => {})),
    rows: async () => {
      if (file) return mergeRuns(held.count > 0 ? await spill() : file, runs)
      const order = held.order().values()
      return () => {
        const { value, done } = order.next()
        return done ? undefined : { bytes: sink.bytes, start: held.startOf(value) }
      }
    },
    close: async () => await file?.close(),
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
