import type { Disk } from '../../disk/disk.ts'
import type { Logger } from '../../log/log.ts'
import { createOtherRows } from './other-rows.ts'
import { openRowFiles } from './row-files.ts'
import type { RowKind, WindowRow } from './row-form.ts'
import { createRowTable, type RowTable } from './row-table.ts'

/** The latest rows of one kind, in memory and on the disk. */
export type Window = Pick<RowTable, 'add' | 'has' | 'find'> &
  WindowFigures & {
    /** Adds the latest of rows that another window holds, oldest first: as many as fit beside our own. */
    addOthers(other: Pick<Window, 'rows' | 'size'>): void
    /** All that it holds, oldest first. */
    rows(): Iterable<WindowRow>
    /** Resolves when every row that was added before is safe without its segment. */
    flush(): Promise<void>
    /** The newest file that has rows; 0 before the first. */
    readonly newestFile: number
    /** The ledger knows of this file: without it rows are missing. */
    expectFile(number: number): void
    /** What earlier runs wrote and is missing, for people; empty where all is there. */
    readonly problem: string
    close(): Promise<void>
  }

/** What a window holds. */
export type WindowFigures = {
  readonly size: number
  /** When the oldest of them was kept, ms since the epoch. */
  readonly oldestAt: number | undefined
}

/**
 * Reads the rows of earlier runs; changes nothing yet.
 * @param maxRows of our own
 * @param maxOthers rows of other windows beside them: neither pushes out the other
 * @throws UnknownFormat
 */
export const openWindow = async (
  disk: Disk,
  kind: RowKind,
  { maxRows: maxOwn, maxOthers }: { readonly maxRows: number; readonly maxOthers: number },
  log: Logger,
): Promise<Window> => {
  const maxRows = maxOwn + maxOthers
  const table = createRowTable(kind.form, maxRows)
  const others = createOtherRows(table, maxRows)
  const files = await openRowFiles(disk, kind, maxRows, log, row => table.add(row))
  let safe = files.isToBeRenewed ? 0 : table.next
  let last: Promise<unknown> = Promise.resolve()

  const flush = async (): Promise<void> => {
    const end = table.next
    if (safe >= end) return
    await files.append(table.rows(safe), safe === 0)
    safe = end
  }
  return {
    add: (row: WindowRow) => table.add(row),
    has: (bytes, start) => table.has(bytes, start),
    find: digest => table.find(digest),
    addOthers: ({ rows, size }) => {
      const room = maxOthers - others.left()
      const from = table.next
      let passedOver = size - room
      for (const row of rows()) if (--passedOver < 0 && !table.has(row.head, 0)) table.add(row)
      others.add(from)
    },
    rows: () => table.rows(0),
    flush: () => {
      const next = last.then(flush)
      last = next.catch(() => {})
      return next
    },
    get newestFile() {
      return files.newest
    },
    expectFile: number => files.expect(number),
    get problem() {
      return files.problem
    },
    close: async () => {
      await last
      await files.close()
    },
    get size() {
      return table.size
    },
    get oldestAt() {
      return table.oldestAt
    },
  }
}
