/**
 * HDFS through its REST API (Hadoop's "WebHDFS REST API"):
 *
 *     name node   op=CREATE, op=OPEN ── 307 Location ──▶ data node   PUT (node:http) or GET (a socket) the bytes
 *     name node   op=GETFILECHECKSUM ── 307 Location ──▶ data node   GET the JSON
 *     name node   everything else, answered in JSON
 *
 * Redirects are followed by hand: headers of the name node are no business of a data node.
 */
import { throwIfAborted } from './abortable.ts'
import type { FileSystem } from './filesystem.ts'
import { checkPermission, checkRange } from './options.ts'
import { parsePath } from './path.ts'
import { createViews } from './views.ts'
import { createFileAppender } from './webhdfs/append-file.ts'
import { createAttributes } from './webhdfs/attributes.ts'
import { createWebHdfsClient, type WebHdfsClient, type WebHdfsClientOptions } from './webhdfs/client.ts'
import { createFileWriter } from './webhdfs/create-file.ts'
import { createFacts } from './webhdfs/facts.ts'
import { createDirectoryLister } from './webhdfs/list-directory.ts'
import { createFileOpener } from './webhdfs/open-file.ts'
import { createOperations, refusal } from './webhdfs/operations.ts'
import { createPassOn } from './webhdfs/pass-on.ts'
import { renamePath } from './webhdfs/rename-path.ts'

export type WebHdfsOptions = WebHdfsClientOptions & {
  /** For people and logs, such as `hdfs://nn:8020`. @default made of the first name node's URL */
  readonly url?: string
  /** How long a data node may neither send nor take bytes while it is waited for. @default 60 000 */
  readonly idleTimeoutMs?: number
  /** Whether it can act on behalf of others, as their proxy user. @default false */
  readonly actsForOthers?: boolean
}

/**
 * A file system on HDFS. Nothing is asked of the cluster before the first call.
 * @throws TypeError for a URL that cannot be used
 */
export const createWebHdfsFileSystem = (options: WebHdfsOptions): FileSystem => {
  const client = createWebHdfsClient(options)
  const own = createOver(client, options)
  return options.actsForOthers ? { ...own, as: createViews(user => createOver(client.as(user), options)) } : own
}

/** The file system of one caller. */
const createOver = (client: WebHdfsClient, options: WebHdfsOptions): FileSystem => {
  const { timeoutMs = 30_000, idleTimeoutMs = 60_000 } = options
  const operations = createOperations(client, { timeoutMs, idleTimeoutMs })
  const createFile = createFileWriter(operations)
  const appendFile = createFileAppender(operations, createFile)
  const openFile = createFileOpener(operations)
  const listDirectory = createDirectoryLister(operations)

  return {
    url: options.url ?? `webhdfs://${new URL(options.urls[0] ?? '').host}`,

    async create(path, source, create = {}) {
      checkPermission(create.permission)
      const name = parsePath(path)
      throwIfAborted(create.signal, name)
      await createFile(name, source, create)
    },

    async open(path, open = {}) {
      checkRange(open)
      const name = parsePath(path)
      throwIfAborted(open.signal, name)
      return await openFile(name, open)
    },

    async getFileStatus(path) {
      return await operations.getFileStatus(parsePath(path))
    },

    async *listStatus(path, list = {}) {
      yield* listDirectory(parsePath(path), list)
    },

    async mkdirs(path, { permission } = {}) {
      checkPermission(permission)
      await operations.mkdirs(parsePath(path), permission)
    },

    async rename(source, target, { overwrite = false } = {}) {
      await renamePath(operations, parsePath(source), parsePath(target), overwrite)
    },

    async delete(path, { recursive = false } = {}) {
      const name = parsePath(path)
      if (name === '/') throw refusal('bad-path', name, 'delete', 'it is the root')
      return await operations.delete(name, recursive)
    },

    async append(path, source, append = {}) {
      const name = parsePath(path)
      throwIfAborted(append.signal, name)
      await appendFile(name, source, append)
    },

    ...createAttributes(operations),
    ...createFacts(operations),
    webHdfs: createPassOn(operations),

    async probe() {
      await operations.getFileStatus('/', { action: 'reach', maxRetries: 0 })
    },

    close: () => client.close(),
  }
}
