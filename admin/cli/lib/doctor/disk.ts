import { access, constants, mkdtemp, open, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { toBytes, toMs } from '../units.ts'
import { type Check, fail, ok, toReason, warn } from './check.ts'

const syncs = 15
const slowSyncMs = 50
const leastFree = 1_000_000_000
/** Magic numbers of file systems on which a sync may mean nothing, or a lock may not hold. */
const doubtful: Readonly<Record<number, string>> = {
  16914836: 'tmpfs, which a restart of the machine empties',
  26985: 'NFS, on which locks and syncs depend on the server',
  4283649346: 'CIFS, on which locks and syncs depend on the server',
  4266872130: 'SMB, on which locks and syncs depend on the server',
}

/** The directory of the spool: there, writable, of a kind that keeps what is synced, with space, and how long a sync takes. */
export const checkDisk = async (name: string, directory: string, minFree = leastFree): Promise<readonly Check[]> => {
  const there = await nearestDirectory(directory)
  const isThere = there === directory
  const words = isThere ? directory : `${directory} will be made in ${there}`
  try {
    await access(there, constants.W_OK | constants.X_OK)
    return [ok(name, words), ...(await checkKind(name, there, minFree)), await checkSync(name, there)]
  } catch (error) {
    return [
      fail(
        name,
        `${words}: ${toReason(error)}`,
        `Make it writable for user ${process.getuid?.() ?? ''}, or set ${name} to another one.`,
      ),
    ]
  }
}

const checkKind = async (name: string, directory: string, minFree: number): Promise<readonly Check[]> => {
  const { type, bavail, bsize } = await statfs(directory)
  const kind = doubtful[type]
  const free = bavail * bsize
  const space = `${toBytes(free)} free`
  return [
    ...(kind === undefined ? [] : [warn(`${name}, kind`, `on ${kind}`, `Set ${name} to a directory on a local disk.`)]),
    free >= minFree
      ? ok(`${name}, space`, space)
      : fail(
          `${name}, space`,
          `${space}, of at least ${toBytes(minFree)}`,
          'Make room: below that the collector answers 503.',
        ),
  ]
}

/** Events are acknowledged after a sync: its time is the least that a sender waits. */
const checkSync = async (name: string, directory: string): Promise<Check> => {
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
