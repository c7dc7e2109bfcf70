/**
 * Finds the rows that repeat an event of another row, as a compaction does, and changes nothing. Of each row only date and id are
 * read; where it is goes through the sorter in place of its bytes:
 *
 *     file:4 position:8 (double)      little-endian; number of the file among those that are read, and of the row in it
 */
import type { FileSystem } from '../../filesystem/filesystem.ts'
import type { ByteSink } from '../../formats/parquet/write/byte-sink.ts'
import type { LiveFile } from '../../tables/replace/live-files.ts'
import type { TablePlace } from '../../tables/table-place.ts'
import { createIsRepeat } from '../drop-repeats.ts'
import type { HourTarget } from '../hour-target.ts'
import type { IdentifiedRow, NextIdentifiedRow } from '../merge-runs.ts'
import { type BesideFile, findRepeatable, readBesideInto } from '../read-beside.ts'
import { type Instead, readRowsInto } from '../read-rows.ts'
import { createRowSorter } from '../row-sorter.ts'
import { idBytes } from '../sort-keys.ts'
import { openSource, withSource } from '../source-files.ts'

/** Where a row is: its number in a file, from 0, which the metadata names so. */
export type RowPlace = { readonly uri: string; readonly position: number }

/** A row that repeats the event of another one, which came first. */
export type RepeatedRow = {
  /** Of both, in µs since the epoch. */
  readonly time: number
  /** Of both, as the table has it. */
  readonly id: string
  readonly dropped: RowPlace
  readonly stays: RowPlace
}

export type FindRepeatsOptions = {
  readonly fileSystem: FileSystem
  /** Where rows wait that have no room in memory. */
  readonly temporaryDirectory: string
  /** Of rows that are held while they are sorted. @default 64 MiB */
  readonly sortBytes?: number
  /** Called with rows that were read. */
  readonly onRows: (rows: number) => void
}

/** Files that are compacted at a time, in the order in which repeats are looked for. */
export type RepeatedGroup = {
  readonly target: Pick<HourTarget, 'idsOnly'>
  readonly files: readonly LiveFile[]
  /** Files that stay, and whose events are not to be repeated. */
  readonly beside: readonly BesideFile[]
}

const usualSortBytes = 64 * 1024 * 1024

/**
 * The rows of some files that repeat others, the earliest date first.
 * @throws UnfitSource. Rejects with `FileSystemError`
 */
export async function* findRepeats(
  { fileSystem, temporaryDirectory, sortBytes = usualSortBytes, onRows }: FindRepeatsOptions,
  place: TablePlace,
  { target: { idsOnly }, files, beside }: RepeatedGroup,
): AsyncGenerator<RepeatedRow, void, undefined> {
  if (!idsOnly) return
  const sorter = createRowSorter({ directory: temporaryDirectory, memoryBytes: sortBytes, hasIds: true })
  const uris: string[] = []
  const instead: Instead = (sink, position) => writePlace(sink, uris.length - 1, position)
  try {
    for (const file of findRepeatable(beside, files)) {
      uris.push(file.uri)
      const options = { target: idsOnly, sources: files, onRows: () => onRows(0), instead }
      await withSource(file, async () => readBesideInto(sorter, await openSource(fileSystem, place, file), options))
    }
    const first = uris.length
    for (const file of files) {
      uris.push(file.uri)
      const wanted = { instead, isWanted: () => true }
      await withSource(file, async () =>
        readRowsInto(sorter, await openSource(fileSystem, place, file), idsOnly, onRows, wanted),
      )
    }
    yield* toRepeats(await sorter.rowsWithRepeats(), uris, first)
  } finally {
    await sorter.close()
  }
}

/** @param first number of the first file whose rows may be dropped */
async function* toRepeats(
  next: NextIdentifiedRow,
  uris: readonly string[],
  first: number,
): AsyncGenerator<RepeatedRow, void, undefined> {
  const isRepeat = createIsRepeat()
  let stays: RowPlace = { uri: '', position: 0 }
  for (;;) {
    const found = next()
    const row = found instanceof Promise ? await found : found
    if (!row) return
    const { file, position } = readPlace(row)
    const place = { uri: uris[file] ?? '', position }
    if (!isRepeat(row)) stays = place
    else if (file >= first) yield { time: row.key, id: idOf(row), dropped: place, stays }
  }
}

const writePlace = (sink: ByteSink, file: number, position: number): void => {
  sink.uint32(file)
  sink.reserve(8)
  sink.length = sink.bytes.writeDoubleLE(position, sink.length)
}

const readPlace = ({ bytes, start }: IdentifiedRow): { readonly file: number; readonly position: number } => ({
  file: bytes.readUInt32LE(start),
  position: bytes.readDoubleLE(start + 4),
})

const idOf = ({ ids, idAt }: IdentifiedRow): string => ids.toString('base64url', idAt, idAt + idBytes)
