import type { Params } from '../../contract/operations.ts'
import { createQuery } from '../../contract/query.ts'
import { SluiceError } from '../../errors.ts'
import { parsePath } from '../../filesystem/path.ts'
import type { Call } from '../../http/call/call.ts'
import { toJsonResponse } from '../answers.ts'
import type { Tell } from '../audit.ts'
import type { GatewayContext } from '../context.ts'
import { countBytes, noBytes } from './count-bytes.ts'
import { parseBoundary, parseMultipart } from './multipart.ts'
import { toNotKept } from './not-kept.ts'
import { formatPermission, parsePermission } from './permission.ts'
import { storeFile } from './store-file.ts'

/** Answers `POST /rest/1.0`: stores the body, or the one file of a form. */
export const uploadFile = async (
  { fileSystem, countReceived }: GatewayContext,
  call: Call<Params<'uploadFile'>>,
  tell: Tell,
): Promise<Response> => {
  const { overwrite, replication, blocksize, permission } = call.params
  const bits = parsePermission(permission)
  const boundary = parseBoundary(call.header('content-type'))
  const { path, content } = await locate(call, boundary)
  tell({ path })
  // Without the call's signal: the body itself fails when the client goes away.
  const stored = await storeFile(fileSystem, path, countBytes(content, countReceived), {
    overwrite,
    replication,
    permission: bits,
    ...(blocksize === undefined ? {} : { blockSize: blocksize }),
  })
  const { length: size, replication: copies, blockSize } = stored
  return toJsonResponse(
    { path, size, replication: copies, blockSize, permission: formatPermission(stored.permission) },
    201,
    {
      location: `/rest/1.0/binary?path=${encodeURIComponent(path)}`,
      ...toNotKept(
        { replication: isAsked(call, 'replication') ? replication : undefined, blockSize: blocksize },
        stored,
      ),
    },
  )
}

/** Whether a value is the caller's, and not a default. */
const isAsked = ({ target }: Call<unknown>, name: string): boolean => Boolean(createQuery(target).find(name))

type Upload = { readonly path: string; readonly content: AsyncIterable<Uint8Array> }

/** Where the file goes: `path`, or for a `path` that ends in a slash the file's own name below it. */
const locate = async (call: Call<Params<'uploadFile'>>, boundary: string | undefined): Promise<Upload> => {
  const { path } = call.params
  const body = await openBody(call)
  const isDirectory = path.endsWith('/')
  if (boundary === undefined) {
    if (!isDirectory) return { path: parsePath(path), content: body }
    throw new SluiceError('bad-parameter', 'Parameter "path": ends in "/", and the body has no file name')
  }
  const target = parsePath(path)
  const { name, content } = await parseMultipart(body, boundary)
  if (!isDirectory) return { path: target, content }
  return { path: parsePath(`${target === '/' ? '' : target}/${checkName(name)}`), content }
}

/**
 * A file's own name within its directory.
 * @throws SluiceError `bad-path` for what is not a name of a file
 */
export const checkName = (name: string): string => {
  if (name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name)) return name
  const expected = 'expected a name without "/" that is not empty, "." or ".."'
  throw new SluiceError('bad-path', `The file name ${JSON.stringify(name.slice(0, 100))} cannot be used: ${expected}`)
}

/**
 * The body. An empty one counts where the client says of what type it is: without a type it is the request of a client
 * that lost what it was to send, and no file may give way to that.
 */
const openBody = async (call: Call<Params<'uploadFile'>>): Promise<AsyncIterable<Uint8Array>> => {
  const body = call.stream()
  if (call.header('content-type') !== undefined) return body ?? noBytes
  const chunks = (body ?? noBytes)[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done !== true) return resumed(first.value, chunks)
  throw new SluiceError('bad-request', 'The request has no body; an empty file is sent with a Content-Type')
}

async function* resumed(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield first
  yield* { [Symbol.asyncIterator]: () => rest }
}
