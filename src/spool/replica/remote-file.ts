import { randomBytes } from 'node:crypto'
import type { Disk } from '../../disk/disk.ts'
import type { FileAppender } from '../../filesystem/appends.ts'
import { startTimeout } from '../../runtime/timers.ts'
import type { RemoteDirectory } from './remote-directory.ts'
import { copySuffix, toRemoteName } from './remote-names.ts'
import type { ReplicatedSettings } from './replicated-settings.ts'

/** HDFS has so long to take what is flushed; a pipeline that takes longer is left for another one. */
const slowMs = 10_000

/** A file in HDFS that is open, and has the first bytes of a local one. */
export type RemoteFile = {
  /** Takes bytes that follow, and leaves them alone; {@link RemoteFile.flush} tells whether they got there. */
  write(bytes: Uint8Array): void
  /** Resolves with the number of data nodes that have all bytes so far. Rejects where these are too few. */
  flush(): Promise<number>
  /** The file ends here. Never rejects. */
  close(): Promise<void>
  /** Lets go of it, where something went wrong. Never rejects. */
  abandon(): Promise<void>
}

/** Of this process. */
const mark = randomBytes(4).toString('hex')
let copies = 0

/** Whether an earlier process was writing it. */
export const isOldCopy = (name: string): boolean => name.endsWith(copySuffix) && !name.includes(`.${mark}-`)

/** A rewrite of some files. */
export type NewFile = {
  /** Path of the local file that has the bytes. */
  readonly from: string
  /** Path of the file in the spool that it is, or will be. */
  readonly to: string
  /** So many of its first bytes. @default all of it */
  readonly length?: number
}

/** What decides whether a file in HDFS is safe. */
type Safety = Pick<ReplicatedSettings, 'sync' | 'min'>

/** Rewrites a file, under a name of its own until its bytes are safe. It stays open. */
export const writeAnew = async (
  disk: Pick<Disk, 'stream'>,
  directory: RemoteDirectory,
  { from, to, length = Number.POSITIVE_INFINITY }: NewFile,
  settings: () => Safety,
): Promise<RemoteFile> => {
  const name = toRemoteName(to)
  const copy = `${name}.${mark}-${++copies}${copySuffix}`
  const file = await openRemote(directory, copy, settings)
  try {
    let left = length
    for await (const piece of left > 0 ? disk.stream(from) : []) {
      // A copy: memory of the disk is used again.
      const bytes = Uint8Array.prototype.slice.call(piece, 0, Math.min(left, piece.length))
      left -= bytes.length
      if (bytes.length > 0) await file.take(bytes)
      if (left === 0) break
    }
    if (left > 0 && Number.isFinite(left)) throw new Error(`${from} is ${left} bytes shorter than it was`)
    await file.flush()
    await directory.rename(copy, name)
    return file
  } catch (error) {
    await file.abandon()
    void directory.delete(copy).catch(() => {})
    throw error
  }
}

type OpenedFile = RemoteFile & {
  /** Resolves when more are taken. */
  take(bytes: Uint8Array): Promise<void>
}

const openRemote = async (directory: RemoteDirectory, name: string, settings: () => Safety): Promise<OpenedFile> => {
  const aborter = new AbortController()
  const inTime = <T>(step: Promise<T>): Promise<T> => {
    const late = startTimeout(
      () => aborter.abort(new Error(`the file system took more than ${slowMs / 1_000} s`)),
      slowMs,
    )
    return step.finally(() => clearTimeout(late))
  }
  const file: FileAppender = await inTime(directory.create(name, aborter.signal))
  /** One call at a time; the first that fails is the last one. */
  let last: Promise<void> = Promise.resolve()
  const then = (step: () => Promise<void>): Promise<void> => {
    last = last.then(step)
    last.catch(() => {})
    return last
  }
  let isEmpty = true
  const take = (bytes: Uint8Array): Promise<void> => {
    isEmpty = false
    return then(() => inTime(file.write(bytes)))
  }
  return {
    take,
    write: bytes => void take(bytes),
    flush: async () => {
      const { sync, min } = settings()
      await then(async () => {
        await inTime(sync === 'hsync' ? file.hsync() : file.hflush())
        // An empty file is on no data node.
        if (!isEmpty && file.copies < min) throw new TooFewCopies(file.copies, min)
      })
      return file.copies
    },
    close: async () => {
      await then(() => inTime(file.close())).catch(() => file.abandon())
    },
    abandon: async () => {
      aborter.abort(new Error('it is let go of'))
      await file.abandon()
    },
  }
}

class TooFewCopies extends Error {
  override readonly name = 'TooFewCopies'

  constructor(copies: number, min: number) {
    super(`${copies} data ${copies === 1 ? 'node has' : 'nodes have'} it, and collector.replicated.min is ${min}`)
  }
}
