import { describe, expect, test } from 'vitest'
import { effectOf } from '../../../../src/filesystem/cluster/remote-exception.ts'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { createAttributes } from '../../../../src/filesystem/hdfs/name-node/attributes.ts'
import { createNameNodeCalls } from '../../../../src/filesystem/hdfs/name-node/calls.ts'
import { nameNodeMethods } from '../../../../src/filesystem/hdfs/name-node/methods.ts'
import { clientProtocol, createNameNode } from '../../../../src/filesystem/hdfs/name-node/name-node.ts'
import { createHadoopRpc, type HadoopRpcOptions, type Identities } from '../../../../src/filesystem/hdfs/rpc/client.ts'
import { believed } from '../../../../src/filesystem/hdfs/tokens/identities.ts'
import { expectCode } from '../../../suites/file-text.ts'
import { type CallAnswer, fakeNameNode, type SeenCall, toAnswer } from './fake-nodes.ts'

const identities: Identities = { of: () => ({ user: 'ann' }), refused: () => false }
const done = nameNodeMethods.delete.Response.encode({ result: true })
const about = { action: 'delete', path: '/a' }

const open = async (
  answers: readonly ((call: SeenCall) => CallAnswer | Promise<CallAnswer>)[],
  options: Partial<HadoopRpcOptions> = {},
) => {
  const [first, ...others] = await Promise.all(answers.map(fakeNameNode))
  if (!first) throw new Error('no node')
  const client = createHadoopRpc({
    addresses: [first.address, ...others.map(({ address }) => address)],
    protocol: clientProtocol,
    identities,
    peer: 'name node',
    timeoutMs: 10_000,
    sleep: async () => {},
    ...options,
  })
  const nameNode = createNameNode(client)
  const remove = (more = {}) =>
    nameNode.call(nameNodeMethods.delete, { src: '/a', recursive: false }, { ...about, ...more })
  return { nodes: [first, ...others], nameNode, remove, first }
}

