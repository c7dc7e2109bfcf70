/**
 * Merges runs of sorted rows, which follow one another in a file:
 *
 *     crc:4 key:8 (double) length:4 bytes          a row; little-endian; CRC-32 of what follows it
 *     crc:4 key:8 (double) id:16 length:4 bytes    one that is sorted by its id, too
 */
import { Buffer } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { ByteSink } from '../formats/parquet/write/byte-sink.ts'
import { compareIds, idBytes } from './sort-keys.ts'

/** A row: its bytes, until the next one is asked for. */
export type SortedRow = { readonly bytes: Buffer; readonly start: number }

/** The next row, which is at hand or comes from the file; undefined behind the last one. */
export type NextRow = () => SortedRow | undefined | Promise<SortedRow | undefined>

/** A row that is sorted by its id, too. */
export type IdentifiedRow = SortedRow & {
  readonly key: number
  /** What has its id, */
  readonly ids: Buffer
  /** from here on. */
  readonly idAt: number
  readonly length: number
}

/** As {@link NextRow}. */
export type NextIdentifiedRow = () => IdentifiedRow | undefined | Promise<IdentifiedRow | undefined>

/** Where a run is in the file. */
export type Run = { readonly start: number; readonly end: number }

const headBytes = 16

/** Adds a row to a run. @param id of rows that are sorted by theirs */
export const writeRunRow = (sink: ByteSink, key: number, row: Uint8Array, id?: Uint8Array): void => {
  const start = sink.length
  sink.uint32(0)
  sink.reserve(8)
  sink.length = sink.bytes.writeDoubleLE(key, sink.length)
  if (id) sink.append(id)
  sink.uint32(row.length)
  sink.append(row)
  sink.bytes.writeUInt32LE(crc32(sink.view(start + 4)), start)
}

/** Bytes that are read ahead of one run at least and at most. */
const leastReadBytes = 64 * 1024
const mostReadBytes = 1024 * 1024

/** So many runs have room: of rows of 64 MiB each, they are an hour of 128 GiB. */
const maxRuns = 2_048

export type MergeRunsOptions = {
  /** Of what is read ahead of all runs together, where that is enough for each. */
  readonly memoryBytes: number
  /** Whether rows are sorted by their ids, too. */
  readonly hasIds: boolean
}

/** @throws RangeError there are too many runs */
export const mergeRuns = (
  file: FileHandle,
  runs: readonly Run[],
  { memoryBytes, hasIds }: MergeRunsOptions,
): NextIdentifiedRow => {
  if (runs.length > maxRuns)
    throw new RangeError(`expected at most ${maxRuns} runs of sorted rows, found ${runs.length}`)
  const share = Math.floor(memoryBytes / runs.length)
  const readBytes = Math.max(leastReadBytes, Math.min(mostReadBytes, share))
  const heap: RunReader[] = []
  let isOpen = false

  const open = async (): Promise<void> => {
    isOpen = true
    for (const [number, run] of runs.entries()) {
      const reader = new RunReader(file, run, { number, readBytes, hasIds })
      if (await reader.next()) heap.push(reader)
    }
    for (let at = (heap.length >> 1) - 1; at >= 0; at--) sink(heap, at)
  }
  /** Puts the first run where it belongs now. */
  const settle = (hasMore: boolean): ReturnType<NextIdentifiedRow> => {
    const last = hasMore ? undefined : heap.pop()
    if (last && heap.length > 0) heap[0] = last
    if (heap.length > 0) sink(heap, 0)
    return heap[0]
  }
  return () => {
    const [first] = heap
    if (!isOpen) return open().then(() => heap[0])
    if (!first) return undefined
    const hasMore = first.next()
    return hasMore instanceof Promise ? hasMore.then(settle) : settle(hasMore)
  }
}

const isBefore = (a: RunReader, b: RunReader): boolean =>
  a.key < b.key ||
  (a.key === b.key && ((a.hasIds && compareIds(a.bytes, a.idAt, b.bytes, b.idAt)) || a.number - b.number) < 0)

const sink = (heap: RunReader[], from: number): void => {
  const moved = heap[from] as RunReader
  let at = from
  for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
    const [left, right] = [heap[child] as RunReader, heap[child + 1]]
    const isRight = right !== undefined && isBefore(right, left)
    const least = isRight ? right : left
    if (!isBefore(least, moved)) break
    heap[at] = least
    at = isRight ? child + 1 : child
  }
  heap[at] = moved
}

type RunOptions = { readonly number: number; readonly readBytes: number; readonly hasIds: boolean }

/** The rows of a run, one after another. */
class RunReader implements IdentifiedRow {
  readonly number: number
  readonly hasIds: boolean
  readonly #headBytes: number
  readonly #file: FileHandle
  readonly #end: number
  readonly #readBytes: number
  /** In the file, behind what is at hand. */
  #at: number
  #next = 0
  bytes: Buffer = Buffer.alloc(0)
  start = 0
  key = 0
  length = 0

  constructor(file: FileHandle, { start, end }: Run, { number, readBytes, hasIds }: RunOptions) {
    this.#file = file
    this.#at = start
    this.#end = end
    this.number = number
    this.hasIds = hasIds
    this.#headBytes = hasIds ? headBytes + idBytes : headBytes
    this.#readBytes = readBytes
  }

  get ids(): Buffer {
    return this.bytes
  }

  get idAt(): number {
    return this.start - 4 - idBytes
  }

  /** Goes to the next row. @returns false behind the last one */
  next(): boolean | Promise<boolean> {
    const left = this.bytes.length - this.#next
    if (left === 0 && this.#at === this.#end) return false
    const head = this.#headBytes
    const needed = left < head ? head : head + this.bytes.readUInt32LE(this.#next + head - 4)
    if (left < needed) return this.#fill(needed).then(() => this.next())
    const found = crc32(this.bytes.subarray(this.#next + 4, this.#next + needed))
    if (found !== this.bytes.readUInt32LE(this.#next))
      throw new RangeError('expected a row in the temporary file as it was written, found another: its disk is faulty')
    this.key = this.bytes.readDoubleLE(this.#next + 4)
    this.start = this.#next + head
    this.length = needed - head
    this.#next += needed
    return true
  }

  /** Reads until so many bytes are at hand. */
  async #fill(needed: number): Promise<void> {
    const kept = this.bytes.subarray(this.#next)
    const length = Math.min(Math.max(needed, this.#readBytes), kept.length + this.#end - this.#at)
    if (length < needed) throw new RangeError(`expected ${needed} bytes of a row at ${this.#at}, found ${length}`)
    const bytes = Buffer.allocUnsafeSlow(length)
    kept.copy(bytes)
    for (let have = kept.length; have < length; ) {
      const { bytesRead } = await this.#file.read(bytes, have, length - have, this.#at)
      if (bytesRead === 0) throw new RangeError(`expected bytes of rows at ${this.#at}, found the end of the file`)
      have += bytesRead
      this.#at += bytesRead
    }
    this.bytes = bytes
    this.#next = 0
  }
}
