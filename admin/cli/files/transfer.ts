import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Downloaded, type DownloadOptions, downloadFile } from '../../../clients/gateway/download.ts'
import { unbroken } from '../../../clients/gateway/read-rows.ts'
import { type Uploaded, type UploadOptions, uploadFile } from '../../../clients/gateway/upload.ts'
import { parentPath } from '../../../src/filesystem/path.ts'
import { CliError, usageError } from '../command/failure.ts'
import { createByteOutput } from '../print/terminal.ts'
import type { GatewayCalls } from './gateway.ts'
import { toLocalNames, toPartFile } from './local-path.ts'
import { toOnePath } from './remote-path.ts'
import { findRemote } from './webhdfs.ts'

/** The bytes of a file as stored. */
export const openRemote = async (gateway: GatewayCalls, path: string, recursive = false) => {
  const response = await gateway.call('/rest/1.0/binary', { path, recursive: recursive || undefined })
  const length = response.headers.get('content-length')
  return { body: response.body, length: length === null ? undefined : Number(length) }
}

/** Copies to standard output, no faster than that takes it. @throws CliError `broken` when the bytes stop midway */
export const copyOut = async (body: ReadableStream<Uint8Array> | null): Promise<void> => {
  const write = createByteOutput()
  for await (const chunk of unbroken(body)) await write(chunk)
}

/**
 * Downloads a file; the target appears whole or not at all, and an interrupted download continues when it is called
 * again.
 * @throws CliError, GatewayError `exists`, `broken`
 */
export const downloadTo = async (
  gateway: GatewayCalls,
  path: string,
  target: string,
  options: Omit<DownloadOptions, 'partFile'>,
): Promise<Downloaded> => {
  const file = await toTarget(target, path)
  return downloadFile(gateway, path, file, { ...options, partFile: toPartFile(file) })
}

/** Uploads a file, or standard input. @throws CliError */
export const uploadFrom = async (
  gateway: GatewayCalls,
  source: string,
  path: string,
  options: UploadOptions,
): Promise<Uploaded> => {
  const isStdin = source === '-'
  const isFile = (await stat(source).catch(() => undefined))?.isFile()
  if (!isStdin && !isFile) throw usageError(`There is no file ${source}`)
  if (isStdin && path.endsWith('/')) throw usageError('Standard input has no name', 'Give the whole path.')
  const isInto = path.endsWith('/') || (!isStdin && (await isDirectory(gateway, path)))
  const target = isInto ? `${path.replace(/\/$/, '')}/${basename(source)}` : path
  return uploadFile(gateway, isStdin ? process.stdin : source, target, options)
}

/** Whether there is a directory; who may only write does not hear of it. */
export const isDirectory = async (gateway: GatewayCalls, path: string): Promise<boolean> => {
  try {
    return (await findRemote(gateway, path))?.isDir ?? false
  } catch (error) {
    if (error instanceof CliError && error.code === 'denied') return false
    throw error
  }
}

/** Whether there is a directory here. */
export const isLocalDirectory = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() ?? false

const toTarget = async (target: string, path: string): Promise<string> => {
  const isInto = target.endsWith('/') || (await isLocalDirectory(target))
  const [name = ''] = toLocalNames(toOnePath(path), parentPath(toOnePath(path)))
  return isInto ? join(target, name) : target
}
