import type { FsServerDefaults } from '../../hadoop-verbs.ts'
import { createRecent } from '../../recent.ts'
import { type Demand, inWords } from '../conf/demands.ts'
import { createServerDefaults } from '../name-node/facts.ts'
import type { DataEncryptionKey } from '../name-node/messages.ts'
import { nameNodeMethods } from '../name-node/methods.ts'
import type { NameNode } from '../name-node/name-node.ts'
import { SaslError } from './digest-md5.ts'

/** The key by which a cluster encrypts what its data nodes send and take, where it does so (`dfs.encrypt.data.transfer`). */
export type EncryptionKeys = {
  /** Undefined where it does not. Rejects with `FileSystemError`. */
  get(): Promise<DataEncryptionKey | undefined>
  /** Whether there has to be one. */
  readonly isDemanded?: boolean
  /** Hears that a data node does not know this one any more. */
  refused(key: DataEncryptionKey): void
}

/** Of a key's ten hours, by whatever clock the cluster has. */
const keyMs = 600_000
const defaultsMs = 60_000

/**
 * Makes what asks the name node.
 * @param demand it has to encrypt
 */
export const createEncryptionKeys = (nameNode: NameNode, demand?: Demand): EncryptionKeys => {
  const defaultsOf = createServerDefaults(nameNode, createRecent<Promise<FsServerDefaults>>(defaultsMs))
  const keys = createRecent<Promise<DataEncryptionKey | undefined>>(keyMs)
  let last: DataEncryptionKey | undefined

  const ask = async (): Promise<DataEncryptionKey | undefined> => {
    const about = { action: 'get the encryption key of', path: '/' }
    const { dataEncryptionKey } = await nameNode.call(nameNodeMethods.getDataEncryptionKey, {}, about)
    if (dataEncryptionKey === undefined && demand)
      throw new SaslError(`${inWords(demand)}, and the name node has no key`)
    last = dataEncryptionKey
    return dataEncryptionKey
  }

  return {
    isDemanded: demand !== undefined,
    get: async () => {
      const { encryptDataTransfer } = await defaultsOf('/')
      if (!encryptDataTransfer && demand)
        throw new SaslError(`${inWords(demand)}, and the name node says that it is not`)
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
