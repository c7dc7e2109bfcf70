import { once } from 'node:events'
import { link, open, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Writable } from 'node:stream'
import { unbroken } from '../../../clients/gateway/read-rows.ts'
import { type Uploaded, type UploadOptions, uploadFile } from '../../../clients/gateway/upload.ts'
import { CliError, usageError } from './failure.ts'
import type { Gateway } from './gateway.ts'

/** The bytes of a file as stored. */
export const openFile = async (gateway: Gateway, path: string, recursive = false) => {
  const response = await gateway.call('/rest/1.0/binary', { path, recursive: recursive || undefined })
  const length = response.headers.get('content-length')
  return { body: response.body, length: length === null ? undefined : Number(length) }
}

/** Copies no faster than the target takes it. @throws CliError `broken` when the bytes stop midway */
export const copyTo = async (body: ReadableStream<Uint8Array> | null, target: Writable): Promise<void> => {
  for await (const chunk of unbroken(body)) await writeTo(target, chunk)
}

/** Writes no faster than the target takes it. */
export const writeTo = async (target: Writable, chunk: Uint8Array): Promise<void> => {
  if (!target.write(chunk)) await once(target, 'drain')
}

/** What is told while a file is downloaded: bytes so far, and in all where that is known. */
export type DownloadOptions = {
  readonly overwrite: boolean
  readonly onProgress: (done: number, total: number | undefined) => void
}

/** Downloads a file; the target appears whole or not at all. @throws CliError `exists`, `broken` */
export const download = async (
  gateway: Gateway,
  path: string,
  target: string,
  { overwrite, onProgress }: DownloadOptions,
) => {
  const file = await toTarget(target, path)
  if (!overwrite && (await exists(file))) throw existsError(file)
  const { body, length } = await openFile(gateway, path)
  const temporary = `${file}.${process.pid}.part`
  try {
    const handle = await open(temporary, 'wx')
    let done = 0
    try {
      onProgress(0, length)
      for await (const chunk of unbroken(body)) {
        await handle.writeFile(chunk)
        done += chunk.length
        onProgress(done, length)
      }
      await handle.datasync()
    } finally {
      await handle.close()
    }
    if (length !== undefined && done !== length)
      throw new CliError(`${done} of ${length} bytes came`, { code: 'broken' })
    await publish(temporary, file, overwrite)
    return { path, file, size: done }
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Uploads a file, or standard input. @throws CliError */
export const upload = async (
  gateway: Gateway,
  source: string,
  path: string,
  options: UploadOptions,
): Promise<Uploaded> => {
  const isStdin = source === '-'
  const isFile = (await stat(source).catch(() => undefined))?.isFile()
  if (!isStdin && !isFile) throw usageError(`There is no file ${source}`)
  if (isStdin && path.endsWith('/')) throw usageError('Standard input has no name', 'Give the whole path.')
  const target = path.endsWith('/') ? path + basename(source) : path
  return uploadFile(gateway, isStdin ? process.stdin : source, target, options)
}

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
