/** The calls of a name node in the words of this file system. Paths are as `parsePath` returns them. */
import { isRefusedAgain } from '../../cluster/failover.ts'
import type { ListPage } from '../../cluster/list-directory.ts'
import { type ClusterSteps, findBy, hasCode, refusal } from '../../cluster/steps.ts'
import type { FileStatus } from '../../filesystem.ts'
import { defaultDirectoryPermission } from '../../options.ts'
import { fileStatusOf } from './file-status.ts'
import { nameNodeMethods } from './methods.ts'
import type { CallSubject, NameNode } from './name-node.ts'

export type NameNodeCalls = ClusterSteps & {
  readonly getFileStatus: (path: string, more?: Partial<CallSubject>) => Promise<FileStatus>
  readonly listPage: ListPage
}

export const createNameNodeCalls = (nameNode: NameNode): NameNodeCalls => {
  const getFileStatus = async (path: string, more: Partial<CallSubject> = {}): Promise<FileStatus> => {
    const { fs } = await nameNode.call(nameNodeMethods.getFileInfo, { src: path }, { action: 'look at', path, ...more })
    if (fs === undefined) throw notFound(path, more.action ?? 'look at')
    return fileStatusOf(fs, path)
  }

  return {
    getFileStatus,
    find: findBy(getFileStatus),

    async listPage(path, startAfter = '', signal) {
      const request = { src: path, startAfter: Buffer.from(startAfter), needLocation: false }
      const { dirList } = await nameNode.call(nameNodeMethods.getListing, request, { action: 'list', path, signal })
      if (dirList === undefined) throw notFound(path, 'list')
      const { partialListing, remainingEntries } = dirList
      return { entries: partialListing.map(status => fileStatusOf(status, path)), remaining: remainingEntries }
    },

    async mkdirs(path, permission = defaultDirectoryPermission) {
      const action = 'create directory'
      const request = { src: path, masked: { perm: permission }, createParent: true }
      const { result } = await nameNode.call(nameNodeMethods.mkdirs, request, { action, path }).catch(error => {
        if (hasCode(error, 'exists')) throw refusal('not-directory', path, action, 'it is a file', error)
        throw error
      })
      if (!result) throw refusal('unavailable', path, action, 'the name node refused')
    },

    async rename(source, target, overwrite) {
      const request = { src: source, dst: target, overwriteDest: overwrite }
      await nameNode.call(nameNodeMethods.rename2, request, { action: 'rename', path: source }).catch(error => {
        if (!isRefusedAgain(error) || !hasCode(error, 'not-found')) throw error
        // Without a retry cache: it is not there any more, perhaps because it has its new name.
        throw refusal('unavailable', source, 'rename', 'an answer was lost, and it is gone', error)
      })
    },

    async concat(target, source) {
      await nameNode.call(
        nameNodeMethods.concat,
        { trg: target, srcs: [source] },
        { action: 'append to', path: target },
      )
    },

    async delete(path, recursive) {
      const answer = nameNode.call(nameNodeMethods.delete, { src: path, recursive }, { action: 'delete', path })
      const { result } = await answer.catch(error => {
        if (hasCode(error, 'not-found', 'not-directory')) return { result: false }
        throw error
      })
      return result
    },
  }
}

/** A name node says so by an empty answer, where it says nothing else. */
export const notFound = (path: string, action: string): ReturnType<typeof refusal> =>
  refusal('not-found', path, action, `File does not exist: ${path}`)
