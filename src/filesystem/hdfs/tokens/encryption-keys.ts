import type { FsServerDefaults } from '../../hadoop-verbs.ts'
import { createRecent } from '../../recent.ts'
import { createServerDefaults } from '../name-node/facts.ts'
import type { DataEncryptionKey } from '../name-node/messages.ts'
import { nameNodeMethods } from '../name-node/methods.ts'
import type { NameNode } from '../name-node/name-node.ts'

/** The key by which a cluster encrypts what its data nodes send and take, where it does so (`dfs.encrypt.data.transfer`). */
export type EncryptionKeys = {
  /** Undefined where it does not. Rejects with `FileSystemError`. */
  get(): Promise<DataEncryptionKey | undefined>
  /** Hears that a data node does not know this one any more. */
  refused(key: DataEncryptionKey): void
}

/** Of a key's ten hours, by whatever clock the cluster has. */
const keyMs = 600_000
const defaultsMs = 60_000

/** Makes what asks the name node. */
export const createEncryptionKeys = (nameNode: NameNode): EncryptionKeys => {
  const defaultsOf = createServerDefaults(nameNode, createRecent<Promise<FsServerDefaults>>(defaultsMs))
  const keys = createRecent<Promise<DataEncryptionKey | undefined>>(keyMs)
  let last: DataEncryptionKey | undefined

  const ask = async (): Promise<DataEncryptionKey | undefined> => {
    const about = { action: 'get the encryption key of', path: '/' }
    const { dataEncryptionKey } = await nameNode.call(nameNodeMethods.getDataEncryptionKey, {}, about)
    last = dataEncryptionKey
    return dataEncryptionKey
  }

  return {
    get: async () => {
      const { encryptDataTransfer } = await defaultsOf('/')
      if (!encryptDataTransfer) return undefined
      const known = keys.find('')
      if (known) return await known
      const asked = ask()
      asked.catch(() => keys.forget(''))
      return await keys.add('', asked)
    },
    refused: key => {
      if (key === last) keys.forget('')
    },
  }
}
