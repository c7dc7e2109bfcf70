import { refusal } from '../../cluster/steps.ts'
import type { BlockLocation, FsServerDefaults, HadoopVerbs } from '../../hadoop-verbs.ts'
import { checkRange } from '../../options.ts'
import { parsePath } from '../../path.ts'
import type { Recent } from '../../recent.ts'
import type { NameNodeCalls } from './calls.ts'
import { findBlocks } from './find-blocks.ts'
import type { LocatedBlock } from './messages.ts'
import { nameNodeMethods } from './methods.ts'
import type { NameNode } from './name-node.ts'

type Facts = Pick<HadoopVerbs, 'getContentSummary' | 'getFileBlockLocations' | 'getStatus' | 'getServerDefaults'>

/** How long a cluster may take to go through a large tree. */
const patienceMs = 300_000

/** A cluster's information on itself and its files. */
export const createFacts = (
  nameNode: NameNode,
  { getFileStatus }: NameNodeCalls,
  defaultsOf: (path: string) => Promise<FsServerDefaults>,
): Facts => ({
  async getContentSummary(path, { signal } = {}) {
    const name = parsePath(path)
    const about = { action: 'summarize', path: name, timeoutMs: patienceMs, signal }
    const { summary } = await nameNode.call(nameNodeMethods.getContentSummary, { path: name }, about)
    return {
      directoryCount: Number(summary.directoryCount),
      fileCount: Number(summary.fileCount),
      length: Number(summary.length),
      spaceConsumed: Number(summary.spaceConsumed),
      quota: toQuota(summary.quota),
      spaceQuota: toQuota(summary.spaceQuota),
    }
  },

  async getFileBlockLocations(path, offset, length) {
    checkRange({ offset, length })
    const src = parsePath(path)
    const action = 'locate the blocks of'
    const { isDirectory } = await getFileStatus(src, { action })
    if (isDirectory) throw refusal('is-directory', src, action, 'it is a directory')
    if (length === 0) return []
    const locations = await findBlocks(nameNode, { offset, length }, { action, path: src })
    return (locations?.blocks ?? []).filter(block => touches(block, offset, length)).map(toBlockLocation)
  },

  async getStatus(path) {
    const about = { action: 'get the status of', path: parsePath(path) }
    const { capacity, used, remaining } = await nameNode.call(nameNodeMethods.getFsStats, {}, about)
    return { capacity: Number(capacity), used: Number(used), remaining: Number(remaining) }
  },

  async getServerDefaults(path) {
    return await defaultsOf(parsePath(path))
  },
})

/** Reads the server's defaults, which are cached for a moment. */
export const createServerDefaults =
  (nameNode: NameNode, recent: Recent<Promise<FsServerDefaults>>): ((path: string) => Promise<FsServerDefaults>) =>
  path => {
    const known = recent.find('')
    if (known) return known
    const asked = askDefaults(nameNode, path)
    asked.catch(() => recent.forget(''))
    return recent.add('', asked)
  }

const askDefaults = async (nameNode: NameNode, path: string): Promise<FsServerDefaults> => {
  const about = { action: 'get the defaults of', path }
  const { serverDefaults } = await nameNode.call(nameNodeMethods.getServerDefaults, {}, about)
  const { encryptDataTransfer = false, trashInterval = 0, checksumType = 1 } = serverDefaults
  const { blockSize, replication, bytesPerChecksum, writePacketSize, fileBufferSize } = serverDefaults
  return {
    blockSize,
    replication,
    bytesPerChecksum,
    writePacketSize,
    fileBufferSize,
    encryptDataTransfer,
    trashInterval,
    checksumType,
  }
}

/** Where a range begins at the end of a file, a cluster returns the block before, too. */
const touches = ({ offset, b }: LocatedBlock, start: number, length: number): boolean =>
  offset < start + length && offset + (b.numBytes ?? 0) > start

const toBlockLocation = ({ offset, b, locs }: LocatedBlock): BlockLocation => ({
  offset,
  length: b.numBytes ?? 0,
  hosts: locs.map(({ id }) => id.hostName),
  names: locs.map(({ id }) => `${id.ipAddr}:${id.xferPort}`),
})

/** The largest number of Java is not a limit. */
const toQuota = (quota: bigint): number => (quota >= 2n ** 63n - 1n ? -1 : Number(quota))
