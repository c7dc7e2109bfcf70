import { refusal } from '../cluster/steps.ts'
import type { Directories } from '../filesystem.ts'
import { isInside } from '../path.ts'
import type { S3Client } from './client.ts'
import type { ConditionProof } from './condition.ts'
import { copyObject } from './copy-object.ts'
import { deleteUnchanged } from './delete-keys.ts'
import { hasKeysBelow, headObject } from './objects.ts'
import { toDirectoryKey } from './place.ts'
import { refuseFileAbove } from './write/refuse-blocked.ts'

/**
 * Makes what a store has of directories: an empty one is an empty object whose key ends with `/`, and a file gets another
 * name by a copy. Paths are as `parsePath` returns them.
 */
export const createS3Directories = (client: S3Client, proof: ConditionProof): Directories => ({
  async mkdirs(path) {
    if (path === '/') return
    await Promise.all([refuseFile(client, path), refuseFileAbove(client, path, 'create')])
    if (await hasKeysBelow(client, path, 'create')) return
    const call = { method: 'PUT', key: toDirectoryKey(client.place, path), body: Buffer.alloc(0) } as const
    await client.call({ ...call, path, action: 'create', repeatable: true }, ({ body }) => body.cancel())
  },

  /**
   * Of a file alone, and in steps: a copy in the store, a look at it, the end of the source. Who stops in between leaves
   * both, and never none. A source that is written anew after the copy stays, as if it were written after the rename.
   */
  async rename(source, target, { overwrite = false } = {}) {
    const found = await headObject(client, source, 'rename')
    if (!found) await refuseSource(client, source, target)
    else {
      await refuseTarget(client, source, target, overwrite)
      await proof.admit({ path: target, overwrite })
      await copyObject(client, { source, target, found, overwrite })
      await deleteUnchanged(client, source, found.etag)
    }
  },
})

const refuseFile = async (client: S3Client, path: string): Promise<void> => {
  if (await headObject(client, path, 'create')) throw refusal('not-directory', path, 'create', 'it is a file')
}

const refuseSource = async (client: S3Client, source: string, target: string): Promise<never> => {
  if (source === '/' || (target !== source && isInside(target, source))) {
    throw refusal('bad-path', source, 'rename', 'it cannot be moved into itself')
  }
  if (await hasKeysBelow(client, source, 'rename')) {
    const reason =
      'a directory of an object store is what its keys begin with, and each of them would have to be copied'
    throw refusal('unsupported', source, 'rename', reason)
  }
  throw refusal('not-found', source, 'rename', 'there is no such file or directory')
}

const refuseTarget = async (client: S3Client, source: string, target: string, overwrite: boolean): Promise<void> => {
  if (target === source) throw refusal('exists', target, 'rename to', 'it exists already')
  if (target === '/') throw refusal(overwrite ? 'is-directory' : 'exists', target, 'rename to', 'it is a directory')
  await refuseFileAbove(client, target, 'rename to')
  if (await headObject(client, target, 'rename to')) {
    if (!overwrite) throw refusal('exists', target, 'rename to', 'it exists already')
  } else if (await hasKeysBelow(client, target, 'rename to')) {
    if (overwrite) throw refusal('is-directory', target, 'replace', 'it is a directory')
    throw refusal('exists', target, 'rename to', 'it exists already')
  }
}
