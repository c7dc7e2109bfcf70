import type { HadoopVerbs } from '../../hadoop-verbs.ts'
import { checkAction, checkPermission, checkReplication, checkTimes } from '../../options.ts'
import { parsePath } from '../../path.ts'
import type { NameNodeCalls } from './calls.ts'
import { nameNodeMethods } from './methods.ts'
import type { NameNode } from './name-node.ts'

type Attributes = Pick<HadoopVerbs, 'setPermission' | 'setOwner' | 'setReplication' | 'setTimes' | 'access'>

/** What a cluster keeps of a file beside its bytes. */
export const createAttributes = (nameNode: NameNode, { getFileStatus }: NameNodeCalls): Attributes => ({
  async setPermission(path, permission) {
    checkPermission(permission)
    const src = parsePath(path)
    const about = { action: 'set permission of', path: src }
    await nameNode.call(nameNodeMethods.setPermission, { src, permission: { perm: permission } }, about)
  },

  async setOwner(path, { owner, group }) {
    const src = parsePath(path)
    await nameNode.call(
      nameNodeMethods.setOwner,
      { src, username: owner, groupname: group },
      { action: 'set owner of', path: src },
    )
  },

  async setReplication(path, replication) {
    checkReplication(replication)
    const src = parsePath(path)
    const about = { action: 'set replication of', path: src }
    const { result } = await nameNode.call(nameNodeMethods.setReplication, { src, replication }, about)
    // The same is said of what is not there.
    if (!result) await getFileStatus(src)
    return result
  },

  async setTimes(path, times, { timeoutMs } = {}) {
    checkTimes(times)
    const src = parsePath(path)
    const request = { src, mtime: BigInt(times.modificationTime ?? -1), atime: BigInt(times.accessTime ?? -1) }
    await nameNode.call(nameNodeMethods.setTimes, request, { action: 'set times of', path: src, timeoutMs })
  },

  async access(path, action) {
    checkAction(action)
    const name = parsePath(path)
    await nameNode.call(nameNodeMethods.checkAccess, { path: name, mode: action }, { action: 'access', path: name })
  },
})
