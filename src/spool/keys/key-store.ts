import type { Disk } from '../../disk/disk.ts'
import type { Logger } from '../../log/log.ts'
import type { KeptKey, Outcome } from '../batch.ts'
import { openKeyFiles } from './key-files.ts'
import { digestOf, hasFingerprint, toKeyOutcome, toKeyRow } from './key-row.ts'
import { createKeyTable } from './key-table.ts'

/** A key that was kept: by its digest, so that nobody can ask for the fingerprint itself. */
export type FoundKey = { matches(fingerprint: string): boolean; readonly outcome: Outcome }

/**
 * The latest idempotency keys. They stand in the segments of their requests first; before a segment goes, or a start
 * need not read it any more, {@link KeyStore.flush} has put them into files of their own.
 */
export type KeyStore = {
  /** Adds a key as the latest. */
  add(key: KeptKey): void
  has(key: string): boolean
  find(key: string): FoundKey | undefined
  /** Resolves when every key that was added before is safe without its segment. */
  flush(): Promise<void>
  /** The newest file that has keys; 0 where there is none. */
  readonly newestFile: number
  /** The ledger knows of this file: without it keys are missing. */
  expectFile(number: number): void
  /** What earlier runs wrote and is missing, for people; empty where all is there. */
  readonly problem: string
  close(): Promise<void>
  readonly size: number
  /** When the oldest of them was kept, ms since the epoch. */
  readonly oldestAt: number | undefined
}

/** Reads the keys of earlier runs; changes nothing yet. @throws UnknownFormat */
export const openKeyStore = async (disk: Disk, maxKeys: number, log: Logger): Promise<KeyStore> => {
  const table = createKeyTable(maxKeys)
  const files = await openKeyFiles(disk, maxKeys, log, row => table.add(row))
  let safe = files.isScattered ? 0 : table.next
  let last: Promise<unknown> = Promise.resolve()

  const flush = async (): Promise<void> => {
    const end = table.next
    if (safe >= end) return
    await files.append(table.rows(safe), safe === 0)
    safe = end
  }
  return {
    add: key => table.add(toKeyRow(key)),
    has: key => table.find(digestOf(key)) !== undefined,
    find: key => {
      const row = table.find(digestOf(key))
      return row && { matches: fingerprint => hasFingerprint(row, fingerprint), outcome: toKeyOutcome(row) }
    },
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
