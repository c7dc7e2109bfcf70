import type { Disk } from '../../disk/disk.ts'
import type { Logger } from '../../log/log.ts'
import { type KeyLimits, type KeyStore, openKeyStore } from '../keys/key-store.ts'
import { readLedger } from '../ledger/ledger.ts'
import { scanSegment } from '../seal/seal.ts'
import { parseSegmentName, segmentPath } from '../segment/segment-files.ts'

/**
 * Remembers the requests and the events that another spool has kept, those of the segments that it holds included, and
 * resolves when that is safe: a sender that repeats one of them, now to us, hears that it was kept.
 * @param disk that is not in use
 */
export const takeKeys = async (keys: KeyStore, disk: Disk, limits: KeyLimits, log: Logger): Promise<void> => {
  keys.noteAll(await readKeys(disk, limits, log))
  await keys.flush()
}

/** What a spool has kept, those of the segments that it holds included. @param disk that is not in use */
export const readKeys = async (disk: Disk, limits: KeyLimits, log: Logger): Promise<KeyStore> => {
  const theirs = await openKeyStore(disk, limits, log)
  try {
    const { ends } = await readLedger(disk)
    for (const { name } of await disk.list('log').catch(() => [])) {
      const segment = parseSegmentName(name)
      if (segment === undefined) continue
      const path = segmentPath(segment)
      // What is behind the end was refused.
      const bytes = (await disk.read(path)).subarray(0, ends.get(segment))
      for (const identity of scanSegment(bytes, path).keys) theirs.note(identity, identity.at)
    }
  } finally {
    await theirs.close()
  }
  return theirs
}
