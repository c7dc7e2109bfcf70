// node-only: files
/**
 * A download goes to `<file>.part` (or another name), with `<file>.part.json` beside it: which path, and which version
 * of it (ETag). Both stay when it is interrupted, so that the next download continues where this one ended, if the file
 * is still the same.
 */
import { link, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import type { Connection } from './connection.ts'
import { GatewayError } from './error.ts'
import { unbroken } from './read-rows.ts'

/** How to download. */
export type DownloadOptions = {
  /** Replaces the local file. @default false */
  readonly overwrite?: boolean
  /** Where the part is kept meanwhile, on the same disk, with a `.json` beside it. @default `<file>.part` */
  readonly partFile?: string
  /** How often an interrupted download resumes by itself. @default 5 */
  readonly maxResumes?: number
  /** Bytes so far, and in all if the gateway said. */
  readonly onProgress?: (done: number, total: number | undefined) => void
  readonly signal?: AbortSignal
  /** Waits before resuming. @default half a second more each time */
  readonly sleep?: (ms: number) => Promise<void>
}

/** What was downloaded; `resumedAt` is how much of it an earlier download had left. */
export type Downloaded = {
  readonly path: string
  readonly file: string
  readonly size: number
  readonly resumedAt: number
}

const resumeDelayMs = 500

/**
 * Downloads a file's bytes: the local file appears under its name whole, or not at all. One download per local file.
 * @throws GatewayError as the gateway's; `exists`; `broken` when it broke off too often (the next call resumes)
 */
export const downloadFile = async (
  connection: Downloading,
  path: string,
  file: string,
  options: DownloadOptions,
): Promise<Downloaded> => {
  const { overwrite = false, maxResumes = 5, sleep = wait, partFile = `${file}.part` } = options
  if (!overwrite && (await sizeOf(file)) !== undefined) throw existsError(file)
  const part: Part = { file: partFile, state: `${partFile}.json`, path }
  const etag = await readState(part)
  if (etag === undefined) await rm(part.file, { force: true })
  const resumedAt = (await sizeOf(part.file)) ?? 0
  for (let resumes = 0; ; resumes++) {
    try {
      const begun = await fetchPart(connection, part, options)
      await publish(part.file, file, overwrite)
      await rm(part.state, { force: true })
      return { path, file, size: begun.size, resumedAt: begun.isFresh && resumes === 0 ? 0 : resumedAt }
    } catch (error) {
      const canGoOn = error instanceof GatewayError && ['broken', 'unreachable'].includes(error.code)
      if (!canGoOn || resumes >= maxResumes || connection.signal?.aborted) throw error
      await sleep(resumeDelayMs * (resumes + 1))
    }
  }
}

/** What a download needs of a connection. */
type Downloading = Pick<Connection, 'call'> & { readonly signal?: AbortSignal }

type Part = { readonly file: string; readonly state: string; readonly path: string }

/** Fetches what is missing. @throws GatewayError `broken` when it does not come whole */
const fetchPart = async (
  connection: Downloading,
  part: Part,
  { onProgress = () => {}, signal }: DownloadOptions,
): Promise<{ readonly size: number; readonly isFresh: boolean }> => {
  const etag = await readState(part)
  const had = etag === undefined ? 0 : ((await sizeOf(part.file)) ?? 0)
  const headers = etag !== undefined && had > 0 ? { range: `bytes=${had}-`, 'if-range': etag } : {}
  const response = await connection.call('/rest/1.0/binary', { path: part.path }, { headers, signal, allow: [416] })
  if (response.status === 416) {
    await response.body?.cancel()
    // Beyond the end of the same version: all of it is here.
    if (response.headers.get('content-range') === `bytes */${had}`) return { size: had, isFresh: false }
    await rm(part.state, { force: true })
    throw new GatewayError('broken', 'The file has changed since the download began')
  }
  const isFresh = response.status !== 206
  const from = isFresh ? 0 : had
  const length = response.headers.get('content-length')
  const total = length === null ? undefined : from + Number(length)
  if (isFresh) await writeState(part, response.headers.get('etag'))
  const done = await append(part.file, from, unbroken(response.body), bytes => onProgress(bytes, total))
  if (total !== undefined && done !== total) {
    // A body longer than announced cannot be trusted at all.
    if (done > total) await rm(part.state, { force: true })
    throw new GatewayError('broken', `${done} of ${total} bytes came`)
  }
  return { size: done, isFresh }
}

/** Writes at an offset, cuts off what was behind it, and syncs. Returns the length of the file. */
const append = async (
  file: string,
  from: number,
  chunks: AsyncIterable<Uint8Array>,
  onBytes: (done: number) => void,
): Promise<number> => {
  const handle = await open(file, from === 0 ? 'w' : 'r+')
  let done = from
  try {
    await handle.truncate(from)
    onBytes(done)
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; )
        at += (await handle.write(chunk, at, chunk.length - at, done + at)).bytesWritten
      done += chunk.length
      onBytes(done)
    }
    await handle.datasync()
    return done
  } finally {
    await handle.close()
  }
}

/** The version of the part; undefined if there is no part that can be resumed. */
const readState = async (part: Part): Promise<string | undefined> => {
  try {
    const { path, etag } = JSON.parse(await readFile(part.state, 'utf8')) as Record<string, unknown>
    // A weak tag does not promise the same bytes.
    return path === part.path && typeof etag === 'string' && !etag.startsWith('W/') ? etag : undefined
  } catch {
    return undefined
  }
}

const writeState = async ({ state, path }: Part, etag: string | null): Promise<void> => {
  if (etag === null) await rm(state, { force: true })
  else await writeFile(state, JSON.stringify({ path, etag }))
}

const publish = async (part: string, file: string, overwrite: boolean): Promise<void> => {
  if (overwrite) return rename(part, file)
  await link(part, file).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? existsError(file) : error
  })
  await rm(part)
}

const existsError = (file: string): GatewayError => new GatewayError('exists', `${file} exists`)

const sizeOf = async (file: string): Promise<number | undefined> =>
  stat(file).then(
    ({ size }) => size,
    () => undefined,
  )

const wait = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
