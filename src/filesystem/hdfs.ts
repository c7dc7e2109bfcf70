/**
 * HDFS by its own protocol: calls at the name node (Hadoop's RPC, protobuf), bytes to and from data nodes (the data
 * transfer protocol).
 *
 *     name node    getBlockLocations, create, addBlock, rename2 … ── a connection for all calls of one user
 *     data nodes   READ_BLOCK, WRITE_BLOCK ── bytes in packets, a checksum for each 512 of them
 *
 * What it does not support goes by WebHDFS: files that are encrypted or erasure-coded, those whose end is being written
 * and cannot be asked for, and operations that are not verbs here.
 */
import { randomBytes } from 'node:crypto'
import { throwIfAborted } from './abortable.ts'
import type { Appends } from './appends.ts'
import { createFileAppender } from './cluster/append-file.ts'
import type { FailoverOptions } from './cluster/failover.ts'
import { createDirectoryLister } from './cluster/list-directory.ts'
import { renameAtCluster } from './cluster/rename-path.ts'
import { refusal } from './cluster/steps.ts'
import { hadoopOf } from './facets.ts'
import type { Directories, FileSystem, ListOptions, OpenOptions, PartialListing } from './filesystem.ts'
import type { FsServerDefaults, HadoopVerbs } from './hadoop-verbs.ts'
import type { Demands } from './hdfs/conf/demands.ts'
import { createDataNodeConnections, type DataNodeConnections } from './hdfs/data-node/connections.ts'
import { createAppends } from './hdfs/files/append-file.ts'
import { createLeases } from './hdfs/files/leases.ts'
import { createBlockFiles } from './hdfs/files/open-file.ts'
import { untilCopied } from './hdfs/files/require-copies.ts'
import { NotNative, type WriteTransfer } from './hdfs/files/unfinished-file.ts'
import { writeBlockFile } from './hdfs/files/write-file.ts'
import { createAttributes } from './hdfs/name-node/attributes.ts'
import { createNameNodeCalls, type NameNodeCalls } from './hdfs/name-node/calls.ts'
import { createFacts, createServerDefaults } from './hdfs/name-node/facts.ts'
import { clientProtocol, createNameNode, type NameNode } from './hdfs/name-node/name-node.ts'
import { createHadoopRpc, type Identities } from './hdfs/rpc/client.ts'
import type { NodeAddress } from './hdfs/socket/exact-socket.ts'
import { createEncryptionKeys } from './hdfs/tokens/encryption-keys.ts'
import { checkPermission, checkRange } from './options.ts'
import { parsePath } from './path.ts'
import { createPublisher } from './publish/publisher.ts'
import { createRecent } from './recent.ts'
import { createUserViews } from './views.ts'

export type HdfsOptions = FailoverOptions & {
  /** For people and logs, such as `hdfs://nn:8020`. */
  readonly url: string
  /** Where the name nodes take calls; the first that answers and is active is remembered. */
  readonly addresses: readonly [NodeAddress, ...NodeAddress[]]
  /** The caller, for itself or on behalf of a user. */
  readonly identitiesOf: (user: string | undefined) => Identities
  /** The same cluster, and the same rights there. It is closed with this one. */
  readonly webHdfs: FileSystem
  /** Called when a data node has begun to take or send bytes. */
  readonly onTransfer?: () => void
  /** What the cluster's own configuration demands of connections. @default nothing: the cluster chooses */
  readonly demands?: Demands | undefined
  /** Whether data nodes are found by their names (`dfs.client.use.datanode.hostname`). @default by their addresses */
  readonly usesHostnames?: boolean | undefined
  /** How long a node may take to answer. @default 30 000 */
  readonly timeoutMs?: number
  /** How long a data node may neither send nor take bytes while it is waited for. @default 60 000 */
  readonly idleTimeoutMs?: number
}

/** Of a full packet: each is a step, and an ack, of every node. Clusters mostly have 64 KB. */
const leastPacketBytes = 512 * 1024
/** How long the defaults of a server count as known. */
const defaultsMs = 60_000

/** A file system on HDFS. Nothing is asked of the cluster before the first call. */
export const createHdfsFileSystem = (options: HdfsOptions): FileSystem => {
  const nameNodeAs = (user: string | undefined): NameNode => {
    const { addresses, identitiesOf, timeoutMs = 30_000 } = options
    const demand = options.demands?.calls
    const rpc = { ...options, addresses, protocol: clientProtocol, identities: identitiesOf(user), demand, timeoutMs }
    return createNameNode(createHadoopRpc({ ...rpc, peer: 'name node' }))
  }
  const ownNameNode = nameNodeAs(undefined)
  const keys = createEncryptionKeys(ownNameNode, options.demands?.encryption)
  const connections = createDataNodeConnections(keys, options.onTransfer, options.demands?.bytes)
  const own = createOver(ownNameNode, connections, options)
  const openAs = (user: string, webHdfs: FileSystem): FileSystem =>
    createOver(nameNodeAs(user), connections, { ...options, webHdfs })
  const { as } = options.webHdfs
  return {
    ...own,
    ...(as && { as: createUserViews(user => openAs(user, as(user))) }),
    close: async () => {
      connections.close()
      await own.close()
      await options.webHdfs.close()
    },
  }
}

