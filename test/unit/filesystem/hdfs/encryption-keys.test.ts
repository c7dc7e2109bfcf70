import { expect, test } from 'vitest'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import type { Demand } from '../../../../src/filesystem/hdfs/conf/demands.ts'
import { type Method, nameNodeMethods } from '../../../../src/filesystem/hdfs/name-node/methods.ts'
import type { NameNode } from '../../../../src/filesystem/hdfs/name-node/name-node.ts'
import { createEncryptionKeys } from '../../../../src/filesystem/hdfs/tokens/encryption-keys.ts'

const defaults = { blockSize: 1, bytesPerChecksum: 1, writePacketSize: 1, replication: 1, fileBufferSize: 1 }

/** A name node that draws another key for each call; the first ones may fail. */
const open = (encryptDataTransfer: boolean, failures = 0, demand?: Demand) => {
  const calls: string[] = []
  let keyId = -failures
  const nameNode: NameNode = {
    call: async <Request, Response>({ name, Response }: Method<Request, Response>) => {
      calls.push(name)
      if (name === 'getServerDefaults') {
        const serverDefaults = { ...defaults, encryptDataTransfer }
        return Response.decode(nameNodeMethods.getServerDefaults.Response.encode({ serverDefaults }))
      }
      if (keyId++ < 0) throw new FileSystemError('unavailable', '/', 'not now')
      const words = { keyId, blockPoolId: 'BP', nonce: Buffer.from('n'), encryptionKey: Buffer.from('k') }
      return Response.decode(nameNodeMethods.getDataEncryptionKey.Response.encode({ dataEncryptionKey: words }))
    },
    close: () => {},
  }
  return { keys: createEncryptionKeys(nameNode, demand), calls }
}

test('a cluster that does not encrypt has no key, and is asked once in a while', async () => {
  const { keys, calls } = open(false)
  expect(await Promise.all([keys.get(), keys.get()])).toEqual([undefined, undefined])
  expect(calls).toEqual(['getServerDefaults'])
})

test('where encryption is demanded a cluster that does not encrypt is refused', async () => {
  const demand = { setting: 'dfs.encrypt.data.transfer', value: 'true', qops: ['auth-conf'] } as const
  await expect(open(false, 0, demand).keys.get()).rejects.toThrow(
    'dfs.encrypt.data.transfer is true in namenode.hadoop-conf, and the name node says that it is not',
  )
  expect((await open(true, 0, demand).keys.get())?.keyId).toBe(1)
})

test('a key is fetched once for all, and again when it is refused', async () => {
  const { keys, calls } = open(true)
  const [first, second] = await Promise.all([keys.get(), keys.get()])
  expect(first).toBe(second)
  expect(calls).toEqual(['getServerDefaults', 'getDataEncryptionKey'])
  if (first === undefined) throw new Error('no key')
  keys.refused(first)
  const next = await keys.get()
  expect(next?.keyId).toBe(2)
  // An older one, refused to another call, says nothing of this one.
  keys.refused(first)
  expect(await keys.get()).toBe(next)
})

test('what fails is asked for again', async () => {
  const { keys } = open(true, 1)
  await expect(keys.get()).rejects.toThrow('not now')
  expect((await keys.get())?.keyId).toBe(1)
})
