import { expect, test } from 'vitest'
import { createNameNodeCalls } from '../../../../src/filesystem/hdfs/name-node/calls.ts'
import { createFacts } from '../../../../src/filesystem/hdfs/name-node/facts.ts'
import { nameNodeMethods } from '../../../../src/filesystem/hdfs/name-node/methods.ts'
import type { NameNode } from '../../../../src/filesystem/hdfs/name-node/name-node.ts'

const answering = (bytes: Uint8Array): NameNode => ({
  call: async ({ Response }) => Response.decode(bytes),
  close: () => {},
})

test('a cluster of more than 2^53 bytes tells of them, to the nearest number', async () => {
  const stats = { capacity: 2n ** 60n + 1n, used: 2n ** 53n - 1n, remaining: -1n }
  const nameNode = answering(nameNodeMethods.getFsStats.Response.encode(stats))
  const { getStatus } = createFacts(nameNode, createNameNodeCalls(nameNode), () => Promise.reject(new Error('unasked')))
  expect(await getStatus('/')).toEqual({ capacity: 2 ** 60, used: Number.MAX_SAFE_INTEGER, remaining: -1 })
})

test('a file of before 1970 is one like any other', async () => {
  const fs = {
    fileType: 2,
    path: Buffer.from('old'),
    length: 1,
    permission: { perm: 0o644 },
    owner: 'o',
    group: 'g',
    modificationTime: -86_400_000,
    accessTime: -1,
  }
  const nameNode = answering(nameNodeMethods.getFileInfo.Response.encode({ fs }))
  expect(await createNameNodeCalls(nameNode).getFileStatus('/old')).toMatchObject({
    modificationTime: -86_400_000,
    accessTime: -1,
  })
})
