// node-only: the real disk and its lock
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { Disk } from '../disk/disk.ts'
import { createNodeDisk } from '../disk/node-disk.ts'
import { toFrame } from '../framing.ts'
import type { Ledger } from '../ledger.ts'
import { toSnapshot } from '../ledger-state.ts'
import { lockSpool } from '../lock.ts'
import { recoverSpool } from '../recovery.ts'
import { scanSegment } from '../seal.ts'
import { segmentPath } from '../segment-files.ts'
import { NoSpool } from './view.ts'

/** A spool that no server runs on, held by a tool that changes it. */
export type OfflineSpool = {
  readonly disk: Disk
  readonly ledger: Ledger
  readonly collectorId: string
  /** Number of the next segment; larger than any that was ever used. */
  nextSegment: number
  /** Idempotency keys of everything kept recently: what a tool appended before is not appended again. */
  readonly knownKeys: ReadonlySet<string>
  close(): Promise<void>
}

/**
 * Takes the spool as a start of the server does, recovery included, without flushing anything.
 * @throws SpoolLocked while a server runs on it
 * @throws NoSpool when there is none, unless it may be made
 */
export const openOffline = async (
  directory: string,
  { create = false }: { readonly create?: boolean } = {},
): Promise<OfflineSpool> => {
  if (create) await mkdir(directory, { recursive: true })
  else if (!existsSync(`${directory}/id`)) throw new NoSpool(directory)
  const unlock = lockSpool(directory)
  const disk = createNodeDisk({ directory })
  try {
    const silent = { info: () => {}, warn: () => {}, error: () => {} }
    const { ledger, collectorId, segments, nextSegment } = await recoverSpool(disk, true, silent)
    const knownKeys = new Set(ledger.state.keys.values().map(({ key }) => key))
    for (const { number, end } of segments) {
      const bytes = await disk.read(segmentPath(number))
      for (const { key } of scanSegment(end === undefined ? bytes : bytes.subarray(0, end)).keys) knownKeys.add(key)
    }
    return {
      disk,
      ledger,
      collectorId,
      nextSegment,
      knownKeys,
      close: async () => {
        await ledger.close()
        await disk.close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/**
 * Writes the ledger anew without the notes about these quarantined pieces. Only right before `close`: the open ledger
 * file is not the one under the name any more.
 */
export const forgetDamage = async ({ disk, ledger }: OfflineSpool, files: ReadonlySet<string>): Promise<void> => {
  const { damage } = ledger.state
  const kept = damage.filter(({ file }) => !files.has(file))
  if (kept.length === damage.length) return
  damage.splice(0, damage.length, ...kept)
  await disk.unlink('ledger.next')
  const next = await disk.create('ledger.next')
  try {
    await next.append(toFrame(1, new TextEncoder().encode(JSON.stringify(toSnapshot(ledger.state)))))
    await next.fdatasync()
  } finally {
    await next.close()
  }
  await disk.rename('ledger.next', 'ledger')
  await disk.fsyncDir('.')
}
