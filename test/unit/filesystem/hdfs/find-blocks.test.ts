import { expect, test } from 'vitest'
import { findBlocks } from '../../../../src/filesystem/hdfs/name-node/find-blocks.ts'
import { type LocatedBlocks, removedLength } from '../../../../src/filesystem/hdfs/name-node/messages.ts'
import { nameNodeMethods } from '../../../../src/filesystem/hdfs/name-node/methods.ts'
import type { NameNode } from '../../../../src/filesystem/hdfs/name-node/name-node.ts'
import { expectCode } from '../../../suites/filesystem.ts'

/** A file of blocks that are so long. */
const fileOf = (...lengths: readonly number[]): LocatedBlocks => ({
  fileLength: 10,
  blocks: lengths.map((numBytes, at) => ({
    b: { poolId: 'p', blockId: BigInt(at), generationStamp: 1n, numBytes },
    offset: 10 * at,
    locs: [],
    corrupt: false,
    blockToken: { identifier: Buffer.of(), password: Buffer.of(), kind: '', service: '' },
    storageTypes: [],
    storageIDs: [],
  })),
  underConstruction: false,
  isLastBlockComplete: true,
})

/** Answers in this order, the last one again and again. */
const answering = (...answers: readonly (LocatedBlocks | undefined)[]) => {
  let asked = 0
  const nameNode: NameNode = {
    call: async ({ Response }) => {
      const locations = answers[Math.min(asked++, answers.length - 1)]
      return Response.decode(nameNodeMethods.getBlockLocations.Response.encode({ locations }))
    },
    close: () => {},
  }
  const find = () => findBlocks(nameNode, { offset: 0, length: 10 }, { action: 'open', path: '/f' })
  return { find, asked: () => asked }
}

const removed = fileOf(10, removedLength)

test.for([
  { of: 'a file', answers: [fileOf(10, 10)], asked: 1 },
  { of: 'one that takes the place of one that is removed', answers: [removed, removed, fileOf(7)], asked: 3 },
  { of: 'what is gone', answers: [removed, undefined], asked: 2 },
  { of: 'nothing', answers: [undefined], asked: 1 },
])('the blocks of $of', async ({ answers, asked }) => {
  const nameNode = answering(...answers)
  expect((await nameNode.find())?.blocks).toEqual(answers.at(-1)?.blocks)
  expect(nameNode.asked()).toBe(asked)
})

test('permanently removed blocks are not asked for endlessly', async () => {
  const nameNode = answering(removed)
  await expectCode(nameNode.find(), 'unavailable')
  expect(nameNode.asked()).toBe(5)
})
