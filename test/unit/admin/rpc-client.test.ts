import { describe, expect, test } from 'vitest'
import { createRpcClient } from '../../../admin/client/rpc-client.ts'

type Message = { readonly id: number; readonly method: string }

/** A client whose listener answers with what is made of the calls of a request. */
const clientOf = (answer: (calls: readonly Message[]) => unknown) =>
  createRpcClient({
    url: 'http://listener',
    fetch: async request => {
      const message = (await request.json()) as Message | Message[]
      return Response.json(await answer([message].flat()))
    },
  })

const toResult = ({ id, method }: Message) => ({ jsonrpc: '2.0', id, result: method })

describe('createRpcClient', () => {
  test('gives the outcomes of a batch in the order of its calls, whatever that of the answers', async () => {
    const client = clientOf(calls => calls.map(toResult).toReversed())
    const outcomes = await client.batch([{ method: 'a' }, { method: 'b' }, { method: 'c' }])
    expect(outcomes).toEqual([{ result: 'a' }, { result: 'b' }, { result: 'c' }])
  })

  test('a call without an answer is an error of its own, and does not wait', async () => {
    const client = clientOf(calls => calls.slice(1).map(toResult))
    const outcomes = await client.batch([{ method: 'a' }, { method: 'b' }])
    expect(outcomes).toMatchObject([{ error: { name: 'RpcError', code: -32603 } }, { result: 'b' }])
  })

  test('calls at the same time get their own answers', async () => {
    const waiting: (() => void)[] = []
    const client = clientOf(async ([call]) => {
      await new Promise<void>(resolve => waiting.push(resolve))
      return call && toResult(call)
    })
    const both = Promise.all([client.call('a'), client.call('b')])
    await expect.poll(() => waiting.length).toBe(2)
    for (const resolve of waiting.toReversed()) resolve()
    expect(await both).toEqual(['a', 'b'])
  })

  test('a refusal of the request as a whole is thrown', async () => {
    const client = clientOf(() => ({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'too many' } }))
    await expect(client.batch([{ method: 'a' }])).rejects.toMatchObject({ code: -32600, message: 'too many' })
    await expect(client.call('a')).rejects.toMatchObject({ code: -32600, message: 'too many' })
  })

  test.each([null, 7, 'text', {}, { id: 1, result: 1 }, { jsonrpc: '2.0', id: 99, result: 1 }])(
    '%j answers nothing',
    async answer => {
      const nothing = { name: 'RpcError', message: 'The answer is not a JSON-RPC response' }
      await expect(clientOf(() => answer).call('a')).rejects.toMatchObject(nothing)
    },
  )

  test('a result of null is a result', async () => {
    const client = clientOf(([call]) => ({ jsonrpc: '2.0', id: call?.id, result: null }))
    expect(await client.call('a')).toBeNull()
  })
})
