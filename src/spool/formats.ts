import type { Disk } from './disk/disk.ts'
import { isDiskFull } from './disk/is-disk-full.ts'
import { encodeHeader, readFormat } from './format-header.ts'
import { parseSegmentName } from './segment-files.ts'
import { writeSynced } from './write-synced.ts'

const path = 'format'
const nextPath = 'format.next'

/**
 * Looks whether this program can read a spool: its own version, and the beginning of each segment; the rest of them,
 * and the ledger, are looked at when they are read. Changes nothing.
 * @throws UnknownFormat when another version wrote it
 */
export const checkFormats = async (disk: Pick<Disk, 'stream' | 'list'>): Promise<void> => {
  walk(await readHead(disk, path), path, 'spool')
  for (const { name } of await disk.list('log').catch(() => [])) {
    if (parseSegmentName(name) !== undefined) walk(await readHead(disk, `log/${name}`), `log/${name}`, 'segment')
  }
}

/** Notes the version of the spool as a whole; one of an earlier version has become one of this. */
export const noteFormat = async (disk: Disk): Promise<void> => {
  const header = encodeHeader('spool')
  if (Buffer.compare(await readHead(disk, path), header) === 0) return
  try {
    await writeSynced(disk, nextPath, header)
    await disk.rename(nextPath, path)
    await disk.fsyncDir('.')
  } catch (error) {
    // Each file tells its version as well; the next start has room, perhaps.
    if (!isDiskFull(error)) throw error
  }
}

const walk = (bytes: Uint8Array, file: string, format: 'spool' | 'segment'): void => {
  for (const _ of readFormat(bytes, file, format));
}

/** One that cannot be read is for its reader to report; with a server beside us, it may just have been sealed. */
const readHead = async (disk: Pick<Disk, 'stream'>, file: string): Promise<Uint8Array> => {
  try {
    for await (const chunk of disk.stream(file)) return chunk
  } catch {}
  return new Uint8Array()
}
