// node-only: files
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { components } from '../../src/contract/types.gen.ts'
import type { Connection } from './connection.ts'

/** The file that was made. */
export type Uploaded = components['schemas']['Uploaded']

/** What to upload: the name of a local file, bytes, or a stream of them. */
export type UploadSource = string | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** How to upload. */
export type UploadOptions = {
  /** Replaces an existing file. @default false */
  readonly overwrite?: boolean | undefined
  /** @default 3 */
  readonly replication?: number | undefined
  /** In bytes. @default the file system's own */
  readonly blockSize?: number | undefined
  /** Octal (`640`) or symbolic (`u=rw,go=r`). @default u=rw,go=r */
  readonly permission?: string | undefined
  /** Bytes so far, and in all where that is known. */
  readonly onProgress?: (done: number, total: number | undefined) => void
  readonly signal?: AbortSignal
}

/**
 * Uploads a file as a stream; it is invisible until it is complete. @throws GatewayError as the gateway's, `exists`
 * among them
 */
export const uploadFile = async (
  connection: Pick<Connection, 'call'>,
  source: UploadSource,
  path: string,
  options: UploadOptions,
): Promise<Uploaded> => {
  const { overwrite, replication, blockSize: blocksize, permission, onProgress = () => {}, signal } = options
  const { chunks, total } = await open(source)
  onProgress(0, total)
  const body = Readable.toWeb(Readable.from(counted(chunks, done => onProgress(done, total))))
  const query = { path, overwrite, replication, blocksize, permission }
  const response = await connection.call('/rest/1.0', query, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: body as ReadableStream<Uint8Array>,
    signal,
  })
  return (await response.json()) as Uploaded
}

const chunkBytes = 1 << 18

const open = async (
  source: UploadSource,
): Promise<{ readonly chunks: AsyncIterable<Uint8Array>; readonly total: number | undefined }> => {
  if (typeof source === 'string') {
    const { size } = await stat(source)
    return { chunks: createReadStream(source, { highWaterMark: chunkBytes }), total: size }
  }
  if (source instanceof Uint8Array) return { chunks: Readable.from([source]), total: source.length }
  return { chunks: source as AsyncIterable<Uint8Array>, total: undefined }
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: (done: number) => void,
): AsyncGenerator<Uint8Array> {
  let done = 0
  for await (const chunk of chunks) {
    yield chunk
    done += chunk.length
    onBytes(done)
  }
}
