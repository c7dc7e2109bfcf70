import type { Params } from '../../contract/operations.ts'
import { SluiceError } from '../../errors.ts'
import type { FileStatus, FileSystem } from '../../filesystem/filesystem.ts'
import { baseName, parsePath } from '../../filesystem/path.ts'
import { toDownloadHeaders } from '../../http/answers/security-headers.ts'
import type { Call } from '../../http/call/call.ts'
import { dataHeaders } from '../answers.ts'
import { createByteBody } from '../body.ts'
import type { ReadContext, ToBodyOptions } from '../context.ts'
import { follow } from '../follow.ts'
import { openAhead } from '../open-ahead.ts'
import { parseRange } from '../rows/range.ts'
import { isVanished } from '../rows/row-files.ts'
import { walk } from '../walk.ts'
import { checkName } from '../write/upload-file.ts'
import { type ArchiveFormat, writeArchive } from './archive.ts'
import { createLineCut } from './lines.ts'
import { toMediaType } from './media-type.ts'
import { tar } from './tar.ts'
import { createZip } from './zip.ts'

/**
 * Answers `/rest/1.0/binary` where the length is not known before: the files of a directory one after another or as
 * an archive, or some lines of what is stored.
 */
export const readTree = async (
  { fileSystem, ahead, toBodyOptions }: Pick<ReadContext, 'fileSystem' | 'ahead'> & { toBodyOptions: ToBodyOptions },
  call: Call<Params<'readBinary'>>,
): Promise<Response> => {
  const { recursive, range, archive, select } = call.params
  const status = await fileSystem.getFileStatus(parsePath(call.params.path))
  if (!status.isDirectory && archive)
    throw new SluiceError('not-directory', `"${status.path}" is a file; only a directory can be an archive`)
  if (status.isDirectory && !recursive && !archive) {
    throw new SluiceError('bad-parameter', `"${status.path}" is a directory: its bytes need recursive=true`)
  }
  const format = status.isDirectory ? toFormat(archive, call.header('accept')) : undefined
  if (select !== undefined && !format) throw new SluiceError('bad-parameter', 'Parameter "select": only of an archive')
  const names = select && [...new Set(select.map(checkName))]
  if (format && range) throw new SluiceError('bad-parameter', 'Parameter "range": an archive has no lines')
  const name = baseName(status.path) || 'root'
  const headers = {
    ...dataHeaders,
    ...toDownloadHeaders(format ? `${name}.${format.extension}` : name),
    'content-type': format ? format.mediaType : toMediaType(status.isDirectory ? '' : name),
    ...(status.isDirectory ? { vary: 'accept' } : {}),
  }
  if (call.method === 'HEAD') return new Response(null, { headers })
  const stop = follow(call.signal)
  const { signal } = stop
  const pieces = format
    ? writeArchive({ fileSystem, ahead }, status, { format, names }, signal)
    : writeFiles({ fileSystem, ahead }, status, parseRange(range), signal)
  return new Response(await createByteBody(pieces, undefined, toBodyOptions(call, stop)), { headers })
}

/** Only who names one gets an archive. */
const toFormat = (archive: Params<'readBinary'>['archive'], accept: string | undefined): ArchiveFormat | undefined => {
  if (archive === undefined) return acceptsTar(accept) ? tar : undefined
  return archive === 'tar' ? tar : createZip()
}

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
    // Some file systems report it only with the first byte.
    return await createByteBody(await fileSystem.open(path, { expected, signal }), undefined)
  } catch (error) {
    if (root.isDirectory && isVanished(error)) return undefined
    throw error
  }
}
