import type { Params } from '../contract/operations.ts'
import { SluiceError } from '../errors.ts'
import type { FileStatus, FileSystem } from '../filesystem/filesystem.ts'
import { baseName, parsePath } from '../filesystem/path.ts'
import type { Call } from '../http/call.ts'
import { toDownloadHeaders } from '../http/security-headers.ts'
import { dataHeaders } from './answers.ts'
import { writeArchive } from './archive.ts'
import { createByteBody } from './body.ts'
import type { ReadContext, ToBodyOptions } from './context.ts'
import { follow } from './follow.ts'
import { createLineCut } from './lines.ts'
import { toMediaType } from './media-type.ts'
import { openAhead } from './open-ahead.ts'
import { parseRange } from './range.ts'
import { isVanished } from './row-files.ts'
import { walk } from './walk.ts'

/**
 * Answers `/rest/1.0/binary` where the length is not known before: the files of a directory one after another or as a
 * tar archive, or some lines of what is stored.
 */
export const readTree = async (
  { fileSystem, ahead, toBodyOptions }: Pick<ReadContext, 'fileSystem' | 'ahead'> & { toBodyOptions: ToBodyOptions },
  call: Call<Params<'readBinary'>>,
): Promise<Response> => {
  const { recursive, range } = call.params
  const status = await fileSystem.getFileStatus(parsePath(call.params.path))
  if (status.isDirectory && !recursive) {
    throw new SluiceError('bad-parameter', `"${status.path}" is a directory: its bytes need recursive=true`)
  }
  const isArchive = status.isDirectory && acceptsTar(call.header('accept'))
  if (isArchive && range) throw new SluiceError('bad-parameter', 'Parameter "range": an archive has no lines')
  const name = baseName(status.path) || 'root'
  const headers = {
    ...dataHeaders,
    ...toDownloadHeaders(isArchive ? `${name}.tar` : name),
    'content-type': isArchive ? 'application/x-tar' : toMediaType(status.isDirectory ? '' : name),
    ...(status.isDirectory ? { vary: 'accept' } : {}),
  }
  if (call.method === 'HEAD') return new Response(null, { headers })
  const stop = follow(call.signal)
  const { signal } = stop
  const pieces = isArchive
    ? writeArchive({ fileSystem, ahead }, status, signal)
    : writeFiles({ fileSystem, ahead }, status, parseRange(range), signal)
  return new Response(await createByteBody(pieces, undefined, toBodyOptions(call, stop)), { headers })
}

/** Only who names it gets an archive. */
const acceptsTar = (accept = ''): boolean =>
  /(^|[\s,])application\/x-tar\s*(;(?!\s*q=0(\.0*)?\s*(,|$))|,|$)/i.test(accept)

async function* writeFiles(
  { fileSystem, ahead: memory }: Pick<ReadContext, 'fileSystem' | 'ahead'>,
  root: FileStatus,
  range: ReturnType<typeof parseRange>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const lines = createLineCut(range)
  const entries = walk(fileSystem, root, { recursive: true, visibleOnly: true, signal })
  const isRead = ({ isDirectory, isSpecial }: FileStatus): boolean => !isDirectory && !(isSpecial && root.isDirectory)
  const toFirstRun = (entry: FileStatus) => (isRead(entry) ? { offset: 0 } : undefined)
  for await (const part of openAhead(entries, { fileSystem, root, memory, toFirstRun, signal })) {
    for (const { status, error, fileSystem: ready = fileSystem } of part) {
      if (error && !isVanished(error)) throw error
      if (!isRead(status)) continue
      const source = await openListed(ready, root, status, signal)
      if (source === undefined) continue
      if (Number.isFinite(range.last)) yield* lines.cut(source)
      else yield* source
      if (lines.isDone) return
    }
  }
}

/** A file's bytes; undefined where it has vanished since its directory was listed. */
const openListed = async (
  fileSystem: Pick<FileSystem, 'open'>,
  root: FileStatus,
  { path, length: expected }: FileStatus,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | undefined> => {
  try {
    // Some file systems tell only with the first byte.
    return await createByteBody(await fileSystem.open(path, { expected, signal }), undefined)
  } catch (error) {
    if (root.isDirectory && isVanished(error)) return undefined
    throw error
  }
}
