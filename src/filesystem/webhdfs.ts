/**
 * HDFS through its REST API (Hadoop's "WebHDFS REST API"):
 *
 *     name node   op=CREATE, op=OPEN ── 307 Location ──▶ data node   PUT (node:http) or GET (fetch) the bytes
 *     name node   everything else, answered in JSON
 *
 * Redirects are followed by hand: headers and cookies of the name node are no business of a data node.
 */
import { throwIfAborted } from './abortable.ts'
import {
  type CreateOptions,
  type FileStatus,
  type FileSystem,
  FileSystemError,
  type FileSystemErrorCode,
  type ListOptions,
  type OpenOptions,
} from './filesystem.ts'
import { checkPermission, checkRange, defaultDirectoryPermission, defaultFilePermission } from './options.ts'
import { baseName, compareNames, isInside, parentPath, parsePath } from './path.ts'
import { createWebHdfsClient, type WebHdfsCall, type WebHdfsClientOptions } from './webhdfs/client.ts'
import { download, toBody } from './webhdfs/download.ts'
import { isNotSent, remoteOf } from './webhdfs/errors.ts'
import {
  type ListingPage,
  parseBoolean,
  parseFileStatus,
  parseListing,
  parseListingBatch,
} from './webhdfs/file-status.ts'
import { upload } from './webhdfs/upload.ts'

export type WebHdfsOptions = WebHdfsClientOptions & {
  /** For people and logs, such as `hdfs://nn:8020`. @default made of the first name node's URL */
  readonly url?: string
  /** How long a data node may neither send nor take bytes while it is waited for. @default 60 000 */
  readonly idleTimeoutMs?: number
}

/** Data nodes that are tried for one upload or download; those that cannot be reached are left out of the next try. */
const maxDataNodes = 3

