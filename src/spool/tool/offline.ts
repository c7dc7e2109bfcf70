// node-only: the real disk and its lock
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { Disk } from '../../disk/disk.ts'
import { createNodeDisk } from '../../disk/node-disk.ts'
import { lockSpool } from '../directory/lock.ts'
import type { KeyStore } from '../keys/key-store.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { recoverSpool } from '../recovery/recovery.ts'
import { NoSpool } from './view.ts'

/** A spool that no server runs on, held by a tool that changes it. */
export type OfflineSpool = {
  readonly disk: Disk
  readonly ledger: Ledger
  readonly collectorId: string
  /** Number of the next segment; larger than any that was ever used. */
  nextSegment: number
  /** Idempotency keys of everything kept recently: what a tool appended before is not appended again. */
  readonly keys: Pick<KeyStore, 'has'>
  close(): Promise<void>
}

/**
 * Takes the spool as a start of the server does, recovery included, without flushing anything.
 * @throws SpoolLocked while a server runs on it
 * @throws NoSpool when there is none, unless it may be made
 * @throws UnknownFormat when another version wrote it
 */
export const openOffline = async (
  directory: string,
  { create = false }: { readonly create?: boolean } = {},
): Promise<OfflineSpool> => {
  if (create) await mkdir(directory, { recursive: true })
  else if (!existsSync(`${directory}/id`)) throw new NoSpool(directory)
  const unlock = lockSpool(directory)
  try {
    const spool = await takeSpool(createNodeDisk({ directory }))
    return {
      ...spool,
      close: async () => {
        await spool.close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/** Recovers the spool on a disk that nobody else uses: {@link openOffline} without its lock. */
export const takeSpool = async (disk: Disk): Promise<OfflineSpool> => {
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const { ledger, keys, collectorId, nextSegment } = await recoverSpool(disk, true, silent)
  return {
    disk,
    ledger,
    collectorId,
    nextSegment,
    keys,
    close: async () => {
      await keys.close()
      await ledger.close()
      await disk.close()
    },
  }
}
