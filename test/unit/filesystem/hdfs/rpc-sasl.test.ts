import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Demand } from '../../../../src/filesystem/hdfs/conf/demands.ts'
import { nameNodeMethods } from '../../../../src/filesystem/hdfs/name-node/methods.ts'
import { clientProtocol, createNameNode } from '../../../../src/filesystem/hdfs/name-node/name-node.ts'
import { delimited } from '../../../../src/filesystem/hdfs/protobuf/message.ts'
import { ProtobufReader } from '../../../../src/filesystem/hdfs/protobuf/reader.ts'
import { createHadoopRpc, type Identities } from '../../../../src/filesystem/hdfs/rpc/client.ts'
import {
  IpcConnectionContext,
  RequestHeader,
  RpcRequestHeader,
  RpcResponseHeader,
  RpcSasl,
  rpcStatus,
  saslCallId,
  saslState,
} from '../../../../src/filesystem/hdfs/rpc/messages.ts'
import { believed, holder } from '../../../../src/filesystem/hdfs/tokens/identities.ts'
import { encodeHadoopToken } from '../../../../src/formats/hadoop-token.ts'
import { createIntake, listen, toAnswer } from './fake-nodes.ts'
import { createFakeSasl } from './fake-sasl.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const textOf = (name: string): string =>
  encodeHadoopToken({ identifier: Buffer.from(name), password: Buffer.from('secret'), kind: '', service: '' })

const toFrame = (...messages: readonly Uint8Array[]): Buffer => {
  const body = delimited(...messages)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}
const toSasl = (words: Parameters<typeof RpcSasl.encode>[0]): Buffer =>
  toFrame(RpcResponseHeader.encode({ callId: saslCallId >>> 0, status: rpcStatus.success }), RpcSasl.encode(words))

/** What the server does otherwise than one should. */
type Fault = {
  /** In place of its list of ways. */
  readonly list?: Buffer
  /** In place of the end of SASL. */
  readonly end?: Buffer
  /** In place of an answer to a call. */
  readonly answer?: (callId: number) => Buffer
}

/** A name node that wants a token of a user it knows; what arrived there after SASL, in words. */
const fakeSecureNameNode = async (qops: string, knows: (user: string) => boolean, fault: Fault = {}) => {
  const seen: string[] = []
  const serve = async (socket: Socket): Promise<void> => {
    const { read } = createIntake(socket)
    const readFrame = async () => new ProtobufReader(Buffer.from(await read((await read(4)).readUInt32BE())))
    const readSasl = async () => {
      const reader = await readFrame()
      expect(RpcRequestHeader.read(reader).callId).toBe(saslCallId)
      return RpcSasl.read(reader)
    }
    expect((await read(7)).toString('latin1')).toBe('hrpc\t\0\xdf')
    expect((await readSasl()).state).toBe(saslState.negotiate)
    const sasl = createFakeSasl(user => (knows(user) ? base64('secret') : undefined), qops)
    const way = {
      method: 'TOKEN',
      mechanism: 'DIGEST-MD5',
      protocol: '',
      serverId: 'default',
      challenge: sasl.challenge,
    }
    socket.write(fault.list ?? toSasl({ state: saslState.negotiate, auths: [way] }))
    const { token = Buffer.alloc(0) } = await readSasl()
    let accepted: ReturnType<typeof sasl.accept>
    try {
      accepted = sasl.accept(token)
    } catch {
      const exception = 'org.apache.hadoop.security.token.SecretManager$InvalidToken'
      socket.write(toAnswer(saslCallId >>> 0, { exception, fatal: true }))
      return
    }
    const { proof, layer } = accepted
    socket.write(fault.end ?? toSasl({ state: saslState.success, token: proof, auths: [] }))
    let kept = Buffer.alloc(0)
    const readInner = async (length: number): Promise<Buffer> => {
      while (layer && kept.length < length) {
        const sealed = await readSasl()
        expect(sealed.state).toBe(saslState.wrap)
        kept = Buffer.concat([kept, layer.unwrap(sealed.token ?? Buffer.alloc(0))])
      }
      const bytes = layer ? kept.subarray(0, length) : Buffer.from(await read(length))
      kept = kept.subarray(length)
      return bytes
    }
    for (;;) {
      const reader = new ProtobufReader(await readInner((await readInner(4)).readUInt32BE()))
      const { callId } = RpcRequestHeader.read(reader)
      if (callId < 0) {
        seen.push(`context ${IpcConnectionContext.read(reader).userInfo?.effectiveUser ?? '-'}`)
        continue
      }
      seen.push(RequestHeader.read(reader).methodName)
      const request = nameNodeMethods.getListing.Request.read(reader)
      const found = { dirList: { partialListing: [], remainingEntries: request.startAfter.length } }
      const answer = toAnswer(callId, nameNodeMethods.getListing.Response.encode(found))
      const carried = layer ? toSasl({ state: saslState.wrap, token: layer.wrap(answer), auths: [] }) : answer
      socket.write(fault.answer?.(callId) ?? carried)
    }
  }
  const { host, port } = await listen(socket => {
    serve(socket).catch(() => socket.destroy())
  })
  return { address: { host, port }, seen }
}

