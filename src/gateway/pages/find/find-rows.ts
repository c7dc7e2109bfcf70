import { ByteStream, toByteSource } from '../../../bytes/byte-stream.ts'
import type { FileSystem } from '../../../filesystem/filesystem.ts'
import type { Row } from '../../../rows/row.ts'
import type { Where } from '../../../rows/where/where.ts'
import type { MarkMemory } from '../../rows/mark-memory.ts'
import { lookThrough } from './look-through.ts'
import { type OpenFileRows, type PageWindow, toReadingFacts, toStart, type WindowRequest } from './read-window.ts'

/**
 * The limits of a search for the rows of one page: a person waits for it, and "Continue" searches on with the same
 * budget.
 */
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
export type FoundWindow = PageWindow & {
  /** The number of each row within the file. */
  readonly numbers: readonly number[]
  readonly found: Found
  /** A column that is asked about and no row has, as a sentence. */
  readonly unknown: string | undefined
}

/** How looking for rows ended. */
export type Found = {
  /** Number of the first row that was not looked at; undefined after the last one. */
  readonly goOn: number | undefined
  /** Bytes that were read of the file. */
  readonly bytes: number
  /** Whether it stopped because it took too long, or too much. */
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
  const { status, first, last, columns, mostColumns, where, most, budget, now, signal } = request
  const startedAt = now()
  const { from, isFromLink } = toStart(memory, request)
  const rows: Row[] = []
  const numbers: number[] = []
  let bytes = 0
  const counted = toCounting(fileSystem, count => {
    bytes += count
  })
  const looked = await lookThrough(
    { open, memory, fileSystem: counted },
    {
      status,
      from,
      first,
      last,
      // One row more than wanted shows whether the file continues.
      wanted: { columns, mostColumns, where, first, last: last + 1 },
      where,
      isNamed: true,
      keepsMarks: !isFromLink,
      see: (row, number) => {
        if (!where.matches(row)) return false
        rows.push(row)
        return numbers.push(number) === most
      },
      isOver: () => now() - startedAt >= budget.ms || bytes >= budget.bytes,
      signal,
    },
  )
  const { reading, seen, next, damage } = looked
  // A place from a link may be nonsense: the beginning never is.
  if (damage && isFromLink && rows.length === 0) {
    return findRows(open, memory, fileSystem, { ...request, at: undefined })
  }
  const isEnd = looked.ended === 'end'
  return {
    rows,
    numbers,
    found: { goOn: isEnd ? undefined : seen, bytes, isCut: looked.ended === 'over' },
    unknown: where.fields.problem,
    first: Math.min(first, seen),
    ...toReadingFacts(reading),
    seen,
    isEnd,
    next,
    damage,
  }
}

/** The same files; reports the length of each piece that is read of them. */
export const toCounting = (
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
