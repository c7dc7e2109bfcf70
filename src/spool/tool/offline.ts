// node-only: the real disk and its lock
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { Disk } from '../../disk/disk.ts'
import { createNodeDisk } from '../../disk/node-disk.ts'
import { silentLogger } from '../../log/log.ts'
import { lockSpool } from '../directory/lock.ts'
import type { KeyStore } from '../keys/key-store.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { recoverSpool } from '../recovery/recovery.ts'
import type { Replica } from '../replica/replica.ts'
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
  /** A segment as its copy in HDFS has it; undefined if there is no copy. Rejects with `FileSystemError`. */
  readonly readCopy: (segment: number) => Promise<Uint8Array | undefined>
  close(): Promise<void>
}

export type OfflineOptions = {
  /** Makes one where it is not there. @default false */
  readonly create?: boolean
  /** Its copy in HDFS: asked for before anything of it is read, while it is held. @default no copy */
  readonly copyOf?: (disk: Disk) => Promise<Replica | undefined>
}

/**
 * Opens the spool as a start of the server does, recovery included, without flushing anything.
 * @throws SpoolLocked while a server runs on it
 * @throws NoSpool when there is no spool, unless it may be created
 * @throws UnknownFormat when another version wrote it
 */
export const openOffline = async (
  directory: string,
  { create = false, copyOf }: OfflineOptions = {},
): Promise<OfflineSpool> => {
  if (create) await mkdir(directory, { recursive: true })
  else if (!existsSync(`${directory}/id`)) throw new NoSpool(directory)
  const unlock = lockSpool(directory)
  try {
    const disk = createNodeDisk({ directory })
    const spool = await takeSpool(disk, await copyOf?.(disk))
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

/** The copy of a spool in HDFS cannot be changed with it. */
export class CopyAway extends Error {
  override readonly name = 'CopyAway'

  constructor({ directory, refusal }: Pick<Replica, 'directory' | 'refusal'>) {
    super(
      `The log of this spool is in ${directory} as well, and what is decided here has to be known there: ${refusal}. Nothing was changed; try again when HDFS answers`,
    )
  }
}

/**
 * Recovers the spool on a disk without other users: {@link openOffline} without its lock.
 * @param copy of it in HDFS, which is synchronized first
 * @throws CopyAway
 */
export const takeSpool = async (local: Disk, copy?: Replica): Promise<OfflineSpool> => {
  const disk = copy?.replicate(local) ?? local
  const { ledger, keys, collectorId, nextSegment } = await recoverSpool(disk, true, silentLogger)
  const close = async (): Promise<void> => {
    copy?.stop()
    await keys.close()
    await ledger.close()
    await disk.close()
  }
  await copy?.begin(collectorId)
  await copy?.attach()
  if (copy && !copy.isInStep) {
    await close()
    throw new CopyAway(copy)
  }
  return {
    disk,
    ledger,
    collectorId,
    nextSegment,
    keys,
    readCopy: copy?.readSegment ?? (async () => undefined),
    close,
  }
}
