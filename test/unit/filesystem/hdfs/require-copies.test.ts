import { expect, test } from 'vitest'
import { untilCopied } from '../../../../src/filesystem/hdfs/files/require-copies.ts'

/** A file of two blocks, of which the name node knows more copies each time. */
const ask = async (minReplication: number | undefined, replication: number, growing: readonly number[]) => {
  let calls = 0
  const getFileBlockLocations = async () => {
    const copies = growing[calls++] ?? growing.at(-1) ?? 0
    return [3, copies].map((count, at) => ({
      offset: at,
      length: 1,
      hosts: [],
      names: Array.from({ length: count }, String),
    }))
  }
  const wanted = minReplication === undefined ? { replication } : { minReplication, replication }
  await untilCopied({ getFileBlockLocations }, '/f', wanted, undefined)
  return calls
}

test('a file that a data node wrote is complete once enough nodes have each block', async () => {
  expect(await ask(2, 3, [0, 1, 2])).toBe(3)
  expect(await ask(3, 2, [1, 2])).toBe(2)
  expect(await ask(2, 1, [0])).toBe(0)
  expect(await ask(undefined, 3, [0])).toBe(0)
})

test('one that has too few when nothing is waited for any more is refused', async () => {
  const aborter = new AbortController()
  const getFileBlockLocations = async () => {
    aborter.abort(new Error('enough'))
    return [{ offset: 0, length: 1, hosts: [], names: ['1'] }]
  }
  const waiting = untilCopied({ getFileBlockLocations }, '/f', { minReplication: 2, replication: 3 }, aborter.signal)
  await expect(waiting).rejects.toThrow('/f')
})
