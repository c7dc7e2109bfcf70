/**
 * Hadoop's WebHDFS REST API (Hadoop's "WebHDFS REST API") over the one name space. Operations outside the tables here
 * are passed to the cluster of the path.
 */
import { SluiceError } from '../../errors.ts'
import { directoriesOf, hadoopOf } from '../../filesystem/facets.ts'
import { FileSystemError } from '../../filesystem/filesystem.ts'
import { defaultDirectoryPermission } from '../../filesystem/options.ts'
import { parsePath } from '../../filesystem/path.ts'
import { toJsonResponse } from '../answers.ts'
import type { Write } from '../audit.ts'
import type { Read } from '../reads.ts'
import { parseOctal, parseRights } from '../write/permission.ts'
import { toBooleanResponse, toEmptyResponse, toJsonTextResponse } from './answers.ts'
import { appendPath } from './append-path.ts'
import type { WebHdfsCall, WebHdfsContext, WebHdfsHandler } from './context.ts'
import { createPath } from './create-path.ts'
import { cancelDelegationToken, getDelegationToken, renewDelegationToken } from './delegation-token.ts'
import { createFileStatusWriter } from './file-status-json.ts'
import { openPath } from './open-path.ts'
import { passOn } from './pass-on.ts'
import { RemoteIoError } from './remote-exception.ts'
import { renamePath } from './rename-path.ts'
import { getHomeDirectory, getTrashRoot, getTrashRoots } from './trash.ts'

/** What answers which `op`. */
type Table<Op extends string, Handler> = Readonly<Partial<Record<Op, Handler>>>

const walk: WebHdfsHandler<'webHdfsGet'> = (context, call) => context.walk(call, context.toBodyOptions)

