// node:fs
/**
 * Adds bytes to a file in one step, which a reader, a kill and a power cut find done or not done:
 *
 *     copy the file to a draft beside it ─▶ append the bytes ─▶ sync ─▶ rename over the file ─▶ sync the directory
 *
 * Bytes arrive as slowly as a client likes, so only the rename is serialized: a caller whose file is no longer the one
 * that was copied makes a draft of the new one.
 */
import { type BigIntStats, constants } from 'node:fs'
import { access, copyFile, type FileHandle, lstat, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { abortable, throwIfAborted } from '../abortable.ts'
import { FileSystemError } from '../filesystem.ts'
import { temporaryName } from '../temporary-name.ts'
import { syncDirectory } from './durable.ts'
import { type Inside, openInside, pathOfOpen } from './open-inside.ts'
import { createPathTurns, type PathTurns } from './turns.ts'
import { writeAll } from './write-file.ts'

/** Appends to the file at `target`, its real path. What the source throws is passed on, and nothing was done then. */
export type LocalAppender = (
  target: string,
  inside: Inside,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
) => Promise<void>

/** How often a file is copied again because it was changed meanwhile. */
const maxDrafts = 4

export const createLocalAppender = (turns: PathTurns = createPathTurns()): LocalAppender => {
  return async (target, inside, source, signal) => {
    await refuseUnwritable(target, inside)
    const chunks = abortable(source, signal, inside.path)
    let draft: Draft | undefined
    try {
      for await (const chunk of chunks) {
        if (chunk.length === 0) continue
        draft ??= await createDraft(target, inside)
        await writeAll(draft.file, chunk)
      }
      if (!draft) return
      await finish(draft)
      await turns(target, async () => {
        for (let drafts = 1; draft && !(await isUnchanged(target, draft.original)); drafts++) {
          if (drafts === maxDrafts) throw changed(inside.path)
          const next = await createDraft(target, inside)
          const late = draft
          draft = next
          try {
            await copyAdded(late, next)
          } finally {
            await discard(late)
          }
          await finish(next)
        }
        throwIfAborted(signal, inside.path)
        if (draft) await publish(draft, target)
      })
    } catch (error) {
      if (draft) await discard(draft)
      throw error
    }
  }
}

/** A copy of a file that more is written to. */
type Draft = {
  readonly path: string
  readonly file: FileHandle
  /** What was copied. */
  readonly original: BigIntStats
}

const createDraft = async (target: string, inside: Inside): Promise<Draft> => {
  const copied = await openInside(target, readOnly, inside)
  try {
    const original = await copied.stat({ bigint: true })
    refuseOther(original, inside.path)
    const path = join(dirname(target), temporaryName())
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL
    const draft = { path, file: await openInside(path, flags, inside, 0o600), original }
    try {
      // What is open, not what the names mean by now. A disk that can share blocks copies nothing.
      await copyFile(pathOfOpen(copied, target), pathOfOpen(draft.file, path), constants.COPYFILE_FICLONE)
      if ((await draft.file.stat({ bigint: true })).size !== original.size) throw changed(inside.path)
      return draft
    } catch (error) {
      await discard(draft)
      throw error
    }
  } finally {
    await copied.close()
  }
}

/** Not blocking: a named pipe in the place of the file must not hang the caller. */
const readOnly = constants.O_RDONLY | constants.O_NONBLOCK

/** Appends to `to` what `from` has after its copy. */
const copyAdded = async (from: Draft, to: Draft): Promise<void> => {
  const buffer = Buffer.allocUnsafe(copyBytes)
  for (let at = Number(from.original.size); ; ) {
    const { bytesRead } = await from.file.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) return
    await writeAll(to.file, buffer.subarray(0, bytesRead))
    at += bytesRead
  }
}

const copyBytes = 256 * 1024

/**
 * Writes a draft to the disk. It was copied with the owner, where this process may give files away, and with the
 * permissions; setuid and setgid are left out, as by any write.
 */
const finish = async ({ file, original }: Draft): Promise<void> => {
  await file.chmod(Number(original.mode) & 0o1777)
  await file.sync()
}

/** Whether the file is still the one that was copied. The time of change also covers new permissions and owners. */
const isUnchanged = async (target: string, original: BigIntStats): Promise<boolean> => {
  const now = await lstat(target, { bigint: true })
  return (['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const).every(name => now[name] === original[name])
}

const publish = async ({ file, path }: Draft, target: string): Promise<void> => {
  await rename(path, target)
  await file.close()
  await syncDirectory(dirname(target))
}

const discard = async ({ file, path }: Draft): Promise<void> => {
  await unlink(path).catch(() => {})
  await file.close().catch(() => {})
}

const refuseUnwritable = async (target: string, { path }: Inside): Promise<void> => {
  refuseOther(await lstat(target), path)
  // The rename asks for the directory's permission; nothing else would ask for the file's.
  await access(target, constants.W_OK)
}

const refuseOther = (stats: { isDirectory(): boolean; isFile(): boolean }, path: string): void => {
  if (stats.isDirectory()) {
    throw new FileSystemError('is-directory', path, `Cannot append to "${path}": it is a directory`)
  }
  if (!stats.isFile()) throw new FileSystemError('denied', path, `Cannot append to "${path}": it is not a regular file`)
}

const changed = (path: string): FileSystemError =>
  new FileSystemError('unavailable', path, `Cannot append to "${path}": other writers keep changing it`)
