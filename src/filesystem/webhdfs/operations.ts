/** The common part of the calls of a WebHDFS file system. */
import { type ClusterSteps, findBy, hasCode, refusal } from '../cluster/steps.ts'
import type { FileStatus, FileSystemError } from '../filesystem.ts'
import { defaultDirectoryPermission } from '../options.ts'
import type { ClusterCall, WebHdfsClient } from './client.ts'
import { parseBoolean, parseFileStatus } from './members/file-status.ts'
import type { Reply } from './transport/answer.ts'

/** How bytes are moved. */
export type TransferOptions = {
  readonly timeoutMs: number
  readonly idleTimeoutMs: number
}

/** Paths are as `parsePath` returns them. */
export type Operations = ClusterSteps & {
  readonly client: WebHdfsClient
  readonly transfer: TransferOptions
  readonly getFileStatus: (path: string, more?: Partial<ClusterCall>) => Promise<FileStatus>
  /** Asks for a data node and hands it on, {@link Again} and again while `use` says so. */
  readonly withDataNode: <T>(call: ClusterCall, use: (target: URL | Reply) => Promise<T | Again>) => Promise<T>
}

/** A data node that failed: it could not be reached, so that another one is wanted, or it may be asked again. */
export type Again = { readonly notSent: FileSystemError } | { readonly failed: FileSystemError }

/** Data nodes that are tried for one upload, download or checksum. */
export const maxDataNodes = 3

/** Operations over one client. */
export const createOperations = (client: WebHdfsClient, transfer: TransferOptions): Operations => {
  const getFileStatus = async (path: string, more: Partial<ClusterCall> = {}): Promise<FileStatus> =>
    parseFileStatus(await client.json({ ...get, op: 'GETFILESTATUS', path, action: 'look at', ...more }), path)

  return {
    client,
    transfer,
    getFileStatus,

    find: findBy(getFileStatus),

    async mkdirs(path, permission = defaultDirectoryPermission) {
      const params = { permission: permission.toString(8) }
      const call = { ...put, op: 'MKDIRS', path, action: 'create directory', params, repeatable: true }
      const json = await client.json(call).catch(error => {
        if (hasCode(error, 'exists')) throw refusal('not-directory', path, 'create directory', 'it is a file', error)
        throw error
      })
      if (!parseBoolean(json, path)) throw refusal('unavailable', path, 'create directory', 'the name node refused')
    },

    async rename(source, target, overwrite) {
      const params = { destination: target, renameoptions: overwrite ? 'OVERWRITE' : 'NONE' }
      const call = { ...put, op: 'RENAME', path: source, action: 'rename', params, repeatable: false }
      const json = await client.json(call)
      // With rename options the answer is empty; {"boolean":…} comes from servers that do not know them (HttpFS).
      if (json === undefined || parseBoolean(json, source)) return
      throw refusal('unavailable', source, 'rename', 'the name node refused')
    },

    async concat(path, source) {
      const params = { sources: source }
      await client.json({ method: 'POST', op: 'CONCAT', path, action: 'append to', params, repeatable: false })
    },

    async delete(path, recursive) {
      const call = { method: 'DELETE', op: 'DELETE', path, action: 'delete', repeatable: false } as const
      const json = await client.json({ ...call, params: { recursive } }).catch(error => {
        if (hasCode(error, 'not-found', 'not-directory')) return { boolean: false }
        throw error
      })
      return parseBoolean(json, path)
    },

    async withDataNode<T>(call: ClusterCall, use: (target: URL | Reply) => Promise<T | Again>): Promise<T> {
      const excluded: string[] = []
      for (;;) {
        const params = { ...call.params, excludedatanodes: excluded.join(',') || undefined }
        const target = await client.redirect({ ...call, params })
        const result = await use(target)
        if (!isAgain(result)) return result
        if (!('notSent' in result)) continue
        if (target instanceof URL) excluded.push(target.host)
        if (excluded.length >= maxDataNodes) throw result.notSent
      }
    },
  }
}

/** A call that changes nothing. */
export const get = { method: 'GET', repeatable: true } as const
/** A call that changes something. */
export const put = { method: 'PUT' } as const

const isAgain = <T>(result: T | Again): result is Again =>
  typeof result === 'object' && result !== null && ('notSent' in result || 'failed' in result)
