import type { Params } from '../contract/operations.ts'
import { SluiceError } from '../errors.ts'
import type { FileStatus, FileSystem } from '../filesystem/filesystem.ts'
import { baseName } from '../filesystem/path.ts'
import type { Call } from '../http/call.ts'
import { toDownloadHeaders } from '../http/security-headers.ts'
import { dataHeaders } from './answers.ts'
import { createByteBody } from './body.ts'
import type { GatewayContext } from './context.ts'
import { createLineCut } from './lines.ts'
import { toMediaType } from './media-type.ts'
import { parseRange } from './range.ts'
import { tarEnd, tarHeader, tarPadding } from './tar.ts'
import { isHidden, walk } from './walk.ts'

/**
 * Answers `/rest/1.0/binary` where the length is not known before: the files of a directory one after another or as a
 * tar archive, or some lines of what is stored.
 */
export const readTree = async (
  { fileSystem, toBodyOptions }: GatewayContext,
  call: Call<Params<'readBinary'>>,
  status: FileStatus,
): Promise<Response> => {
  const { recursive, range } = call.params
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
  const stop = new AbortController()
  const signal = AbortSignal.any([call.signal, stop.signal])
  const pieces = isArchive
    ? writeArchive(fileSystem, status, signal)
    : writeFiles(fileSystem, status, parseRange(range), signal)
  return new Response(await createByteBody(pieces, undefined, toBodyOptions(call, stop)), { headers })
}

/** Only who names it gets an archive. */
const acceptsTar = (accept = ''): boolean =>
  /(^|[\s,])application\/x-tar\s*(;(?!\s*q=0(\.0*)?\s*(,|$))|,|$)/i.test(accept)

async function* writeFiles(
  fileSystem: FileSystem,
  root: FileStatus,
  range: ReturnType<typeof parseRange>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const lines = createLineCut(range)
  for await (const { status, error } of walk(fileSystem, root, { recursive: true, signal })) {
    if (error) throw error
    if (status.isDirectory || (root.isDirectory && isHidden(status))) continue
    const source = await fileSystem.open(status.path, { signal })
    if (Number.isFinite(range.last)) yield* lines.cut(source)
    else yield* source
    if (lines.isDone) return
  }
}

/** Names are those below the directory's own; hidden files are in, because a copy is to be a copy. */
async function* writeArchive(
  fileSystem: FileSystem,
  root: FileStatus,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const base = root.path.length - baseName(root.path).length
  for await (const { status, error } of walk(fileSystem, root, { recursive: true, directoriesFirst: true, signal })) {
    if (error) throw error
    yield tarHeader(status.path.slice(base), status)
    if (status.isDirectory) continue
    const { path, length } = status
    // An archive says a length before the bytes: what grew meanwhile is cut, what shrank breaks it off.
    yield* await createByteBody(await fileSystem.open(path, { length, signal }), length)
    yield tarPadding(length)
  }
  yield tarEnd()
}
