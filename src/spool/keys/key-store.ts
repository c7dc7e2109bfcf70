import type { Disk } from '../../disk/disk.ts'
import type { Logger } from '../../log/log.ts'
import type { Outcome, RequestIdentity } from '../batch.ts'
import { eventIdBytes } from '../event-ids.ts'
import { idForm, toIdRow } from './id-row.ts'
import { digestOf, hasFingerprint, keyForm, toKeyOutcome, toKeyRow } from './key-row.ts'
import type { RowKind } from './row-form.ts'
import { openWindow, type Window, type WindowFigures } from './window.ts'

/** A key that was found, known by its digest, so that the fingerprint itself cannot be read. */
export type FoundKey = { matches(fingerprint: string): boolean; readonly outcome: Outcome }

/** The newest files of keys and of ids, as the ledger notes them; absent before the first. */
export type NewestFiles = { readonly keyFile?: number; readonly idFile?: number }

/**
 * The latest idempotency keys, and the latest ids of events, each in a window of its own. They are in the segments of
 * their requests at first; before a segment is removed, or a start may skip it, {@link KeyStore.flush} has written them
 * to files of their own.
 */
export type KeyStore = {
  /** Remembers the key of a request and the ids of its events, each unless it is known. @param at ms since the epoch */
  note(identity: RequestIdentity, at: number): void
  /** Remembers the latest of what another one knows, as many as {@link KeyLimits.hasOthers} leaves room for. */
  noteAll(other: Pick<KeyStore, 'windows'>): void
  readonly windows: { readonly keys: Pick<Window, 'rows' | 'size'>; readonly ids: Pick<Window, 'rows' | 'size'> }
  has(key: string): boolean
  find(key: string): FoundKey | undefined
  /** Whether the id at this position is known. */
  hasId(ids: Uint8Array, position: number): boolean
  /** Resolves when everything that was noted before is safe without its segment. */
  flush(): Promise<void>
  readonly newestFiles: NewestFiles
  /** The ledger knows of these files: without them something is missing. */
  expectFiles(files: NewestFiles): void
  /** What earlier runs wrote and is missing, for people; empty where all is there. */
  readonly problem: string
  close(): Promise<void>
  readonly keys: WindowFigures
  readonly ids: WindowFigures
}

/** How many are remembered. */
export type KeyLimits = {
  readonly maxKeys: number
  readonly maxEventIds: number
  /** Beside these, half as many of collectors that were taken over. @default false */
  readonly hasOthers?: boolean | undefined
}

const keyKind: RowKind = {
  format: 'keys',
  form: keyForm,
  name: 'idempotency keys',
  lost: 'idempotency keys of earlier requests are missing: such a request counts twice if it is retried',
}

const idKind: RowKind = {
  format: 'ids',
  form: idForm,
  name: 'event ids',
  lost: 'ids of earlier events are missing: such an event counts twice if it is sent again',
}

/** Reads what earlier runs have left; changes nothing yet. @throws UnknownFormat */
export const openKeyStore = async (
  disk: Disk,
  { maxKeys, maxEventIds, hasOthers = false }: KeyLimits,
  log: Logger,
): Promise<KeyStore> => {
  const withOthers = (maxRows: number) => ({ maxRows, maxOthers: hasOthers ? Math.ceil(maxRows / 2) : 0 })
  const keys = await openWindow(disk, keyKind, withOthers(maxKeys), log)
  const ids = await openWindow(disk, idKind, withOthers(maxEventIds), log)

  const noteIds = (all: Uint8Array, at: number): void => {
    for (let start = 0; start < all.length; start += eventIdBytes)
      if (isId(all, start) && !ids.has(all, start)) ids.add(toIdRow(all, start, at))
  }
  return {
    note: (identity, at) => {
      if (identity.eventIds) noteIds(identity.eventIds, at)
      if (identity.idempotency === undefined) return
      const row = toKeyRow({ ...identity.idempotency, at })
      if (!keys.has(row.head, 0)) keys.add(row)
    },
    noteAll: ({ windows }) => {
      keys.addOthers(windows.keys)
      ids.addOthers(windows.ids)
    },
    windows: { keys, ids },
    has: key => keys.has(digestOf(key), 0),
    find: key => {
      const row = keys.find(digestOf(key))
      return row && { matches: fingerprint => hasFingerprint(row, fingerprint), outcome: toKeyOutcome(row) }
    },
    hasId: (all, position) => ids.has(all, position * eventIdBytes),
    flush: async () => {
      await Promise.all([keys.flush(), ids.flush()])
    },
    get newestFiles() {
      const { newestFile: keyFile } = keys
      const { newestFile: idFile } = ids
      return { ...(keyFile > 0 ? { keyFile } : {}), ...(idFile > 0 ? { idFile } : {}) }
    },
    expectFiles: ({ keyFile = 0, idFile = 0 }) => {
      keys.expectFile(keyFile)
      ids.expectFile(idFile)
    },
    get problem() {
      return [keys.problem, ids.problem].filter(problem => problem !== '').join('; ')
    },
    close: async () => {
      await keys.close()
      await ids.close()
    },
    keys,
    ids,
  }
}

/** Events without an id have zeros in its place. */
const isId = (ids: Uint8Array, start: number): boolean => {
  for (let i = 0; i < eventIdBytes; i++) if (ids[start + i] !== 0) return true
  return false
}