const open = async (
  qops: string,
  { knows = () => true, ...fault }: Fault & { readonly knows?: (user: string) => boolean } = {},
  identities: Identities = holder({ get: async () => textOf('id'), refused: () => {} })(undefined),
  demand?: Demand,
) => {
  const { address, seen } = await fakeSecureNameNode(qops, knows, fault)
  const rpc = { addresses: [address] as const, protocol: clientProtocol, identities, peer: 'name node' }
  const nameNode = createNameNode(createHadoopRpc({ ...rpc, demand, timeoutMs: 10_000, maxRetries: 0 }))
  onTestFinished(() => nameNode.close())
  const list = async (bytes: number) => {
    const request = { src: '/', startAfter: Buffer.alloc(bytes), needLocation: false }
    const { dirList } = await nameNode.call(nameNodeMethods.getListing, request, { action: 'list', path: '/' })
    return dirList?.remainingEntries
  }
  return { list, seen }
}

describe.each(['auth', 'auth-int', 'auth-conf', 'auth-conf,auth'])('a name node that wants %s', qops => {
  test('gets it, for calls of any length and many at a time', async () => {
    const { list, seen } = await open(qops)
    const lengths = [0, 1, 70_000, 200_000, 5]
    expect(await Promise.all(lengths.map(list))).toEqual(lengths)
    expect(seen).toEqual(['context -', ...lengths.map(() => 'getListing')])
  })
})

test('less protection than is demanded is refused, and names the setting; so is a caller without a token', async () => {
  const demand = { setting: 'hadoop.rpc.protection', value: 'privacy', qops: ['auth-conf'] } as const
  const demanded = 'hadoop.rpc.protection is privacy in namenode.hadoop-conf'
  for (const [qops, identities] of [
    ['auth', undefined],
    ['auth-int,auth', undefined],
    ['auth-conf', believed('ann')(undefined)],
  ] as const) {
    const { list, seen } = await open(qops, {}, identities, demand)
    await expect(list(0)).rejects.toThrow(demanded)
    expect(seen).toEqual([])
  }
  expect(await (await open('auth,auth-conf', {}, undefined, demand)).list(7)).toBe(7)
})

const plain = (callId: number): Buffer =>
  toAnswer(callId, nameNodeMethods.getListing.Response.encode({ dirList: { partialListing: [], remainingEntries: 1 } }))

describe('a name node is refused', () => {
  test.for<readonly [string, string, Fault, RegExp]>([
    [
      'wants what is not spoken here',
      'auth-more',
      {},
      /cannot be spoken to: it wants the protection auth-more \(hadoop\.rpc\.pro/,
    ],
    [
      'takes no token',
      'auth',
      { list: toSasl({ state: saslState.negotiate, auths: [] }) },
      /it takes no delegation token by DIGEST-MD5 \(hadoop\.security\.authentication, .*\), but nothing$/,
    ],
    [
      'takes tokens by another mechanism',
      'auth',
      {
        list: toSasl({
          state: saslState.negotiate,
          auths: [
            { method: 'TOKEN', mechanism: 'SCRAM-SHA-256' },
            { method: 'KERBEROS', mechanism: 'GSSAPI' },
          ],
        }),
      },
      /hadoop\.security\.sasl\.mechanism\), but TOKEN SCRAM-SHA-256, KERBEROS GSSAPI$/,
    ],
    [
      'goes on with SASL',
      'auth',
      { end: toSasl({ state: saslState.challenge, auths: [] }) },
      /did not accept the token/,
    ],
    ['proves nothing', 'auth', { end: toSasl({ state: saslState.success, auths: [] }) }, /did not prove that it knows/],
    ['begins with a long message', 'auth', { list: Buffer.from('00010001', 'hex') }, /hrpc: an answer of 65537 bytes/],
    ['answers SASL by something else', 'auth', { list: toAnswer(3, Buffer.alloc(0)) }, /SASL with call id 3/],
    ['answers unprotected', 'auth-int', { answer: plain }, /broke the protocol: SASL: an answer that is not protected/],
    [
      'answers in SASL, and not in its frame',
      'auth-int',
      { answer: () => toSasl({ state: saslState.success, token: Buffer.alloc(30), auths: [] }) },
      /SASL: an answer that is not protected/,
    ],
    [
      'answers with bytes that were changed',
      'auth-conf',
      { answer: () => toSasl({ state: saslState.wrap, token: Buffer.alloc(30), auths: [] }) },
      /broke the protocol: SASL: message 0 is numbered 000000000000 at byte 24/,
    ],
    [
      'announces a frame of 2 GB',
      'auth-conf',
      { answer: () => Buffer.from('7fffffff', 'hex') },
      /SASL: a frame of 2147483647/,
    ],
  ])('that %s', async ([, qops, fault, reason]) => {
    const { list } = await open(qops, fault)
    await expect(list(1)).rejects.toThrow(reason)
    await expect(list(1)).rejects.toThrow(/^Cannot list "\/": name node 127\.0\.0\.1:\d+ /)
  })
})

test('a token that is refused is dropped, and not the newer one that another call has got meanwhile', async () => {
  const dropped: string[] = []
  let now = 'old'
  const identities = holder({ get: async () => textOf(now), refused: (_, text) => void dropped.push(text) })('ann')
  const { list, seen } = await open(
    'auth',
    { knows: user => user === base64('new') },
    {
      of: async () => {
        const identity = await identities.of()
        if (now === 'new') return identity
        now = 'new'
        await identities.of()
        return identity
      },
      refused: (...args) => identities.refused(...args),
    },
  )
  expect(await list(3)).toBe(3)
  expect(dropped).toEqual([textOf('old')])
  expect(seen).toEqual(['context -', 'getListing'])
})
