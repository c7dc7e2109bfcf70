import { access, constants, mkdtemp, open, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { defaultMinFreeBytes } from '../../../src/spool/heartbeat/space-watch.ts'
import { toBytes, toMs } from '../print/units.ts'
import { type DoctorCheck, fail, ok, toCheckReason, warn } from './check.ts'

const syncs = 15
const slowSyncMs = 50
/** Where nothing but schemas and figures is kept. */
const leastFree = 1_000_000_000
/** Each segment and each file of a bucket takes one. */
const fewestInodes = 1_000
/** Magic numbers of file systems on which a sync may mean nothing, or a lock may not hold. */
const doubtful: Readonly<Record<number, string>> = {
  16914836: 'tmpfs, which a restart of the machine empties',
  26985: 'NFS, on which locks and syncs depend on the server',
  4283649346: 'CIFS, on which locks and syncs depend on the server',
  4266872130: 'SMB, on which locks and syncs depend on the server',
}

/** The mark below which a collector refuses events, as set. */
export type SpoolSpace = { readonly minFreeBytes: number | undefined }

/**
 * A directory of the server: there, writable, of a kind that keeps what is synced, with space, and how long a sync takes.
 * @param space of the directory in which the spool is
 */
export const checkDisk = async (
  name: string,
  directory: string,
  space?: SpoolSpace,
): Promise<readonly DoctorCheck[]> => {
  const there = await nearestDirectory(directory)
  const isThere = there === directory
  const words = isThere ? directory : `${directory} will be made in ${there}`
  try {
    await access(there, constants.W_OK | constants.X_OK)
    return [ok(name, words), ...(await checkKind(name, there, space)), await checkSync(name, there)]
  } catch (error) {
    return [
      fail(
        name,
        `${words}: ${toCheckReason(error)}`,
        `Make it writable for user ${process.getuid?.() ?? ''}, or set ${name} to another one.`,
      ),
    ]
  }
}

const checkKind = async (
  name: string,
  directory: string,
  space: SpoolSpace | undefined,
): Promise<readonly DoctorCheck[]> => {
  const { type, bavail, blocks, bsize, ffree, files } = await statfs(directory)
  const kind = doubtful[type]
  const free = bavail * bsize
  const mark = space ? (space.minFreeBytes ?? defaultMinFreeBytes(blocks * bsize)) : leastFree
  return [
    ...(kind === undefined ? [] : [warn(`${name}, kind`, `on ${kind}`, `Set ${name} to a directory on a local disk.`)]),
    free >= mark ? ok(`${name}, space`, `${toBytes(free)} free`) : toLowSpace(name, free, mark, space !== undefined),
    ...(files > 0 && ffree < fewestInodes ? [toFewInodes(name, ffree)] : []),
  ]
}

const toLowSpace = (name: string, free: number, mark: number, isSpool: boolean): DoctorCheck =>
  isSpool
    ? fail(
        `${name}, space`,
        `${toBytes(free)} free; below ${toBytes(mark)} (collector.diskspool.min-free-bytes) events are refused with 503`,
        'Free space on this disk, or move the spool to a larger one (collector.diskspool.path). Or lower collector.diskspool.min-free-bytes.',
      )
    : fail(
        `${name}, space`,
        `${toBytes(free)} free, of at least ${toBytes(mark)}`,
        `Free space on this disk, or set ${name} to a larger one.`,
      )

const toFewInodes = (name: string, left: number): DoctorCheck =>
  fail(
    `${name}, inodes`,
    `${left} left: without one no file can be made, and events are refused with 503`,
    `Delete small files on this disk, or set ${name} to one that was made with more inodes.`,
  )

/** Events are acknowledged after a sync: its time is the least that a sender waits. */
const checkSync = async (name: string, directory: string): Promise<DoctorCheck> => {
  const own = await mkdtemp(join(directory, '.doctor-'))
  try {
    const file = await open(join(own, 'sync'), 'w')
    const times: number[] = []
    try {
      for (let i = 0; i < syncs; i++) {
        await file.write(Buffer.alloc(4_096, i))
        const before = performance.now()
        await file.datasync()
        times.push(performance.now() - before)
      }
    } finally {
      await file.close()
    }
    const median = times.toSorted((a, b) => a - b)[Math.floor(syncs / 2)] ?? 0
    const most = Math.max(...times)
    const text = `median ${toMs(median)}, at most ${toMs(most)} of ${syncs}`
    return median < slowSyncMs
      ? ok(`${name}, sync`, text)
      : warn(`${name}, sync`, text, 'Senders wait for it: take a faster disk, or set collector.ack to written.')
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

const nearestDirectory = async (path: string): Promise<string> => {
  const status = await stat(path).catch(() => undefined)
  return status !== undefined || path === dirname(path) ? path : await nearestDirectory(dirname(path))
}
