import type { Disk } from '../../disk/disk.ts'
import { writeSynced } from '../../disk/write-synced.ts'
import { type FileStatus, FileSystemError } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import { toLocalPath } from '../replica/remote-names.ts'
import { inCallTime, type Taking } from './take.ts'

/** What stays free on a disk of so many bytes: events of our own senders need it. @default 0 */
export type KeepFree = (totalBytes: number) => number

/** Where it comes from, what ends it, and how much room it may take. */
type CopyTaking = Pick<Taking, 'fileSystem' | 'signal' | 'later'> & { readonly keepFree?: KeepFree | undefined }

/** The last file to come: a directory without it is not a spool yet. */
const idPath = 'id'

/** Whether a directory has a whole spool. */
export const hasSpool = async (disk: Pick<Disk, 'list'>): Promise<boolean> =>
  (await disk.list('.').catch(() => [])).some(({ name }) => name === idPath)

/**
 * Makes a spool out of its copy in HDFS, whole or not at all: whatever an attempt before has left goes first, and the
 * id, which makes it a spool, comes last.
 * @param files of the copy, each of them closed
 * @param prepare what else has to be done before it is one
 */
export const copyDown = async (
  taking: CopyTaking,
  files: readonly FileStatus[],
  disk: Disk,
  id: string,
  prepare: () => Promise<void>,
): Promise<void> => {
  await disk.mkdir('.')
  for (const { name, isDirectory } of await disk.list('.'))
    await (isDirectory ? disk.removeDirectory(name) : disk.unlink(name))
  const directories = new Set(['.'])
  let left = sumOf(files)
  for (const file of files) {
    // Each time: others may come here at the same time.
    await checkRoom(disk, { id, bytes: left }, taking.keepFree)
    left -= file.length
    const path = toLocalPath(baseName(file.path))
    if (path === undefined || path === idPath) continue
    const [parent] = path.split('/').slice(0, -1)
    if (parent !== undefined && !directories.has(parent)) {
      await disk.mkdir(parent)
      directories.add(parent)
    }
    await copyFile(taking, file, disk, path)
  }
  for (const directory of directories) await disk.fsyncDir(directory)
  await prepare()
  await writeSynced(disk, `${idPath}.next`, new TextEncoder().encode(`${id}\n`))
  await disk.rename(`${idPath}.next`, idPath)
  await disk.fsyncDir('.')
}

/** Bytes of a log. */
export const sumOf = (files: readonly FileStatus[]): number => files.reduce((sum, { length }) => sum + length, 0)

/** @throws NoRoom where a disk has no room for so many bytes more of the log of a collector */
export const checkRoom = async (
  disk: Pick<Disk, 'directory' | 'space'>,
  { id, bytes }: { readonly id: string; readonly bytes: number },
  keepFree: KeepFree = () => 0,
): Promise<void> => {
  const { freeBytes, totalBytes } = await disk.space()
  const kept = keepFree(totalBytes)
  if (freeBytes - bytes < kept) throw new NoRoom(id, disk.directory, { bytes, freeBytes, kept })
}

/** A log is not brought here, because the disk would be full. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom'

  constructor(
    id: string,
    directory: string,
    { bytes, freeBytes, kept }: Readonly<Record<'bytes' | 'freeBytes' | 'kept', number>>,
  ) {
    const needed = `the log of ${id} needs ${toMegabytes(bytes)} MB`
    super(
      `${needed}, and ${toMegabytes(freeBytes)} MB are free in ${directory}, of which ${toMegabytes(kept)} MB stay free (collector.diskspool.min-free-bytes)`,
    )
  }
}

const toMegabytes = (bytes: number): number => Math.ceil(bytes / 1e6)

const copyFile = async (
  taking: CopyTaking,
  { path: from, length }: FileStatus,
  disk: Disk,
  to: string,
): Promise<void> => {
  const file = await disk.create(to)
  try {
    let copied = 0
    for await (const piece of readInTime(taking, from)) copied = await file.append(piece)
    if (copied !== length)
      throw new FileSystemError('unavailable', from, `"${from}" has ${length} bytes, and ${copied} could be read`)
    await file.fdatasync()
  } finally {
    await file.close()
  }
}

/** The bytes of a file, each piece in time. */
async function* readInTime({ fileSystem, signal, later }: CopyTaking, path: string): AsyncGenerator<Uint8Array> {
  const reader = (await inCallTime({ later }, path, fileSystem.open(path))).getReader()
  try {
    for (;;) {
      signal.throwIfAborted()
      const { done, value } = await inCallTime({ later }, path, reader.read())
      if (done) return
      yield value
    }
  } finally {
    // Of a read that hangs nothing is waited for.
    void reader.cancel().catch(() => {})
  }
}
