/**
 * Opens the next files of a walk while one is read, because a file of HDFS is two round trips away:
 *
 *     walk ─▶ entries that wait ─▶ entry, with a file system that has its file ─▶ reader
 *                 └ the first few files: open, and the first bytes read
 *
 * As many files are opened ahead as were read to their ends, and no more than as many rows as are still wanted should
 * take: none beside the first one, and never more in vain than were read.
 */
import { type ByteSource, ByteStream, emptyStream, toByteSource } from '../bytes/byte-stream.ts'
import type { FileStatus, FileSystem } from '../filesystem/filesystem.ts'
import type { ByteRun } from '../rows/source.ts'
import type { WalkEntry } from './walk.ts'

/** Files of one answer that are open before their turn, with the one that is being read. */
const maxOpen = 16

/** Bytes that are read of a file before its turn: 4 MiB of one answer. A file that needs more is opened at its turn. */
const maxFirstBytes = 256 * 1024

/** Entries that wait, beside those of one part, while files are searched among them. */
const maxWaiting = 1_024

/** Bytes read ahead by all answers of a process; a file that does not fit is opened at its turn. */
const maxAheadBytes = 32 * 1024 * 1024

/** What a file takes beside its bytes: its stream, its connection, and a chunk that was sent with the last byte. */
const bytesPerFile = 64 * 1024

/** Bounds the bytes that are read ahead. */
export type AheadMemory = {
  /** @returns whether it fits */
  take(bytes: number): boolean
  give(bytes: number): void
}

/** Memory for this many bytes, shared by all that read ahead. */
export const createAheadMemory = (maxBytes = maxAheadBytes): AheadMemory => {
  let left = maxBytes
  return {
    take: bytes => {
      if (bytes > left) return false
      left -= bytes
      return true
    },
    give: bytes => {
      left += bytes
    },
  }
}

/** An entry of a walk. */
export type ReadyEntry = WalkEntry & {
  /** Where its file is open already; to be used before the next part is asked for. */
  readonly fileSystem?: Pick<FileSystem, 'open'>
}

export type OpenAheadOptions = {
  readonly fileSystem: FileSystem
  /** The target of the request: entries below it that are listed with no bytes are not opened. */
  readonly root: FileStatus
  readonly memory: AheadMemory
  /** The range of bytes that a reader of the file requests first; undefined for a file that is not read. */
  readonly toFirstRun: (status: FileStatus) => ByteRun | undefined
  /** Entries that are handed on at most. */
  readonly limit?: number | undefined
  /** How many more files may be wanted after `read` files. @default all */
  readonly filesWanted?: (read: number) => number
  readonly signal: AbortSignal
}

/**
 * The same entries in parts of which none is empty; an entry that is read is the last of its part. What was opened in
 * vain is closed when the entries are left. Failures are those of the walk and of each file, in their turn.
 */
export async function* openAhead(
  parts: AsyncIterable<readonly WalkEntry[]>,
  {
    fileSystem,
    root,
    memory,
    toFirstRun,
    limit = Number.POSITIVE_INFINITY,
    filesWanted = () => maxOpen,
    signal,
  }: OpenAheadOptions,
): AsyncGenerator<readonly ReadyEntry[], void, undefined> {
  const source = parts[Symbol.asyncIterator]()
  const waiting: Waiting[] = []
  let coming: Promise<void> | undefined
  let left = limit
  let read = 0
  let mayBeOpen = 0
  let open = 0

  /** Asks for one more part, once for all who wait for it. */
  const pull = (): Promise<void> => {
    coming ??= source.next().then(next => {
      if (next.done) left = 0
      for (const entry of next.done ? [] : next.value.slice(0, left))
        waiting.push({ entry, run: toFirstRun(entry.status) })
      left = Math.max(0, left - (next.value?.length ?? 0))
      coming = undefined
    })
    return coming
  }

  /** Opens what is read of an entry. @returns whether what follows it may be opened, too */
  const openFile = (one: Waiting): boolean => {
    const { run, file, entry } = one
    if (run === undefined || file) return true
    if (root.isDirectory && entry.status.length === 0 && !entry.status.isSpecial) {
      one.file = emptyFile
      return true
    }
    const bytes = Math.min(run.length ?? Number.POSITIVE_INFINITY, entry.status.length)
    const room = bytes + bytesPerFile
    if (open >= mayBeOpen || bytes > maxFirstBytes || !memory.take(room)) return false
    open += 1
    one.file = readAhead(fileSystem, { path: entry.status.path, run, bytes, signal }, () => {
      open -= 1
      memory.give(room)
    })
    return true
  }

  const openNext = (): void => {
    if (!waiting.every(openFile) || open >= mayBeOpen || left === 0 || coming || waiting.length >= maxWaiting) return
    // Fails at its turn.
    pull().then(openNext, () => {})
  }

  let current: Waiting | undefined
  try {
    for (;;) {
      while (waiting.length === 0 && left > 0) await pull()
      const end = waiting.findIndex(({ run }) => run !== undefined)
      const part = waiting.splice(0, end < 0 ? waiting.length : end + 1)
      if (part.length === 0) return
      current = end < 0 ? undefined : part.at(-1)
      if (current) openFile(current)
      openNext()
      yield part.map(({ entry, file }) => (file ? { ...entry, fileSystem: file } : entry))
      if (current) mayBeOpen = Math.min(maxOpen, 1 + ++read, filesWanted(read))
      current?.file?.close()
      current = undefined
    }
  } finally {
    mayBeOpen = 0
    for (const { file } of current ? [current, ...waiting] : waiting) file?.close()
    // Not awaited: it waits for what the walk itself waits for.
    source.return?.().catch(() => {})
  }
}

type Waiting = { readonly entry: WalkEntry; readonly run: ByteRun | undefined; file?: OpenFile }

type OpenFile = Pick<FileSystem, 'open'> & {
  /** Closes the files that were not taken; to be called once. */
  close(): void
}

const emptyFile: OpenFile = {
  open: async () => emptyStream(),
  close: () => {},
}

type FirstRun = {
  readonly path: string
  readonly run: ByteRun
  readonly bytes: number
  readonly signal: AbortSignal
}

/**
 * Opens a file and reads `bytes` of it, and what arrives with the last of them: the end, usually. The first call that
 * asks for the same run gets it, as if it were opened then; every other one is passed on.
 */
const readAhead = (fileSystem: FileSystem, { path, run, bytes, signal }: FirstRun, onClose: () => void): OpenFile => {
  let isTaken = false
  const reads: ReturnType<ByteSource['read']>[] = []
  const opening = fileSystem.open(path, { ...run, signal }).then(toByteSource)
  const readFirst = async (): Promise<void> => {
    const source = await opening
    for (let count = 0; count <= bytes && !isTaken; ) {
      const next = source.read()
      reads.push(next)
      const chunk = await next
      if (chunk === undefined) return
      count += chunk.length
    }
  }
  // Each failure is reported in its place, to a reader that gets that far.
  readFirst().catch(() => {})
  const take = async (): Promise<ByteStream> => {
    isTaken = true
    const source = await opening
    return new ByteStream({ read: () => reads.shift() ?? source.read(), cancel: () => source.cancel() })
  }
  return {
    open: (name, options = {}) => {
      const isSame = name === path && (options.offset ?? 0) === run.offset && options.length === run.length
      return isSame && !isTaken ? take() : fileSystem.open(name, options)
    },
    close: () => {
      onClose()
      if (isTaken) return
      isTaken = true
      opening.then(source => source.cancel()).catch(() => {})
    },
  }
}