describe('calls', () => {
  test('many go over one connection, and each gets its own answer, in whatever order', async () => {
    const waiting: { readonly call: SeenCall; readonly text: string }[] = []
    const { nameNode, first } = await open([
      call => {
        waiting.push({ call, text: nameNodeMethods.delete.Request.decode(call.request).src })
        if (waiting.length < 20) return undefined
        for (const one of waiting.reverse()) {
          const result = Number(one.text) % 2 === 0
          one.call.raw(toAnswer(one.call.callId, nameNodeMethods.delete.Response.encode({ result })))
        }
        return undefined
      },
    ])
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        nameNode.call(nameNodeMethods.delete, { src: String(at), recursive: false }, about),
      ),
    )
    expect(answers.map(({ result }) => result)).toEqual(Array.from({ length: 20 }, (_, at) => at % 2 === 0))
    expect(first.connections()).toBe(1)
    expect(new Set(first.calls.map(({ callId }) => callId)).size).toBe(20)
  })

  test('one whose answer was lost is sent again as the same one, so that it is done once', async () => {
    const { remove, first } = await open([
      call => {
        if (call.retryCount === 0) call.cut()
        return call.retryCount === 0 ? undefined : done
      },
    ])
    expect(await remove()).toEqual({ result: true })
    const [before, after] = first.calls
    expect(first.calls).toHaveLength(2)
    expect(after).toMatchObject({ callId: before?.callId, clientId: before?.clientId, retryCount: 1 })
  })

  test('a source that is missing once an answer was lost is not believed: without a retry cache it was renamed', async () => {
    for (const [isLost, code] of [
      [true, 'unavailable'],
      [false, 'not-found'],
    ] as const) {
      const { nameNode } = await open([
        call => {
          if (!isLost || call.retryCount > 0) return { exception: 'java.io.FileNotFoundException' }
          call.cut()
          return undefined
        },
      ])
      await expectCode(createNameNodeCalls(nameNode).rename('/a', '/b', false), code)
    }
  })

  test('a name node in standby hands over to the next, which is asked first from then on', async () => {
    const { remove, nodes } = await open([
      () => ({ exception: 'org.apache.hadoop.ipc.StandbyException', message: 'state standby' }),
      () => done,
    ])
    await remove()
    await remove()
    expect(nodes.map(({ calls }) => calls.length)).toEqual([1, 2])
  })

  test('one that has less time than others is made of the next name node then', async () => {
    const { nameNode, nodes } = await open([() => undefined, () => nameNodeMethods.setTimes.Response.encode({})], {
      timeoutMs: 600_000,
    })
    const attributes = createAttributes(nameNode, createNameNodeCalls(nameNode))
    await attributes.setTimes('/alive', { modificationTime: 1 }, { timeoutMs: 20 })
    expect(nodes.map(({ calls }) => calls.length)).toEqual([1, 1])
  })

  const standby = { exception: 'org.apache.hadoop.ipc.StandbyException' }

  test.for<readonly [string, (call: SeenCall) => CallAnswer]>([
    ['in standby as well', () => standby],
    [
      'gone',
      call => {
        call.cut()
        return undefined
      },
    ],
  ])('one that stands by beside one that is %s is waited for until it is active', async ([, other]) => {
    let rounds = 0
    const sleep = async (): Promise<void> => void rounds++
    const { remove } = await open([other, () => (rounds < 300 ? standby : done)], { sleep, now: () => 0 })
    // Each of them changes which one is asked next, for the others too.
    const calls = Array.from({ length: 16 }, () => remove())
    expect(await Promise.all(calls)).toEqual(calls.map(() => ({ result: true })))
    expect(rounds).toBeGreaterThanOrEqual(300)
  })

  test.for<readonly [string, Partial<HadoopRpcOptions>, number, number]>([
    ['a whole minute', {}, 60, 2],
    ['no second time where that was asked for', { maxRetries: 0 }, 1, 2],
    ['as often as another error where it is the only one', {}, 5, 1],
  ])('that nobody is active is believed after %s', async ([, options, count, nodeCount]) => {
    let seconds = 0
    const answer = (): CallAnswer => standby
    const { remove, first } = await open(
      Array.from({ length: nodeCount }, () => answer),
      { sleep: async () => void seconds++, now: () => seconds * 1_000, ...options },
    )
    await expectCode(remove(), 'unavailable')
    expect(first.calls.length).toBeGreaterThanOrEqual(count)
    expect(first.calls.length).toBeLessThanOrEqual(count + 1)
  })

  test.for([
    ['java.io.FileNotFoundException', 'not-found'],
    ['org.apache.hadoop.security.AccessControlException', 'denied'],
    ['org.apache.hadoop.hdfs.protocol.NSQuotaExceededException', 'quota-exceeded'],
    ['org.apache.hadoop.fs.FileAlreadyExistsException', 'exists'],
    ['java.io.IOException', 'unavailable'],
    ['', 'unavailable'],
  ] as const)('%s is %s, with its first line and once', async ([exception, code]) => {
    const { remove, first } = await open([() => ({ exception, message: '/a is not for you' })])
    await expectCode(remove(), code)
    await expect(remove()).rejects.toThrow(/^Cannot delete "\/a": \/a is not for you$/)
    expect(first.calls).toHaveLength(2)
  })

  test.for(['RetriableException', 'SafeModeException'])(
    '%s is worth another attempt, but not endlessly',
    async name => {
      const { remove, first } = await open([() => ({ exception: `org.apache.hadoop.${name}` })])
      await expectCode(remove({ maxRetries: 2 }), 'unavailable')
      expect(first.calls).toHaveLength(3)
    },
  )

  test('an error for a call that is not awaited any more is dropped, and the others keep their answers', async () => {
    const { remove, first } = await open([
      call => {
        call.raw(toAnswer(1_000, { exception: 'java.io.FileNotFoundException' }))
        return done
      },
    ])
    expect(await remove()).toEqual({ result: true })
    expect(await remove()).toEqual({ result: true })
    expect(first.calls.map(({ retryCount }) => retryCount)).toEqual([0, 0])
    expect(first.connections()).toBe(1)
  })

  test('a fatal answer to one call leaves the others unknown: they are sent again', async () => {
    const { remove, first } = await open([
      call => {
        if (call.callId === 0) return call.retryCount === 0 ? undefined : done
        return { exception: 'org.apache.hadoop.security.AccessControlException', message: 'no', fatal: true }
      },
    ])
    const other = remove()
    await expect.poll(() => first.calls.length).toBe(1)
    await expectCode(remove(), 'denied')
    expect(await other).toEqual({ result: true })
    expect(first.calls.map(({ callId, retryCount }) => [callId, retryCount])).toEqual([
      [0, 0],
      [1, 0],
      [0, 1],
    ])
  })

  test('a connection that is not let in refuses all that was sent', async () => {
    const { remove } = await open([
      call => {
        call.raw(toAnswer(-1 >>> 0, { exception: 'org.apache.hadoop.security.AccessControlException', fatal: true }))
        return undefined
      },
    ])
    await expectCode(remove(), 'denied')
  })

  test('a fatal answer ends the connection, and says why', async () => {
    const { remove } = await open([
      () => ({ exception: 'org.apache.hadoop.security.AccessControlException', message: 'SIMPLE is off', fatal: true }),
    ])
    await expect(remove()).rejects.toThrow('SIMPLE is off')
  })

  test('no answer in time is unavailable, and an abort ends the wait', async () => {
    const { remove } = await open([() => undefined])
    await expect(remove({ timeoutMs: 20, maxRetries: 0 })).rejects.toThrow(
      /name node 127\.0\.0\.1:\d+ failed with ETIMEDOUT/,
    )
    const controller = new AbortController()
    const call = remove({ signal: controller.signal })
    controller.abort(new Error('enough'))
    await expectCode(call, 'unavailable')
  })

  test.for([
    ['more than 16 MiB', Buffer.from('01000001', 'hex'), /broke the protocol: hrpc: an answer of 16777217 bytes/],
    ['what is no message', Buffer.from('0000000401020304', 'hex'), /broke the protocol: protobuf/],
  ] as const)('an answer of %s ends the connection and names the node', async ([, bytes, reason]) => {
    const { remove } = await open([
      call => {
        call.raw(bytes)
        return undefined
      },
    ])
    await expect(remove({ maxRetries: 0 })).rejects.toThrow(reason)
  })

  test('a malformed response names message and field', async () => {
    const { remove } = await open([() => new Uint8Array(0)])
    await expect(remove()).rejects.toThrow(/the name node broke the protocol: protobuf: DeleteResponseProto\.result/)
  })

  test('where it cannot be said who calls, nothing is sent', async () => {
    const unnamed = believed(undefined)(undefined)
    const { remove, first } = await open([() => done], { identities: unnamed, maxRetries: 0 })
    await expect(remove()).rejects.toThrow(/cannot be asked: the user of this process has no name: set namenode\.user/)
    await expect(remove()).rejects.toSatisfy(error => error instanceof FileSystemError && effectOf(error) === 'no')
    expect(first.calls).toEqual([])
  })

  test('a missing server is unavailable', async () => {
    const { remove } = await open([() => done], { addresses: [{ host: '127.0.0.1', port: 1 }] })
    await expect(remove({ maxRetries: 1 })).rejects.toThrow(/failed with ECONNREFUSED/)
  })
})
