import { expect, test } from 'vitest'
import {
  exportRefusedEvents,
  findRefusedIds,
  listRefusedEvents,
  replayRefusedEvents,
} from '../../../../admin/cli/events/refused.ts'
import { createRefusedNotes } from '../../../../admin/cli/events/refused-notes.ts'
import { createRpcClient } from '../../../../admin/client/rpc-client.ts'

type Operation = (...args: readonly never[]) => unknown
type Call = {
  readonly id: unknown
  readonly method: string
  readonly params: { readonly operation: string; readonly arguments: readonly never[] }
}

/** A management whose bean of refused events does these. */
const createRpc = (operations: Readonly<Record<string, Operation>>) => {
  const calls: string[] = []
  const answer = ({ method, params }: Call): unknown => {
    if (method === 'version') return { vendor: 'sluice' }
    calls.push(params.operation)
    return operations[params.operation]?.(...params.arguments)
  }
  const rpc = createRpcClient({
    url: 'http://127.0.0.1',
    fetch: async request => {
      const call = (await request.json()) as Call
      return Response.json({ jsonrpc: '2.0', id: call.id, result: answer(call) })
    },
  })
  return { rpc, calls }
}

const count = 25_000
/** The newest first. */
const ids = Array.from({ length: count }, (_, i) => `id-${String(count - i).padStart(6, '0')}`)

const list = (_types: unknown, _code: unknown, _from: unknown, _to: unknown, before: string, limit: number) => {
  const start = before === '' ? 0 : ids.indexOf(before) + 1
  const rows = ids.slice(start, start + limit).map(id => ({ id }))
  const last = rows.at(-1)?.id
  return {
    rows,
    waiting: 3,
    ...(start + limit < count && { next: last }),
    ...(start > 0 && { unreadable: [{ path: '/f', reason: 'cut' }] }),
  }
}

test('findRefusedIds continues to the last page, and gives the oldest first', async () => {
  const { rpc, calls } = createRpc({ list })
  const notes = createRefusedNotes()
  const progress: number[] = []
  const found = await findRefusedIds(rpc, { types: [] }, notes.hear, n => void progress.push(n))
  expect(found).toEqual(ids.toReversed())
  expect(progress.at(-1)).toBe(count)
  expect(calls.length).toBe(count / 5_000)
  expect(notes.unreadable).toEqual([{ path: '/f', reason: 'cut' }])
  expect(notes.lines()).toEqual([
    '/f cannot be read to its end: cut',
    '3 more refused events are not in a file yet: `sluice flush now` takes them there.',
  ])
})

test('replayRefusedEvents asks for all of them in their order, 200 at most at once', async () => {
  const asked: (readonly string[])[] = []
  const replay = (some: readonly string[]) => {
    asked.push(some)
    return { outcomes: some.map(id => ({ id, outcome: 'accepted', accepted: 1, detail: '' })) }
  }
  const wanted = ids.toReversed()
  const outcomes = await replayRefusedEvents(createRpc({ replay }).rpc, wanted)
  expect(outcomes.map(({ id }) => id)).toEqual(wanted)
  expect(asked.flat()).toEqual(wanted)
  expect(Math.max(...asked.map(({ length }) => length))).toBe(200)
})

test('replayRefusedEvents asks first again for what there was no time for', async () => {
  const asked: (readonly string[])[] = []
  const replay = (some: readonly string[]) => {
    asked.push(some)
    return { outcomes: some.map((id, i) => ({ id, outcome: i < 150 ? 'before' : 'failed', accepted: 0, detail: '' })) }
  }
  const wanted = ids.slice(0, 500)
  expect((await replayRefusedEvents(createRpc({ replay }).rpc, wanted)).map(({ id }) => id)).toEqual(wanted)
  expect(asked[1]?.slice(0, 50)).toEqual(wanted.slice(150, 200))
  expect(asked.every(({ length }) => length <= 200)).toBe(true)
})

test('replayRefusedEvents ends where nothing gets in, and says how many are', async () => {
  let calls = 0
  const replay = (some: readonly string[]) => ({
    outcomes: some.map(id => ({ id, outcome: calls++ < 200 ? 'accepted' : 'failed', accepted: 0, detail: 'drained' })),
  })
  await expect(replayRefusedEvents(createRpc({ replay }).rpc, ids.slice(0, 300))).rejects.toThrow(
    '200 of 300 were replayed, then: drained',
  )
})

test('pages end where there is no next one', async () => {
  const { rpc } = createRpc({ list, export: list })
  for (const read of [listRefusedEvents, exportRefusedEvents]) {
    const found = await Array.fromAsync(read(rpc, { types: ['Order'] }))
    expect(found).toHaveLength(count)
  }
})
