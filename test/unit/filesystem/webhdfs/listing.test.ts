import { expect, test } from 'vitest'
import { iterated } from '../../../../src/bytes/byte-stream.ts'
import type { Reply } from '../../../../src/filesystem/webhdfs/transport/answer.ts'
import { createWebHdfsFileSystem } from '../../../../src/filesystem/webhdfs.ts'

const entry = (pathSuffix: string) => ({
  pathSuffix,
  type: 'FILE',
  length: 1,
  modificationTime: 2,
  accessTime: 3,
  owner: 'ann',
  group: 'staff',
  permission: '644',
  replication: 3,
  blockSize: 4,
})

const toPage = (names: readonly string[], remainingEntries: number): Reply =>
  toAnswer({
    DirectoryListing: { partialListing: { FileStatuses: { FileStatus: names.map(entry) } }, remainingEntries },
  })

const toAnswer = (json: unknown, status = 200): Reply => ({
  status,
  headers: {},
  body: iterated(ReadableStream.from([new TextEncoder().encode(JSON.stringify(json))])[Symbol.asyncIterator]()),
})

/** A name node whose pages are sent when the test says so; the next page by the name that it begins after. */
const createNameNode = () => {
  const asked: string[] = []
  const aborted: string[] = []
  const answers = new Map<string, (answer: Reply) => void>()
  let onAsked = (): void => {}
  const fileSystem = createWebHdfsFileSystem({
    urls: ['http://name-node:9870'],
    maxRetries: 0,
    ask: url => {
      const after = url.searchParams.get('startAfter') ?? ''
      const { promise, resolve, reject } = Promise.withResolvers<Reply>()
      answers.set(after, resolve)
      asked.push(after)
      onAsked()
      const stop = (error: Error): void => {
        aborted.push(after)
        reject(error)
      }
      return { answer: promise, stop }
    },
  })
  return {
    asked,
    aborted,
    answer: (after: string, answer: Reply): void => answers.get(after)?.(answer),
    parts: () => fileSystem.listStatus('/d')[Symbol.asyncIterator](),
    /** Resolves when this many pages were requested. */
    untilAsked: (count: number): Promise<void> =>
      new Promise(resolve => {
        onAsked = () => {
          if (asked.length >= count) resolve()
        }
        onAsked()
      }),
  }
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise(resolve => setImmediate(resolve))
}

const namesOf = (part: IteratorResult<readonly { readonly path: string }[]>): readonly string[] =>
  part.done ? [] : part.value.map(({ path }) => path)

/** A listing whose first page has arrived, and is taken. */
const begin = async (names: readonly string[], remaining: number) => {
  const node = createNameNode()
  const parts = node.parts()
  const first = parts.next()
  await node.untilAsked(1)
  node.answer('', toPage(names, remaining))
  return { node, parts, first: namesOf(await first) }
}

test('a page is a part, and the next one is asked for while it is taken; no more than one', async () => {
  const { node, parts, first } = await begin(['a', 'b'], 3)
  expect(first).toEqual(['/d/a', '/d/b'])
  await node.untilAsked(2)
  node.answer('b', toPage(['c', 'd'], 1))
  await turns(5)
  expect(node.asked).toEqual(['', 'b'])
  expect(namesOf(await parts.next())).toEqual(['/d/c', '/d/d'])
  await node.untilAsked(3)
  node.answer('d', toPage(['e'], 0))
  expect(namesOf(await parts.next())).toEqual(['/d/e'])
  expect((await parts.next()).done).toBe(true)
  expect(node.asked).toEqual(['', 'b', 'd'])
})

test('who has enough with the first page does not ask for another', async () => {
  const { node, parts } = await begin(['a'], 1)
  await parts.return?.()
  await turns(5)
  expect(node.asked).toEqual([''])
})

test('a listing that is left takes back what it asked for', async () => {
  const { node, parts } = await begin(['a'], 1)
  await node.untilAsked(2)
  await parts.return?.()
  expect(node.aborted).toEqual(['a'])
  // An unhandled rejection would fail the test.
  await turns(5)
})

test('a page ahead that fails does so when its turn comes', async () => {
  const { node, parts, first } = await begin(['a'], 1)
  expect(first).toEqual(['/d/a'])
  await node.untilAsked(2)
  node.answer('a', toAnswer({}, 500))
  await turns(5)
  await expect(parts.next()).rejects.toMatchObject({ code: 'unavailable' })
})

test('what comes at once comes in parts all the same', async () => {
  const node = createNameNode()
  const parts = node.parts()
  const first = parts.next()
  await node.untilAsked(1)
  const names = Array.from({ length: 2_500 }, (_, index) => `n${String(index).padStart(4, '0')}`)
  node.answer('', toPage(names, 0))
  const all = [
    namesOf(await first),
    ...(await Array.fromAsync({ [Symbol.asyncIterator]: () => parts })).map(part => part.map(({ path }) => path)),
  ]
  expect(all.map(part => part.length)).toEqual([1_000, 1_000, 500])
  expect(all.flat()).toEqual(names.map(name => `/d/${name}`))
})

test('an empty directory has no part', async () => {
  const node = createNameNode()
  const first = node.parts().next()
  await node.untilAsked(1)
  node.answer('', toPage([], 0))
  expect((await first).done).toBe(true)
})
