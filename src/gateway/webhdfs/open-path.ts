import { ByteStream } from '../../bytes/byte-stream.ts'
import { SluiceError } from '../../errors.ts'
import { FileSystemError } from '../../filesystem/filesystem.ts'
import { baseName, parsePath } from '../../filesystem/path.ts'
import { toDownloadHeaders } from '../../http/answers/security-headers.ts'
import { dataHeaders, toJsonResponse } from '../answers.ts'
import { createByteBody } from '../body.ts'
import { follow } from '../follow.ts'
import { toDataAddress } from './address.ts'
import { toRedirect } from './answers.ts'
import type { WebHdfsCall, WebHdfsContext, WebHdfsHandler } from './context.ts'

type OpenCall = WebHdfsCall<'webHdfsGet'>

/** Answers OPEN: the bytes, without a detour, because they come through this server in any case. */
export const openPath: WebHdfsHandler<'webHdfsGet'> = async (context, call) => {
  const path = parsePath(call.params.path)
  const { offset, length = Number.POSITIVE_INFINITY } = toRange(call)
  const isAsked = call.method === 'HEAD' || call.params.noredirect || asksWhere(call)
  if (!isAsked) return await answerBytes(context, call, path)
  const size = await sizeOf(context, path, offset)
  if (call.params.noredirect) return toJsonResponse({ Location: toDataAddress(call) })
  if (asksWhere(call)) return toRedirect(call)
  return new Response(null, { headers: toHeaders(path, Math.min(size - offset, length)) })
}

/** All that is to be known of the file comes with its bytes: to look at it before would be one call more for each. */
const answerBytes = async (
  { fileSystem, toBodyOptions }: WebHdfsContext,
  call: OpenCall,
  path: string,
): Promise<Response> => {
  const range = toRange(call)
  const stop = follow(call.signal)
  const source = await fileSystem.open(path, { ...range, signal: stop.signal }).catch((error: unknown) => {
    throw error instanceof FileSystemError && error.code === 'is-directory' ? toNoFile(path) : error
  })
  const bytes = source instanceof ByteStream ? source.length : undefined
  if (!bytes && range.offset > 0) {
    await sizeOf({ fileSystem }, path, range.offset).catch(async (error: unknown) => {
      await source.cancel()
      throw error
    })
  }
  const body = await createByteBody(source, bytes, toBodyOptions(call, stop))
  return new Response(body, { headers: toHeaders(path, bytes) })
}

/** How long a file is. @throws SluiceError a directory; one that ends before `offset` */
const sizeOf = async (
  { fileSystem }: Pick<WebHdfsContext, 'fileSystem'>,
  path: string,
  offset: number,
): Promise<number> => {
  const { isDirectory, length } = await fileSystem.getFileStatus(path)
  if (isDirectory) throw toNoFile(path)
  if (offset <= length) return length
  const message = `Offset=${offset} out of the range [0, ${length}); OPEN, path=${path}`
  throw new SluiceError('range-not-satisfiable', message)
}

const toNoFile = (path: string): SluiceError => new SluiceError('is-directory', `Path is not a file: ${path}`)

type Range = { readonly offset: number; readonly length?: number }

const toRange = ({ params: { offset = 0, length } }: OpenCall): Range => ({
  offset,
  ...(length === undefined ? {} : { length: Math.min(Number(length), Number.MAX_SAFE_INTEGER) }),
})

const toHeaders = (path: string, bytes: number | undefined): Readonly<Record<string, string>> => ({
  ...dataHeaders,
  ...toDownloadHeaders(baseName(path)),
  'content-type': 'application/octet-stream',
  ...(bytes === undefined ? {} : { 'content-length': String(bytes) }),
})

/**
 * Hadoop's Java client opens every file by a first call whose bytes it leaves, to learn who has them and how they are
 * encrypted; the one that reads says from where. Half of what a cluster sends for it would be in vain.
 */
const asksWhere = ({ params: { buffersize, offset, data } }: OpenCall): boolean =>
  buffersize !== undefined && offset === undefined && !data
