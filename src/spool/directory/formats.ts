import type { Disk } from '../../disk/disk.ts'
import { isDiskFull } from '../../disk/is-disk-full.ts'
import { writeSynced } from '../../disk/write-synced.ts'
import { encodeHeader, readFormat } from '../framing/format-header.ts'
import { parseSegmentName } from '../segment/segment-files.ts'
import { checkSegment } from '../segment/segment-reader.ts'
import { destinationPath, parseDestinationFile } from './destination.ts'

const path = 'format'
const nextPath = 'format.next'

/**
 * Sluice 0.1.0 knows no versions: it would treat the ledger as damaged, and set aside everything that waits. Only a
 * directory at the path where it rewrites its ledger stops its start before it changes anything.
 */
const barrier = 'ledger.next'
const barrierNote = `This directory keeps Sluice 0.1.0 from using a spool that it cannot read. Start a later version, or an empty spool.
`

/**
 * Looks whether this program can read a spool: its own version, and the beginning of each segment and list; the rest
 * of them, the ledger, keys and schemas are looked at when they are read. Changes nothing.
 * @throws UnknownFormat when another version wrote it
 */
export const checkFormats = async (disk: Pick<Disk, 'stream' | 'list'>): Promise<void> => {
  walk(await readHead(disk, path), path, 'spool')
  parseDestinationFile(await readHead(disk, destinationPath))
  for (const { name } of await disk.list('log').catch(() => [])) {
    if (parseSegmentName(name) === undefined) continue
    checkSegment(await readHead(disk, `log/${name}`), `log/${name}`)
  }
  for (const { name } of await disk.list('lists').catch(() => [])) {
    if (name.endsWith('.list')) walk(await readHead(disk, `lists/${name}`), `lists/${name}`, 'list')
  }
}

/** Notes the version of the spool as a whole; one of an earlier version has become one of this. */
export const noteFormat = async (disk: Disk): Promise<void> => {
  const header = encodeHeader('spool')
  if (Buffer.compare(await readHead(disk, path), header) === 0) return
  try {
    await setBarrier(disk)
    await writeSynced(disk, nextPath, header)
    await disk.rename(nextPath, path)
    await disk.fsyncDir('.')
  } catch (error) {
    // Each file has its version as well; the next start may have space for it.
    if (!isDiskFull(error)) throw error
  }
}

const setBarrier = async (disk: Disk): Promise<void> => {
  const found = (await disk.list('.')).find(({ name }) => name === barrier)
  // What 0.1.0 was writing when it ended.
  if (found && !found.isDirectory) await disk.unlink(barrier)
  await disk.mkdir(barrier)
  await writeSynced(disk, `${barrier}/READ-ME`, new TextEncoder().encode(barrierNote))
}

const walk = (bytes: Uint8Array, file: string, format: 'spool' | 'list'): void => {
  for (const _ of readFormat(bytes, file, format));
}

/** One that cannot be read is for its reader to report; with a server beside us, it may just have been sealed. */
const readHead = async (disk: Pick<Disk, 'stream'>, file: string): Promise<Uint8Array> => {
  try {
    for await (const chunk of disk.stream(file)) return chunk
  } catch {}
  return new Uint8Array()
}
