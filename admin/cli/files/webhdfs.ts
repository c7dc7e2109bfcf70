/** What the command line does by Hadoop's REST API, because the gateway's own has no verb for it. */
import type { Entry } from '../../../clients/gateway/read-rows.ts'
import type { GatewayCalls } from './gateway.ts'
import { toOnePath } from './remote-path.ts'

/** What is below a path, the path itself included; sizes in bytes. */
export type RemoteSummary = {
  readonly directoryCount: number
  readonly fileCount: number
  readonly length: number
  /** With all copies. */
  readonly spaceConsumed: number
}

/** What the file system says of a path. @throws CliError `not-found` */
export const getFileStatus = async (gateway: GatewayCalls, path: string): Promise<Entry> => {
  const answer = await gateway.call(toWebHdfsPath(path), { op: 'GETFILESTATUS' })
  const { FileStatus: status } = (await answer.json()) as { readonly FileStatus: FileStatusJson }
  return {
    path: toOnePath(path),
    mtime: status.modificationTime,
    size: status.length,
    replication: status.replication,
    isDir: status.type === 'DIRECTORY',
    owner: status.owner,
    group: status.group,
    permission: status.permission.padStart(4, '0'),
    blockSize: status.blockSize,
  }
}

type FileStatusJson = {
  readonly modificationTime: number
  readonly length: number
  readonly replication: number
  readonly type: string
  readonly owner: string
  readonly group: string
  readonly permission: string
  readonly blockSize: number
}

/** As {@link getFileStatus}; undefined where there is nothing. */
export const findRemote = async (gateway: GatewayCalls, path: string): Promise<Entry | undefined> => {
  try {
    return await getFileStatus(gateway, path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'not-found') return undefined
    throw error
  }
}

/** Counts what is below a path. */
export const getContentSummary = async (gateway: GatewayCalls, path: string): Promise<RemoteSummary> => {
  const answer = await gateway.call(toWebHdfsPath(path), { op: 'GETCONTENTSUMMARY' })
  return ((await answer.json()) as { readonly ContentSummary: RemoteSummary }).ContentSummary
}

/** Makes a directory with those above it; one that is there already is fine. @throws CliError `exists` for a file */
export const makeDirectory = async (gateway: GatewayCalls, path: string): Promise<void> => {
  await (await gateway.call(toWebHdfsPath(path), { op: 'MKDIRS' }, { method: 'PUT' })).body?.cancel()
}

/** Gives a file or directory another path, in a directory that is there. @throws CliError `exists`, `not-found` */
export const renameRemote = async (
  gateway: GatewayCalls,
  path: string,
  to: string,
  overwrite: boolean,
): Promise<void> => {
  const query = { op: 'RENAME', destination: toOnePath(to), renameoptions: overwrite ? 'OVERWRITE' : 'NONE' }
  await (await gateway.call(toWebHdfsPath(path), query, { method: 'PUT' })).body?.cancel()
}

/** The bytes of a file from an offset on, up to a number of them. */
export const openAt = async (
  gateway: GatewayCalls,
  path: string,
  offset: number,
  length?: number,
): Promise<ReadableStream<Uint8Array> | null> =>
  (await gateway.call(toWebHdfsPath(path), { op: 'OPEN', offset, length })).body

const toWebHdfsPath = (path: string): string =>
  `/webhdfs/v1${toOnePath(path).split('/').map(encodeURIComponent).join('/')}`
