/**
 * What may be done about a call whose answer was lost, by the annotations of Hadoop's `ClientProtocol`. It is sent again
 * with the same client id and call id, to another name node too:
 *
 *     idempotent      done twice it is as if it was done once
 *     at most once    the name nodes' retry cache knows by both ids that it was done, and answers as before: for ten minutes
 *                     (`dfs.namenode.retrycache.expirytime.millis`), and after a failover too
 */
import { nameNodeMethods } from './methods.ts'

type Repeat = 'idempotent' | 'at most once'

const repeats: Readonly<Record<keyof typeof nameNodeMethods, Repeat>> = {
  getFileInfo: 'idempotent',
  getListing: 'idempotent',
  getBlockLocations: 'idempotent',
  mkdirs: 'idempotent',
  rename2: 'at most once',
  delete: 'at most once',
  setPermission: 'idempotent',
  setOwner: 'idempotent',
  setReplication: 'idempotent',
  setTimes: 'idempotent',
  checkAccess: 'idempotent',
  concat: 'at most once',
  getContentSummary: 'idempotent',
  getFsStats: 'idempotent',
  getServerDefaults: 'idempotent',
  getDataEncryptionKey: 'idempotent',
  create: 'at most once',
  addBlock: 'idempotent',
  abandonBlock: 'idempotent',
  updateBlockForPipeline: 'idempotent',
  updatePipeline: 'at most once',
  complete: 'idempotent',
  fsync: 'idempotent',
  append: 'at most once',
  truncate: 'idempotent',
  isFileClosed: 'idempotent',
  recoverLease: 'idempotent',
  renewLease: 'idempotent',
  reportBadBlocks: 'idempotent',
}

/** Whether a call of a method may be sent again with the same ids; one that is not known is sent once. */
export const isRepeatable = (methodName: string): boolean => Object.hasOwn(repeats, methodName)

/** Calls of a file that is open to be written. All its bytes are lost with one of them, and a failover takes some seconds. */
const ofOpenFiles: readonly string[] = [
  nameNodeMethods.addBlock.name,
  nameNodeMethods.abandonBlock.name,
  nameNodeMethods.updateBlockForPipeline.name,
  nameNodeMethods.updatePipeline.name,
  nameNodeMethods.complete.name,
  nameNodeMethods.fsync.name,
]

/** How often a call is sent again at most, where it is not said; the time for it is bounded as well. */
export const maxRetriesOf = (methodName: string): number | undefined =>
  ofOpenFiles.includes(methodName) ? Number.MAX_SAFE_INTEGER : undefined
