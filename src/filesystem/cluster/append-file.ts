/**
 * Adds bytes to a file in one step of the name node: they are written to a file of their own, whose blocks CONCAT then
 * appends to those of the target. What HDFS calls append would show the bytes as they arrive, and leave a part of them
 * when it is cut.
 */
import { abortable, throwIfAborted } from '../abortable.ts'
import { discardTemporary } from '../discard-temporary.ts'
import { type FileStatus, FileSystemError } from '../filesystem.ts'
import type { HadoopVerbs } from '../hadoop-verbs.ts'
import { parentPath } from '../path.ts'
import { temporaryName } from '../temporary-name.ts'
import { effectOf, remoteOf } from './remote-exception.ts'
import { type ClusterSteps, refusal } from './steps.ts'

/** Makes the `append` of one cluster. */
export const createFileAppender =
  (steps: ClusterSteps, createFile: HadoopVerbs['create']): HadoopVerbs['append'] =>
  async (path, source, { signal } = {}) => {
    const target = await steps.getFileStatus(path)
    if (target.isDirectory) throw refusal('is-directory', path, 'append to', 'it is a directory')
    const chunks = abortable(source, signal, path)
    try {
      const first = await nextBytes(chunks)
      if (first) await add(steps, createFile, target, { first, rest: chunks }, signal)
    } finally {
      // Not awaited: a source that waits would hold up the abort.
      chunks.return().catch(() => {})
    }
  }

const add = async (
  steps: ClusterSteps,
  createFile: HadoopVerbs['create'],
  { path, length, replication, blockSize }: FileStatus,
  { first, rest }: { readonly first: Uint8Array; readonly rest: AsyncIterable<Uint8Array> },
  signal: AbortSignal | undefined,
): Promise<void> => {
  const temporary = toTemporary(path)
  let bytes = 0
  const counted = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    bytes += first.length
    yield first
    for await (const chunk of rest) {
      bytes += chunk.length
      yield chunk
    }
  }
  try {
    // Its blocks become the target's; its own permissions are private, and end with it.
    const options = { overwrite: true, permission: 0o600, blockSize, ...(replication > 0 ? { replication } : {}) }
    await createFile(temporary, counted(), { ...options, ...(signal ? { signal } : {}) }).catch(error => {
      throw toTargetError(error, temporary, path)
    })
    throwIfAborted(signal, path)
    await concat(steps, path, temporary, length + bytes)
  } catch (error) {
    await discardTemporary(() => steps.delete(temporary, false).catch(() => false))
    throw error
  }
}

/** Beside the target, where CONCAT wants it; a comma ends a name in its list of sources, and cannot be escaped. */
const toTemporary = (path: string): string => {
  const directory = parentPath(path)
  if (!directory.includes(',')) return `${directory.replace(/\/$/, '')}/${temporaryName()}`
  throw refusal('unsupported', path, 'append to', 'HDFS adds to no file in a directory with a comma in its path')
}

/** Once it is sent an abort comes too late: it is done or refused. */
const concat = async (steps: ClusterSteps, path: string, temporary: string, length: number): Promise<void> => {
  try {
    await steps.concat(path, temporary)
  } catch (error) {
    if (!(error instanceof FileSystemError)) throw error
    if (effectOf(error) === 'final') throw toRefusal(error, path)
    // What can still be deleted was not appended, and cannot be any more; what is gone was.
    const isAppended = async (): Promise<boolean> =>
      !(await steps.delete(temporary, false)) && (await steps.getFileStatus(path)).length >= length
    if (!(await isAppended().catch(() => false))) throw error
  }
}

/** What a cluster does not concatenate (in an encryption zone, with erasure coding) it calls an illegal argument. */
const toRefusal = (error: FileSystemError, path: string): FileSystemError => {
  const { httpStatus, message } = remoteOf(error) ?? { httpStatus: 0, message: '' }
  return httpStatus === 400 ? refusal('unsupported', path, 'append to', message, error.cause) : error
}

/** The caller knows nothing of the temporary name. */
const toTargetError = (error: unknown, temporary: string, path: string): unknown => {
  if (!(error instanceof FileSystemError)) return error
  const message = error.message
    .replaceAll(`"${temporary}"`, `"${path}"`)
    .replace(/^Cannot create /, 'Cannot append to ')
  return new FileSystemError(error.code, path, message, { cause: error.cause })
}

/** The next chunk that is not empty; undefined at the end. */
const nextBytes = async (chunks: AsyncGenerator<Uint8Array, void, undefined>): Promise<Uint8Array | undefined> => {
  for (;;) {
    const { done, value } = await chunks.next()
    if (done) return undefined
    if (value && value.length > 0) return value
  }
}
