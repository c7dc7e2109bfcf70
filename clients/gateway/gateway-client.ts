// node-only: downloads and uploads of files
import type { components } from '../../src/contract/types.gen.ts'
import { createConnection, type GatewayAddress } from './connection.ts'
import { type Downloaded, type DownloadOptions, downloadFile } from './download.ts'
import { type Entry, type ReadOptions, type Row, readEntries, readRows } from './read-rows.ts'
import { type Uploaded, type UploadOptions, type UploadSource, uploadFile } from './upload.ts'

export type { GatewayAddress } from './connection.ts'
export type { Downloaded, DownloadOptions } from './download.ts'
export { GatewayError } from './error.ts'
export type { Entry, ReadOptions, Row } from './read-rows.ts'
export type { Uploaded, UploadOptions, UploadSource } from './upload.ts'

/** Reads and writes the files of one gateway. Every method throws GatewayError, with the server's `code`. */
export type GatewayClient = {
  /** The rows of a file, or of the files of a directory, as they arrive: `for await (const row of client.rows(path))`. */
  rows<T = Row>(path: string, options?: ReadOptions<T>): AsyncIterable<T>
  /** What is in a directory. */
  list(path: string, options?: { readonly signal?: AbortSignal }): AsyncIterable<Entry>
  /** A file's bytes as stored, as a stream. */
  open(path: string, options?: { readonly signal?: AbortSignal }): Promise<ReadableStream<Uint8Array>>
  /** Copies a file to a local one, which appears whole or not at all; resumes an interrupted download. */
  download(path: string, file: string, options?: DownloadOptions): Promise<Downloaded>
  /** Makes a file of a local one, of bytes or of a stream. A `path` that ends in `/` is not a path of a file here. */
  upload(source: UploadSource, path: string, options?: UploadOptions): Promise<Uploaded>
  /** Deletes a file, or a directory, which has to be empty unless `recursive`. */
  delete(path: string, options?: { readonly recursive?: boolean; readonly signal?: AbortSignal }): Promise<Deleted>
  /** Ends what is on its way; every later call fails with `closed`. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** What was deleted. */
export type Deleted = components['schemas']['Deleted']

/** Creates a client of the gateway at a host and port; nothing is sent before the first call. */
export const createGatewayClient = (address: GatewayAddress): GatewayClient => {
  const connection = createConnection(address)
  const close = async (): Promise<void> => connection.close()
  return {
    rows: (path, options = {}) => readRows(connection, path, options),
    list: (path, { signal } = {}) => readEntries(connection, path, signal),
    open: async (path, { signal } = {}) => {
      const { body } = await connection.call('/rest/1.0/binary', { path }, { signal })
      return body ?? new Blob([]).stream()
    },
    download: (path, file, options = {}) => downloadFile(connection, path, file, options),
    upload: (source, path, options = {}) => uploadFile(connection, source, path, options),
    delete: async (path, { recursive, signal } = {}) => {
      const response = await connection.call('/rest/1.0', { path, recursive }, { method: 'DELETE', signal })
      return (await response.json()) as Deleted
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
