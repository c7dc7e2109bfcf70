import { expect, test } from 'vitest'
import { createFinishedLogs, maxNotes } from '../../../../src/spool/takeover/finished-logs.ts'
import { lookAround } from '../../../../src/spool/takeover/look-around.ts'
import { type Owner, parseOwner } from '../../../../src/spool/takeover/owners.ts'
import { listAll } from '../../../suites/list-all.ts'
import { createMemoryHdfs } from '../../../suites/memory-hdfs.ts'

const root = '/events/_log'
const taker = 'f'.repeat(32)

const ownerOf = (n: number): Owner =>
  parseOwner(`${String(n).padStart(32, '0')}.${taker}`) ?? expect.unreachable(`${n}`)

/** Logs of which nothing is left but the note; the first one is the oldest. */
const start = async (count: number) => {
  const hdfs = createMemoryHdfs()
  const owners = Array.from({ length: count }, (_, n) => ownerOf(n))
  for (const [n, { name }] of owners.entries()) {
    await hdfs.memory.create(`${root}/${name}/taken`, new Blob(['{"segments":{}}']).stream())
    await hdfs.memory.setTimes(`${root}/${name}`, { modificationTime: 1_000 + n })
  }
  const finished = createFinishedLogs(hdfs, root)
  const look = () => lookAround(hdfs, '/events', taker, log => finished.has(log))
  return { hdfs, owners, finished, look }
}

test('a log that changes after it was found to be finished is looked at again', async () => {
  const { hdfs, owners, finished, look } = await start(1)
  const [owner = ownerOf(0)] = owners
  expect((await look()).owners).toEqual(owners)
  expect(await finished.isLeft(owner)).toBe(false)
  expect((await look()).owners).toEqual([])
  await hdfs.memory.create(`${root}/${owner.name}/ledger`, new Blob(['x']).stream())
  await hdfs.memory.setTimes(`${root}/${owner.name}`, { modificationTime: 9_000 })
  expect((await look()).owners).toEqual(owners)
  expect(await finished.isLeft(owner)).toBe(true)
})

test('so many notes stay for owners that have not come back; the oldest ones go, but not what has got more since', async () => {
  const { hdfs, owners, finished, look } = await start(maxNotes + 3)
  for (const owner of owners) await finished.isLeft(owner)
  const around = await look()
  await hdfs.memory.create(`${root}/${ownerOf(1).name}/ledger`, new Blob(['x']).stream())
  await finished.forgetOldest(around.finished)
  const left = (await listAll(hdfs, root)).map(({ path }) => path.slice(root.length + 1))
  expect(left.toSorted()).toEqual([ownerOf(1), ...owners.slice(3)].map(({ name }) => name))
})
