import type { HadoopVerbs } from '../hadoop-verbs.ts'
import { checkAction, checkPermission, checkReplication, checkTimes } from '../options.ts'
import { parsePath } from '../path.ts'
import type { ClusterCall } from './client.ts'
import { parseBoolean } from './members/file-status.ts'
import { get, type Operations, put } from './operations.ts'

type Attributes = Pick<HadoopVerbs, 'setPermission' | 'setOwner' | 'setReplication' | 'setTimes' | 'access'>

/** What a cluster keeps of a file beside its bytes. Each may be set twice, with the same effect. */
export const createWebHdfsAttributes = ({ client, getFileStatus }: Operations): Attributes => {
  const set = (op: string, path: string, action: string, params: ClusterCall['params'] = {}): Promise<unknown> =>
    client.json({ ...put, op, path: parsePath(path), action, params, repeatable: true })

  return {
    async setPermission(path, permission) {
      checkPermission(permission)
      await set('SETPERMISSION', path, 'set permission of', { permission: permission.toString(8) })
    },

    async setOwner(path, { owner, group }) {
      await set('SETOWNER', path, 'set owner of', { owner, group })
    },

    async setReplication(path, replication) {
      checkReplication(replication)
      const name = parsePath(path)
      const isDone = parseBoolean(await set('SETREPLICATION', name, 'set replication of', { replication }), name)
      // The same is said of what is not there.
      if (!isDone) await getFileStatus(name)
      return isDone
    },

    async setTimes(path, times) {
      checkTimes(times)
      const { modificationTime: modificationtime, accessTime: accesstime } = times
      await set('SETTIMES', path, 'set times of', { modificationtime, accesstime })
    },

    async access(path, action) {
      checkAction(action)
      const fsaction = ['r', 'w', 'x'].map((letter, at) => (action & (4 >> at) ? letter : '-')).join('')
      const call = { ...get, op: 'CHECKACCESS', path: parsePath(path), action: 'access', params: { fsaction } }
      await client.json(call)
    },
  }
}