/** What is encrypted or erasure-coded a data node writes. */
const createFileCreator =
  (transfer: WriteTransfer, webHdfs: HdfsOptions['webHdfs']): HadoopVerbs['create'] =>
  async (path, source, given = {}) => {
    await writeBlockFile(transfer, path, source, given).catch(async error => {
      if (!(error instanceof NotNative)) throw error
      const verbs = hadoopOf(webHdfs)
      await verbs.create(path, source, given)
      await untilCopied(verbs, path, given, transfer.defaultsOf)
    })
  }

/** The file system of one caller. */
const createOver = (nameNode: NameNode, connections: DataNodeConnections, options: HdfsOptions): FileSystem => {
  const { webHdfs, timeoutMs = 30_000, idleTimeoutMs = 60_000, usesHostnames, demands } = options
  const clientName = `sluice-${randomBytes(12).toString('hex')}`
  const calls = createNameNodeCalls(nameNode)
  const defaultsOf = createServerDefaults(nameNode, createRecent<Promise<FsServerDefaults>>(defaultsMs))
  const leases = createLeases(nameNode, clientName)
  const limits = { timeoutMs, idleTimeoutMs, usesHostnames, callDemand: demands?.calls }
  const transfer = { nameNode, connections, clientName, leases, defaultsOf, leastPacketBytes, ...limits }
  const { open, openFile } = createBlockFiles(transfer, path => calls.getFileStatus(path), webHdfs)
  const listDirectory = createDirectoryLister(calls.listPage)
  const create = createFileCreator(transfer, webHdfs)
  const appendFile = createFileAppender(calls, create)
  const directories = createHdfsDirectories(calls)

  const hadoop: HadoopVerbs = {
    ...hadoopOf(webHdfs),

    async create(path, source, given = {}) {
      checkPermission(given.permission)
      const name = parsePath(path)
      throwIfAborted(given.signal, name)
      await create(name, source, given)
    },

    async append(path, source, append = {}) {
      const name = parsePath(path)
      throwIfAborted(append.signal, name)
      await appendFile(name, source, append)
    },

    ...createAttributes(nameNode, calls),
    ...createFacts(nameNode, calls, defaultsOf),
  }

  const files = {
    async open(path: string, given: OpenOptions = {}) {
      checkRange(given)
      const name = parsePath(path)
      throwIfAborted(given.signal, name)
      return await open(name, given)
    },

    openFile: async (path: string) => await openFile(parsePath(path)),

    async getFileStatus(path: string) {
      return await calls.getFileStatus(parsePath(path))
    },

    async *listStatus(path: string, list: ListOptions = {}): AsyncGenerator<PartialListing> {
      yield* listDirectory(parsePath(path), list)
    },

    async delete(path: string, { recursive = false }: { readonly recursive?: boolean } = {}) {
      const name = parsePath(path)
      if (name === '/') throw refusal('bad-path', name, 'delete', 'it is the root')
      return await calls.delete(name, recursive)
    },
  } satisfies Partial<FileSystem>

  return {
    url: options.url,
    ...files,
    ...createPublisher({ ...files, ...directories, ...hadoop }),
    directories,
    hadoop,
    appends: createHdfsAppends(createAppends(transfer)),

    async probe() {
      await calls.getFileStatus('/', { action: 'reach', maxRetries: 0 })
    },

    close: async () => nameNode.close(),
  }
}

const createHdfsAppends = (appends: Appends): Appends => ({
  async create(path, options) {
    checkPermission(options?.permission)
    return await appends.create(parsePath(path), options)
  },
  append: async (path, options) => await appends.append(parsePath(path), options),
  async truncate(path, length, options) {
    checkRange({ length })
    await appends.truncate(parsePath(path), length, options)
  },
  visibleLength: async (path, options) => await appends.visibleLength(parsePath(path), options),
  recoverLease: async (path, options) => await appends.recoverLease(parsePath(path), options),
  isClosed: async (path, options) => await appends.isClosed(parsePath(path), options),
})

const createHdfsDirectories = (calls: NameNodeCalls): Directories => ({
  async mkdirs(path, { permission } = {}) {
    checkPermission(permission)
    await calls.mkdirs(parsePath(path), permission)
  },

  async rename(source, target, { overwrite = false } = {}) {
    await renameAtCluster(calls, parsePath(source), parsePath(target), overwrite)
  },
})