/** Answers GETFILEBLOCKLOCATIONS. Hadoop's client wants every member. */
const locate: WebHdfsHandler<'webHdfsGet'> = async ({ fileSystem }, { params: { path, offset = 0, length } }) => {
  const bytes = Math.min(Number(length ?? Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
  const found = await hadoopOf(fileSystem).getFileBlockLocations(parsePath(path), offset, bytes)
  const unknown = { topologyPaths: [], cachedHosts: [], storageTypes: [], corrupt: false }
  return toJsonResponse({ BlockLocations: { BlockLocation: found.map(one => ({ ...unknown, ...one })) } })
}

const gets: Table<WebHdfsCall<'webHdfsGet'>['params']['op'], WebHdfsHandler<'webHdfsGet'>> = {
  OPEN: openPath,
  LISTSTATUS: walk,
  LISTSTATUS_BATCH: walk,
  GETCONTENTSUMMARY: walk,
  GETFILEBLOCKLOCATIONS: locate,
  GETHOMEDIRECTORY: getHomeDirectory,
  GETTRASHROOT: getTrashRoot,
  GETTRASHROOTS: getTrashRoots,
  GETDELEGATIONTOKEN: getDelegationToken,

  GETFILESTATUS: async ({ fileSystem }, { params }) => {
    const json = createFileStatusWriter()(await fileSystem.getFileStatus(parsePath(params.path)), '')
    return toJsonTextResponse(`{"FileStatus":${json}}`)
  },

  GETFILECHECKSUM: async ({ fileSystem }, { params }) => {
    try {
      return toJsonResponse({ FileChecksum: await hadoopOf(fileSystem).getFileChecksum(parsePath(params.path)) })
    } catch (error) {
      // After an IOException distcp goes without a checksum; an UnsupportedOperationException ends it.
      throw error instanceof FileSystemError && error.code === 'unsupported' ? new RemoteIoError(error) : error
    }
  },

  GETSTATUS: async ({ fileSystem }, { params }) =>
    toJsonResponse({ FsStatus: await hadoopOf(fileSystem).getStatus(parsePath(params.path)) }),

  GETSERVERDEFAULTS: async ({ fileSystem }, { params }) =>
    toJsonResponse({ FsServerDefaults: await hadoopOf(fileSystem).getServerDefaults(parsePath(params.path)) }),

  CHECKACCESS: async ({ fileSystem }, { params, caller }) => {
    const { path, fsaction } = params
    if (fsaction === undefined) throw new SluiceError('bad-parameter', 'Parameter "fsaction" is missing')
    if (fsaction.includes('w') && caller?.has('write') === false) {
      throw new SluiceError('denied', `Permission denied: ${caller.name} lacks the role write`)
    }
    await hadoopOf(fileSystem).access(parsePath(path), parseRights(fsaction))
    return toEmptyResponse()
  },
}

const puts: Table<WebHdfsCall<'webHdfsPut'>['params']['op'], WebHdfsHandler<'webHdfsPut'>> = {
  CREATE: createPath,
  RENAME: renamePath,
  RENEWDELEGATIONTOKEN: renewDelegationToken,
  CANCELDELEGATIONTOKEN: cancelDelegationToken,

  MKDIRS: async ({ fileSystem }, { params: { path, permission } }) => {
    await directoriesOf(fileSystem).mkdirs(
      parsePath(path),
      permission === undefined ? {} : { permission: parseOctal(permission) },
    )
    return toBooleanResponse(true)
  },

  SETPERMISSION: async ({ fileSystem }, { params: { path, permission } }) => {
    const bits = permission === undefined ? defaultDirectoryPermission : parseOctal(permission)
    await hadoopOf(fileSystem).setPermission(parsePath(path), bits)
    return toEmptyResponse()
  },

  SETOWNER: async ({ fileSystem }, { params: { path, owner, group } }) => {
    if (owner === undefined && group === undefined) {
      throw new SluiceError('bad-parameter', 'Both owner and group are empty.')
    }
    await hadoopOf(fileSystem).setOwner(parsePath(path), { ...(owner && { owner }), ...(group && { group }) })
    return toEmptyResponse()
  },

  SETREPLICATION: async ({ fileSystem }, { params: { path, replication = 1 } }) =>
    toBooleanResponse(await hadoopOf(fileSystem).setReplication(parsePath(path), replication)),

  SETTIMES: async ({ fileSystem }, { params: { path, modificationtime = -1, accesstime = -1 } }) => {
    await hadoopOf(fileSystem).setTimes(parsePath(path), {
      ...(modificationtime >= 0 && { modificationTime: modificationtime }),
      ...(accesstime >= 0 && { accessTime: accesstime }),
    })
    return toEmptyResponse()
  },
}

const posts: Table<WebHdfsCall<'webHdfsPost'>['params']['op'], WebHdfsHandler<'webHdfsPost'>> = { APPEND: appendPath }

const deletes: Table<WebHdfsCall<'webHdfsDelete'>['params']['op'], WebHdfsHandler<'webHdfsDelete'>> = {
  DELETE: async ({ fileSystem }, { params: { path, recursive } }) =>
    toBooleanResponse(await fileSystem.delete(parsePath(path), { recursive })),
}

/** What answers the four operations of the contract. */
export type WebHdfs = {
  readonly webHdfsGet: Read<'webHdfsGet'>
  readonly webHdfsPut: Write<WebHdfsCall<'webHdfsPut'>['params']>
  readonly webHdfsPost: Write<WebHdfsCall<'webHdfsPost'>['params']>
  readonly webHdfsDelete: Write<WebHdfsCall<'webHdfsDelete'>['params']>
}

/** Makes them. */
export const createWebHdfs = (context: Omit<WebHdfsContext, 'tell'>): WebHdfs => ({
  webHdfsGet: (call, toBodyOptions) =>
    (gets[call.params.op] ?? passOn)({ ...context, toBodyOptions, tell: () => {} }, call),
  webHdfsPut: (call, tell) => {
    const { op, destination } = call.params
    tell({ operation: op, ...(destination !== undefined && { destination }) })
    return (puts[op] ?? passOn)({ ...context, tell }, call)
  },
  webHdfsPost: (call, tell) => {
    tell({ operation: call.params.op })
    return (posts[call.params.op] ?? passOn)({ ...context, tell }, call)
  },
  webHdfsDelete: (call, tell) => {
    tell({ operation: call.params.op })
    return (deletes[call.params.op] ?? passOn)({ ...context, tell }, call)
  },
})