/** A file system on HDFS. Nothing is asked of the cluster before the first call. */
export const createWebHdfsFileSystem = (options: WebHdfsOptions): FileSystem => {
  const { timeoutMs = 30_000, idleTimeoutMs = 60_000 } = options
  const transfer = { fetch: options.fetch ?? fetch, timeoutMs, idleTimeoutMs }
  const client = createWebHdfsClient(options)
  /** What this cluster turned out not to know. */
  const unknown = { createFlag: false, listBatch: false }

  const getFileStatus = async (path: string, more: Partial<WebHdfsCall> = {}): Promise<FileStatus> => {
    const name = parsePath(path)
    const call = { ...get, op: 'GETFILESTATUS', path: name, action: 'look at', ...more }
    return parseFileStatus(await client.json(call), name)
  }
  const find = (path: string): Promise<FileStatus | undefined> =>
    getFileStatus(path).catch(error => {
      if (hasCode(error, 'not-found', 'not-directory')) return undefined
      throw error
    })
  const mkdirs = async (path: string, permission = defaultDirectoryPermission): Promise<void> => {
    const params = { permission: permission.toString(8) }
    const call = { ...put, op: 'MKDIRS', path, action: 'create directory', params, repeatable: true }
    const json = await client.json(call).catch(error => {
      if (hasCode(error, 'exists')) throw refusal('not-directory', path, 'create directory', 'it is a file', error)
      throw error
    })
    if (!parseBoolean(json, path)) throw refusal('unavailable', path, 'create directory', 'the name node refused')
  }

  /** Asks for a data node and hands it on, again while none can be reached. */
  const withDataNode = async <T>(
    call: WebHdfsCall,
    use: (target: URL | Response) => Promise<T | { readonly notSent: FileSystemError }>,
  ): Promise<T> => {
    const excluded: string[] = []
    for (;;) {
      const params = { ...call.params, excludedatanodes: excluded.join(',') || undefined }
      const target = await client.redirect({ ...call, params })
      const result = await use(target)
      if (typeof result !== 'object' || result === null || !('notSent' in result)) return result as T
      if (target instanceof URL) excluded.push(target.host)
      if (excluded.length >= maxDataNodes) throw result.notSent
    }
  }

  const create = async (path: string, source: AsyncIterable<Uint8Array>, create: CreateOptions): Promise<void> => {
    const { overwrite = false, permission = defaultFilePermission, signal } = create
    if (path === '/') throw refusal('is-directory', path, 'create', 'it is a directory')
    if (!overwrite) refuseExisting(await find(path), path)
    const withFlag = create.syncBlock === true && !unknown.createFlag
    const params = {
      overwrite,
      permission: permission.toString(8),
      replication: create.replication,
      blocksize: create.blockSize,
      createflag: withFlag ? 'create,sync_block' : undefined,
    }
    const chunks = source[Symbol.asyncIterator]()
    try {
      const call = { ...put, op: 'CREATE', path, action: 'create', params, repeatable: true, signal }
      const { bytes } = await withDataNode(call, target => {
        if (target instanceof URL) return upload(target, chunks, { path, idleTimeoutMs, signal })
        throw refusal('unavailable', path, 'create', 'the name node named no data node')
      })
      await confirm(path, bytes, permission)
    } catch (error) {
      // A refused flag counts from the next call on: the source can be read only once.
      if (withFlag && /createflag/i.test(remoteOf(error)?.message ?? '')) unknown.createFlag = true
      throw error
    } finally {
      chunks.return?.().catch(() => {})
    }
  }
  /** A reply of 201 is not enough: some runtimes report a body that was cut short as sent; HDFS applies a umask. */
  const confirm = async (path: string, bytes: number, permission: number): Promise<void> => {
    const status = await getFileStatus(path)
    if (status.length !== bytes) {
      throw refusal('unavailable', path, 'create', `${bytes} bytes were sent, ${status.length} are there`)
    }
    if (status.permission === permission) return
    const params = { permission: permission.toString(8) }
    await client.json({ ...put, op: 'SETPERMISSION', path, action: 'set permission of', params, repeatable: true })
  }

  const open = async (path: string, { offset, length, signal }: OpenOptions): Promise<ReadableStream<Uint8Array>> => {
    if (length === 0) return await openEmpty(path)
    const params = { offset: offset || undefined, length }
    const call = { ...get, op: 'OPEN', path, action: 'open', params, signal }
    try {
      return await withDataNode<ReadableStream<Uint8Array>>(call, async target => {
        const common = { ...transfer, path, signal }
        if (target instanceof Response) return toBody(target, 'behind the name node', common)
        return await download(target, common).catch((error: unknown) => {
          if (error instanceof FileSystemError && isNotSent(error.cause)) return { notSent: error }
          throw error
        })
      })
    } catch (error) {
      if (/^Offset=\d+ out of the range/.test(remoteOf(error)?.message ?? '')) return await openEmpty(path)
      throw error
    }
  }
  const openEmpty = async (path: string): Promise<ReadableStream<Uint8Array>> => {
    const status = await getFileStatus(path)
    if (status.isDirectory) throw refusal('is-directory', path, 'open', 'it is a directory')
    return new ReadableStream({ start: controller => controller.close() })
  }

  const listPage = async (
    path: string,
    startAfter: string | undefined,
    { signal }: ListOptions,
  ): Promise<ListingPage> => {
    const call = { ...get, path, action: 'list', signal }
    if (!unknown.listBatch) {
      try {
        const params = { startAfter: startAfter || undefined }
        return parseListingBatch(await client.json({ ...call, op: 'LISTSTATUS_BATCH', params }), path)
      } catch (error) {
        if (!isUnknownOperation(error)) throw error
        unknown.listBatch = true
      }
    }
    const { entries } = parseListing(await client.json({ ...call, op: 'LISTSTATUS' }), path)
    const wanted = startAfter
      ? entries.filter(entry => entry.path === path || compareNames(baseName(entry.path), startAfter) > 0)
      : entries
    return { entries: wanted.toSorted((a, b) => compareNames(a.path, b.path)), remaining: 0 }
  }

  const rename = async (source: string, target: string, overwrite: boolean): Promise<void> => {
    const params = { destination: target, renameoptions: overwrite ? 'OVERWRITE' : 'NONE' }
    const call = { ...put, op: 'RENAME', path: source, action: 'rename', params, repeatable: false }
    const json = await client.json(call)
    // With rename options the answer is empty; {"boolean":…} comes from servers that do not know them (HttpFS).
    if (json === undefined || parseBoolean(json, source)) return
    throw refusal('unavailable', source, 'rename', 'the name node refused')
  }
  /** The reason for a refusal that HDFS puts into words only. */
  const explainRename = async (source: string, target: string, overwrite: boolean, error: unknown): Promise<never> => {
    const isVague = hasCode(error, 'unavailable') && (remoteOf(error)?.exception === 'IOException' || !remoteOf(error))
    if (!isVague || (error instanceof FileSystemError && error.cause && !remoteOf(error))) throw error
    const from = await getFileStatus(source)
    const to = await find(target)
    if (!to) throw error
    if (!overwrite) throw refusal('exists', target, 'rename to', 'it exists already', error)
    if (to.isDirectory && !from.isDirectory)
      throw refusal('is-directory', target, 'replace', 'it is a directory', error)
    if (!to.isDirectory && from.isDirectory) throw refusal('not-directory', target, 'replace', 'it is a file', error)
    if (to.isDirectory) throw refusal('not-empty', target, 'replace', 'it is not empty', error)
    throw error
  }

  return {
    url: options.url ?? `webhdfs://${new URL(options.urls[0] ?? '').host}`,

    async create(path, source, options = {}) {
      checkPermission(options.permission)
      throwIfAborted(options.signal, path)
      await create(parsePath(path), source, options)
    },

    async open(path, options = {}) {
      checkRange(options)
      throwIfAborted(options.signal, path)
      return await open(parsePath(path), options)
    },

    getFileStatus: path => getFileStatus(path),

    async *listStatus(path, options = {}) {
      const name = parsePath(path)
      for (let after = options.startAfter; ; ) {
        const { entries, remaining } = await listPage(name, after, options)
        yield* entries
        const last = entries.at(-1)
        if (remaining === 0 || !last) return
        const next = baseName(last.path)
        // A server that does not move on would be asked for ever.
        if (after !== undefined && compareNames(next, after) <= 0) {
          throw refusal('unavailable', name, 'list', 'the name node repeats itself')
        }
        after = next
      }
    },

    async mkdirs(path, { permission } = {}) {
      checkPermission(permission)
      await mkdirs(parsePath(path), permission)
    },

    async rename(source, target, { overwrite = false } = {}) {
      const [from, to] = [parsePath(source), parsePath(target)]
      if (from === '/' || (to !== from && isInside(to, from))) {
        throw refusal('bad-path', from, 'rename', 'it cannot be moved into itself')
      }
      try {
        await rename(from, to, overwrite).catch(async error => {
          if (!hasCode(error, 'not-found')) throw error
          // Either the source or the target's parent is missing.
          await getFileStatus(from)
          await mkdirs(parentPath(to))
          await rename(from, to, overwrite)
        })
      } catch (error) {
        await explainRename(from, to, overwrite, error)
      }
    },

    async delete(path, { recursive = false } = {}) {
      const name = parsePath(path)
      if (name === '/') throw refusal('bad-path', name, 'delete', 'it is the root')
      const call = { method: 'DELETE', op: 'DELETE', path: name, action: 'delete', repeatable: false } as const
      const json = await client.json({ ...call, params: { recursive } }).catch(error => {
        if (hasCode(error, 'not-found', 'not-directory')) return { boolean: false }
        throw error
      })
      return parseBoolean(json, name)
    },

    async probe() {
      await getFileStatus('/', { action: 'reach', maxRetries: 0 })
    },

    async close() {},
  }
}

const get = { method: 'GET', repeatable: true } as const
const put = { method: 'PUT' } as const

const hasCode = (error: unknown, ...codes: readonly FileSystemErrorCode[]): error is FileSystemError =>
  error instanceof FileSystemError && codes.includes(error.code)

const refuseExisting = (status: FileStatus | undefined, path: string): void => {
  if (status?.isDirectory) throw refusal('is-directory', path, 'create', 'it is a directory')
  if (status) throw refusal('exists', path, 'create', 'it exists already')
}

/** What clusters before Hadoop 2.8, and HttpFS before 3.0, answer to `LISTSTATUS_BATCH`. */
const isUnknownOperation = (error: unknown): boolean => {
  const remote = remoteOf(error)
  return (
    remote !== undefined && [400, 501].includes(remote.httpStatus) && /LISTSTATUS_BATCH|\bop\b/.test(remote.message)
  )
}

const refusal = (
  code: FileSystemErrorCode,
  path: string,
  action: string,
  reason: string,
  cause?: unknown,
): FileSystemError => new FileSystemError(code, path, `Cannot ${action} "${path}": ${reason}`, cause ? { cause } : {})
