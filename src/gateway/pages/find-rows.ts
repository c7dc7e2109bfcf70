import { ByteStream, toByteSource } from '../../bytes/byte-stream.ts'
import { FormatError } from '../../errors.ts'
import type { FileSystem } from '../../filesystem/filesystem.ts'
import { nextTurn } from '../../next-turn.ts'
import type { Mark, Reading } from '../../rows/reading.ts'
import type { Row } from '../../rows/row.ts'
import type { Where } from '../../rows/where/where.ts'
import type { MarkMemory } from '../mark-memory.ts'
import { checkWhere } from '../wanted-where.ts'
import type { OpenFileRows, RowWindow, WindowRequest } from './read-window.ts'

/** What looking for the rows of one page may take: somebody waits for it, and its "Go on" takes as much again. */
export const searchBudget: SearchBudget = { ms: 2_000, bytes: 1_000_000_000 }

export type SearchBudget = { readonly ms: number; readonly bytes: number }

export type SearchRequest = Omit<WindowRequest, 'mostColumns'> & {
  readonly where: Where
  /** Rows that match, at most. */
  readonly most: number
  readonly mostColumns: number
  readonly budget: SearchBudget
  /** ms, of any clock. */
  readonly now: () => number
}

/** Rows of a file that match, and how far it was looked through. */
export type FoundWindow = RowWindow & {
  /** The number of each row within the file. */
  readonly numbers: readonly number[]
  readonly found: Found
}

/** How looking for rows ended. */
export type Found = {
  /** Number of the first row that was not looked at; undefined where there is none. */
  readonly goOn: number | undefined
  /** Bytes that were read of the file. */
  readonly bytes: number
  /** Whether it took too long, or too much, to go on. */
  readonly isCut: boolean
}

/**
 * Looks for rows from the nearest known place on, until there are enough, those that are wanted end, or the budget does:
 * at least one run of rows is looked at. Damage ends it as it ends a window.
 * @throws what `readWindow` throws, and `bad-parameter` for a column that the file does not have
 */
export const findRows = async (
  open: OpenFileRows,
  memory: MarkMemory,
  fileSystem: Pick<FileSystem, 'open'>,
  request: SearchRequest,
): Promise<FoundWindow> => {
  const { status, first, last, at, columns, mostColumns, where, most, budget, now, signal } = request
  const startedAt = now()
  const known = memory.find(status, first)
  const isUsable = at !== undefined && at.row <= first && at.offset <= status.length && at.row > (known?.row ?? 0)
  const from = isUsable ? at : known
  const rows: Row[] = []
  const numbers: number[] = []
  let bytes = 0
  let next: Mark | undefined = from
  let seen = from?.row ?? 0
  let reading: Reading | undefined
  const finish = (goOn: number | undefined, isCut = false, damage?: FormatError): FoundWindow => ({
    rows,
    numbers,
    found: { goOn, bytes, isCut },
    first: Math.min(first, seen),
    serializer: reading?.serializer ?? '',
    codec: reading?.codec ?? 'none',
    columns: reading?.columns,
    hasNumberedRest: reading?.hasNumberedRest ?? false,
    ...(reading?.parquet ? { parquet: reading.parquet } : {}),
    seen,
    isEnd: goOn === undefined,
    next,
    damage,
  })
  try {
    const counted = toCounting(fileSystem, count => {
      bytes += count
    })
    // One row more than wanted shows whether the file goes on.
    const wanted = { columns, mostColumns, where, first, last: last + 1 }
    reading = await open({ status, from, wanted, signal, fileSystem: counted })
    checkWhere(where, reading)
    for await (const batch of reading.batches) {
      const end = batch.first + batch.rows.length
      let number = Math.max(first, batch.first)
      for (const row of batch.rows.slice(number - batch.first, Math.max(0, last + 1 - batch.first))) {
        if (where.matches(row)) {
          rows.push(row)
          numbers.push(number)
        }
        number += 1
        if (rows.length < most) continue
        seen = number
        return finish(number)
      }
      if (batch.mark !== undefined) next = batch.mark
      if (batch.mark !== undefined && !isUsable) memory.add(status, batch.mark)
      seen = Math.max(seen, Math.min(end, last + 1))
      if (end > last + 1) return finish(last + 1)
      if (end > first && (now() - startedAt >= budget.ms || bytes >= budget.bytes)) return finish(end, true)
      // Bytes at hand may go on for long without a row, and nobody else would have his turn.
      await nextTurn()
    }
    return finish(undefined)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    // A place from a link may be nonsense: the beginning never is.
    if (isUsable && rows.length === 0) return findRows(open, memory, fileSystem, { ...request, at: undefined })
    return finish(undefined, false, error)
  }
}

const toCounting = (
  fileSystem: Pick<FileSystem, 'open'>,
  count: (bytes: number) => void,
): Pick<FileSystem, 'open'> => ({
  open: async (path, options) => {
    const source = toByteSource(await fileSystem.open(path, options))
    return new ByteStream({
      read: async () => {
        const bytes = await source.read()
        count(bytes?.length ?? 0)
        return bytes
      },
      cancel: () => source.cancel(),
    })
  },
})
