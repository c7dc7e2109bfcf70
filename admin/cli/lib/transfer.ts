import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { link, open, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import type { components } from '../../../src/contract/types.gen.ts'
import { CliError, usageError } from './failure.ts'
import type { Gateway, Query } from './gateway.ts'

export type Uploaded = components['schemas']['Uploaded']

export type Downloaded = { readonly path: string; readonly file: string; readonly size: number }

/** Bytes so far, and in all where that is known. */
export type OnProgress = (done: number, total: number | undefined) => void

/** The bytes of a file as stored. */
export const openFile = async (gateway: Gateway, path: string, recursive = false) => {
  const response = await gateway.send('GET', '/rest/1.0/binary', { path, recursive: recursive || undefined })
  const length = response.headers.get('content-length')
  return {
    body: response.body ?? new ReadableStream<Uint8Array>(),
    length: length === null ? undefined : Number(length),
  }
}

/** Copies no faster than the target takes it. @throws CliError `broken` when the bytes stop midway */
export const copyTo = async (body: ReadableStream<Uint8Array>, target: Writable): Promise<void> => {
  for await (const chunk of unbroken(body)) if (!target.write(chunk)) await once(target, 'drain')
}

export const download = async (
  gateway: Gateway,
  request: {
    readonly path: string
    readonly target: string
    readonly overwrite: boolean
    readonly onProgress: OnProgress
  },
): Promise<Downloaded> => {
  const file = await toTarget(request.target, request.path)
  if (!request.overwrite && (await exists(file))) throw existsError(file)
  const { body, length } = await openFile(gateway, request.path)
  const temporary = `${file}.${process.pid}.part`
  try {
    const handle = await open(temporary, 'wx')
    let done = 0
    try {
      request.onProgress(0, length)
      for await (const chunk of unbroken(body)) {
        await handle.writeFile(chunk)
        done += chunk.length
        request.onProgress(done, length)
      }
      await handle.datasync()
    } finally {
      await handle.close()
    }
    if (length !== undefined && done !== length) throw brokenError(`${done} of ${length} bytes came`)
    await publish(temporary, file, request.overwrite)
    return { path: request.path, file, size: done }
  } finally {
    await rm(temporary, { force: true })
  }
}

export const upload = async (
  gateway: Gateway,
  request: { readonly source: string; readonly path: string; readonly query: Query; readonly onProgress: OnProgress },
): Promise<Uploaded> => {
  const isStdin = request.source === '-'
  const status = isStdin ? undefined : await stat(request.source).catch(() => undefined)
  if (!isStdin && !status?.isFile()) throw usageError(`There is no file ${request.source}`)
  if (isStdin && request.path.endsWith('/')) throw usageError('Standard input has no name', 'Give the whole path.')
  const path = request.path.endsWith('/') ? request.path + basename(request.source) : request.path
  const total = status?.size
  const source = isStdin ? process.stdin : createReadStream(request.source, { highWaterMark: 1 << 18 })
  const body = Readable.toWeb(
    Readable.from(counted(source, done => request.onProgress(done, total))),
  ) as ReadableStream<Uint8Array>
  request.onProgress(0, total)
  const response = await gateway.send(
    'POST',
    '/rest/1.0',
    { path, ...request.query },
    {
      body,
      headers: { 'content-type': 'application/octet-stream' },
    },
  )
  return (await response.json()) as Uploaded
}

async function* counted(
  source: AsyncIterable<Uint8Array>,
  onBytes: (done: number) => void,
): AsyncGenerator<Uint8Array> {
  let done = 0
  for await (const chunk of source) {
    yield chunk
    done += chunk.length
    onBytes(done)
  }
}

async function* unbroken(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>
  } catch (cause) {
    throw brokenError('The answer broke off', cause)
  }
}

const brokenError = (message: string, cause?: unknown): CliError => new CliError(message, { code: 'broken', cause })

const existsError = (file: string): CliError =>
  new CliError(`${file} exists`, { code: 'exists', hint: 'Add --overwrite to replace it.' })

const exists = async (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )

const toTarget = async (target: string, path: string): Promise<string> => {
  const isDirectory = target.endsWith('/') || (await stat(target).catch(() => undefined))?.isDirectory()
  const name = basename(path)
  if (isDirectory && name === '') throw usageError('A directory cannot be downloaded; give a file')
  return isDirectory ? join(target, name) : target
}

/** Without `overwrite` a file that appeared meanwhile stays. */
const publish = async (temporary: string, file: string, overwrite: boolean): Promise<void> => {
  if (overwrite) return rename(temporary, file)
  await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? existsError(file) : error
  })
}
