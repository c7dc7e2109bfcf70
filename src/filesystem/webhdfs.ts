/**
 * HDFS through its REST API (Hadoop's "WebHDFS REST API"):
 *
 *     name node   op=CREATE, op=OPEN ── 307 Location ──▶ data node   PUT (node:http) or GET (a socket) the bytes
 *     name node   op=GETFILECHECKSUM ── 307 Location ──▶ data node   GET the JSON
 *     name node   everything else, answered in JSON
 *
 * Redirects are followed by hand: headers for the name node must not reach a data node.
 */
import { throwIfAborted } from './abortable.ts'
import { createFileAppender } from './cluster/append-file.ts'
import { createDirectoryLister } from './cluster/list-directory.ts'
import { renameAtCluster } from './cluster/rename-path.ts'
import { refusal } from './cluster/steps.ts'
import type { Directories, FileSystem, ListOptions, OpenOptions, PartialListing } from './filesystem.ts'
import type { HadoopVerbs } from './hadoop-verbs.ts'
import { checkPermission, checkRange } from './options.ts'
import { parsePath } from './path.ts'
import { createPublisher } from './publish/publisher.ts'
import { createUserViews } from './views.ts'
import { createWebHdfsAttributes } from './webhdfs/attributes.ts'
import { createWebHdfsClient, type WebHdfsClient, type WebHdfsClientOptions } from './webhdfs/client.ts'
import { createWebHdfsFacts } from './webhdfs/facts.ts'
import { createListingPages } from './webhdfs/listing-pages.ts'
import { createOperations } from './webhdfs/operations.ts'
import { createWebHdfsPassOn } from './webhdfs/pass-on.ts'
import { createFileOpener } from './webhdfs/read/open-file.ts'
import { createFileWriter } from './webhdfs/write/create-file.ts'

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
  return options.actsForOthers ? { ...own, as: createUserViews(user => createOver(client.as(user), options)) } : own
}

/** The file system of one caller. */
const createOver = (client: WebHdfsClient, options: WebHdfsOptions): FileSystem => {
  const { timeoutMs = 30_000, idleTimeoutMs = 60_000 } = options
  const operations = createOperations(client, { timeoutMs, idleTimeoutMs })
  const createFile = createFileWriter(operations)
  const appendFile = createFileAppender(operations, createFile)
  const openFile = createFileOpener(operations)
  const listDirectory = createDirectoryLister(createListingPages(operations))

  const directories: Directories = {
    async mkdirs(path, { permission } = {}) {
      checkPermission(permission)
      await operations.mkdirs(parsePath(path), permission)
    },

    async rename(source, target, { overwrite = false } = {}) {
      await renameAtCluster(operations, parsePath(source), parsePath(target), overwrite)
    },
  }

  const hadoop: HadoopVerbs = {
    async create(path, source, create = {}) {
      checkPermission(create.permission)
      const name = parsePath(path)
      throwIfAborted(create.signal, name)
      await createFile(name, source, create)
    },

    async append(path, source, append = {}) {
      const name = parsePath(path)
      throwIfAborted(append.signal, name)
      await appendFile(name, source, append)
    },

    ...createWebHdfsAttributes(operations),
    ...createWebHdfsFacts(operations),
    webHdfs: createWebHdfsPassOn(operations),
  }

  const files = {
    async open(path: string, open: OpenOptions = {}) {
      checkRange(open)
      const name = parsePath(path)
      throwIfAborted(open.signal, name)
      return await openFile(name, open)
    },

    async getFileStatus(path: string) {
      return await operations.getFileStatus(parsePath(path))
    },

    async *listStatus(path: string, list: ListOptions = {}): AsyncGenerator<PartialListing> {
      yield* listDirectory(parsePath(path), list)
    },

    async delete(path: string, { recursive = false }: { readonly recursive?: boolean } = {}) {
      const name = parsePath(path)
      if (name === '/') throw refusal('bad-path', name, 'delete', 'it is the root')
      return await operations.delete(name, recursive)
    },
  } satisfies Partial<FileSystem>

  return {
    url: options.url ?? `webhdfs://${new URL(options.urls[0] ?? '').host}`,
    ...files,
    ...createPublisher({ ...files, ...directories, ...hadoop }),
    directories,
    hadoop,

    async probe() {
      await operations.getFileStatus('/', { action: 'reach', maxRetries: 0 })
    },

    close: () => client.close(),
  }
}
