import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Demand } from '../../../../src/filesystem/hdfs/conf/demands.ts'
import { createDataNodeConnections } from '../../../../src/filesystem/hdfs/data-node/connections.ts'
import { DataTransferEncryptorMessage } from '../../../../src/filesystem/hdfs/data-node/handshake.ts'
import { BlockOpResponse } from '../../../../src/filesystem/hdfs/data-node/messages.ts'
import type { DataEncryptionKey } from '../../../../src/filesystem/hdfs/name-node/messages.ts'
import { delimited } from '../../../../src/filesystem/hdfs/protobuf/message.ts'
import { aesProtection } from '../../../../src/filesystem/hdfs/tokens/aes.ts'
import type { EncryptionKeys } from '../../../../src/filesystem/hdfs/tokens/encryption-keys.ts'
import { sealedFrames } from '../../../../src/filesystem/hdfs/tokens/sealed-frames.ts'
import type { Qop, SecurityLayer } from '../../../../src/filesystem/hdfs/tokens/security-layer.ts'
import { createIntake, listen } from './fake-nodes.ts'
import { createFakeSasl } from './fake-sasl.ts'

const token = { identifier: Buffer.from('id'), password: Buffer.from('secret'), kind: '', service: '' }
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const noKeys: EncryptionKeys = { get: async () => undefined, refused: () => {} }
const ok = delimited(BlockOpResponse.encode({ status: 0 }))

/** What a node does with one connection. */
type Manner = 'plain' | 'silent' | 'hangs up' | 'refuses' | 'endless' | Proof | Buffer
type Proof =
  | 'auth'
  | 'auth-int'
  | 'auth-conf'
  | 'auth-int and a word too many'
  | 'auth-conf by AES'
  | 'auth-conf by SM4'

const say = (words: object): Buffer =>
  delimited(DataTransferEncryptorMessage.encode({ status: 0, cipherOption: [], ...words }))

const serve = async (
  socket: Socket,
  manner: Manner,
  passwordOf: (user: string) => string | undefined,
): Promise<void> => {
  const { read, readDelimited } = createIntake(socket)
  const head = await read(3)
  const isProof = head.toString('hex') === 'deadbe'
  if (manner === 'silent') return
  if (manner === 'hangs up' || isProof === (manner === 'plain')) return void socket.destroy()
  if (!isProof) {
    await readDelimited()
    return void socket.write(ok)
  }
  await read(1)
  await readDelimited()
  if (typeof manner !== 'string') return void socket.write(manner)
  if (manner === 'endless') {
    const more = (): void => void (socket.writable && socket.write(Buffer.alloc(65_536, 0x80), more))
    return more()
  }
  if (manner === 'refuses') return void socket.write(say({ status: 2, message: 'the token has expired' }))
  const [qop = '', more] = manner.split(' ')
  const sasl = createFakeSasl(passwordOf, qop)
  socket.write(say({ payload: sasl.challenge }))
  const { payload, cipherOption } = DataTransferEncryptorMessage.decode(await readDelimited())
  try {
    const { proof, layer } = sasl.accept(payload ?? Buffer.alloc(0))
    const cipher = layer && cipherOption.length > 0 ? drawCipher(manner, layer) : undefined
    const end = say({ payload: proof, cipherOption: cipher ? [cipher.option] : [] })
    socket.write(Buffer.concat([end, more === 'and' ? ok : Buffer.alloc(0)]))
    const protection = cipher?.protection ?? (layer && sealedFrames(layer, 1_000))
    const arrived: Buffer[] = []
    while (Buffer.concat(arrived).length < operation.length) {
      const bytes = Buffer.from(await read(1))
      for (const one of protection?.open(bytes) ?? [bytes]) if (one) arrived.push(one)
    }
    if (!Buffer.concat(arrived).equals(operation)) return void socket.destroy()
    socket.write(Buffer.concat([...(protection?.seal([ok]) ?? [ok])]))
  } catch {
    socket.write(say({ status: 1, message: 'no such key' }))
  }
}

/** What is asked for, as it arrives. */
const operation = Buffer.from('001c51026f70', 'hex')

/** Keys for the client, and what the node does with them; of a cipher that was not asked for in one manner. */
const drawCipher = (manner: string, layer: SecurityLayer) => {
  if (!/by (AES|SM4)$/.test(manner)) return undefined
  const [inKey, inIv, outKey, outIv] = [1, 2, 3, 4].map(byte => Buffer.alloc(16, byte))
  if (!inKey || !inIv || !outKey || !outIv) return undefined
  return {
    option: {
      suite: manner.endsWith('AES') ? 2 : 3,
      inKey: layer.wrap(inKey),
      inIv,
      outKey: layer.wrap(outKey),
      outIv,
    },
    protection: aesProtection({ inKey: outKey, inIv: outIv, outKey: inKey, outIv: inIv }),
  }
}

/** A node that has a manner for each connection, the last one for all later ones. */
const open = async (
  manners: Manner[],
  keys = noKeys,
  passwordOf: (user: string) => string | undefined = () => base64('secret'),
  demand?: Demand,
) => {
  let count = 0
  const { host, port } = await listen(socket => {
    const manner = manners[Math.min(count++, manners.length - 1)] ?? 'plain'
    serve(socket, manner, passwordOf).catch(() => socket.destroy())
  })
  const connections = createDataNodeConnections(keys, () => {}, demand)
  onTestFinished(() => connections.close())
  const ask = async (timeoutMs = 10_000, own = token): Promise<number> => {
    const operation = { code: 81, message: Buffer.from('op'), token: own, timeoutMs, mayReuse: false }
    const { socket, response } = await connections.begin({ host, port }, operation)
    socket.destroy(new Error('it is over'))
    return response.status
  }
  return { ask, connections: () => count }
}

describe('a data node', () => {
  test.each(['auth', 'auth-int', 'auth-conf', 'auth-conf by AES'] as const)(
    'that wants %s gets it, at once',
    async manner => {
      const { ask, connections } = await open([manner])
      expect(await ask()).toBe(0)
      expect(connections()).toBe(1)
    },
  )

  test('without block tokens is asked without a proof', async () => {
    const { ask, connections } = await open(['plain'])
    expect(await ask(10_000, { ...token, identifier: Buffer.alloc(0) })).toBe(0)
    expect(connections()).toBe(1)
  })

  test('that takes no proof is remembered, until it hangs up: then it is asked again', async () => {
    const { ask, connections } = await open(['plain', 'plain', 'plain', 'auth'])
    expect(await ask()).toBe(0)
    expect(connections()).toBe(2)
    expect(await ask()).toBe(0)
    expect(connections()).toBe(3)
    // It was restarted: it closes connections without a proof.
    expect(await ask()).toBe(0)
    expect(connections()).toBe(5)
    expect(await ask()).toBe(0)
    expect(connections()).toBe(6)
  })

  test('that took a proof once is not spoken to without', async () => {
    const { ask, connections } = await open(['auth', 'plain'])
    expect(await ask()).toBe(0)
    await expect(ask()).rejects.toThrow(/the connection was closed|ECONNRESET/)
    expect(connections()).toBe(2)
  })

  test('that hangs up on everything is given up', async () => {
    const { ask, connections } = await open(['hangs up'])
    await expect(ask()).rejects.toThrow(/the connection was closed|ECONNRESET/)
    expect(connections()).toBe(2)
  })

  test.for<readonly [string, Manner, RegExp]>([
    ['refuses the token', 'refuses', /^refused the proof: the token has expired$/],
    [
      'wants what is not spoken here',
      say({ payload: saslWanting('auth-more') }),
      /auth-more \(dfs\.data\.transfer\.protection\)/,
    ],
    ['proves nothing', Buffer.concat([say({ payload: saslWanting('auth') }), say({})]), /did not prove that it knows/],
    ['says something unasked', 'auth-int and a word too many', /SASL: \d+ bytes behind its end/],
    ['draws keys of another cipher', 'auth-conf by SM4', /SASL: the cipher 3 without keys that were asked for/],
    ['sends no end of a length', 'endless', /a message of more than 65536 bytes/],
    ['announces a long message', Buffer.from('ffffffff0f', 'hex'), /a message of more than 65536 bytes/],
    ['sends what is no message', Buffer.from('02ffff', 'hex'), /protobuf: DataTransferEncryptorMessageProto/],
    ['sends an empty message', Buffer.from('00', 'hex'), /DataTransferEncryptorMessageProto\.status: expected a value/],
  ])('that %s is left, with a sentence that says so', async ([, manner, reason]) => {
    const { ask, connections } = await open([manner])
    await expect(ask()).rejects.toThrow(reason)
    expect(connections()).toBe(1)
  })

  test('that does not know the token is left, with its words', async () => {
    const { ask, connections } = await open(['auth'], noKeys, () => undefined)
    await expect(ask()).rejects.toThrow(/^refused the proof: no such key$/)
    expect(connections()).toBe(1)
  })

  describe.each<readonly [string, readonly Qop[]]>([
    ['privacy', ['auth-conf']],
    ['authentication', ['auth']],
  ])('of a cluster that demands %s', (value, qops) => {
    const demand = { setting: 'dfs.data.transfer.protection', value, qops }
    const demanded = `dfs.data.transfer.protection is ${value} in namenode.hadoop-conf`
    const openWith = (...manners: Manner[]) => open(manners, noKeys, () => base64('secret'), demand)

    test('is spoken to so', async () => {
      expect(await (await openWith(qops[0] === 'auth' ? 'auth' : 'auth-conf')).ask()).toBe(0)
    })

    test('is left where it offers less, takes no proof, or has no token to prove anything by', async () => {
      const less = await openWith(qops[0] === 'auth' ? 'auth-int' : 'auth')
      await expect(less.ask()).rejects.toThrow(demanded)
      const plain = await openWith('plain')
      await expect(plain.ask()).rejects.toThrow(`hung up on a proof, and ${demanded}`)
      expect(plain.connections()).toBe(1)
      const free = await openWith('plain')
      await expect(free.ask(10_000, { ...token, identifier: Buffer.alloc(0) })).rejects.toThrow(demanded)
      expect(free.connections()).toBe(0)
    })
  })

  test('that says nothing is left in time', async () => {
    const { ask } = await open(['silent'])
    await expect(ask(20)).rejects.toThrow('no answer within 20 ms')
  })
})

function saslWanting(qop: string): Buffer {
  return createFakeSasl(() => '', qop).challenge
}

describe('a cluster that encrypts', () => {
  const toKey = (keyId: number): DataEncryptionKey => ({
    keyId,
    blockPoolId: 'BP',
    nonce: Buffer.from('n'),
    encryptionKey: Buffer.from('secret'),
  })
  const openKeys = (...ids: number[]) => {
    const refused: number[] = []
    const keys: EncryptionKeys = {
      get: async () => {
        const [id] = ids
        return id === undefined ? undefined : toKey(id)
      },
      refused: ({ keyId }) => {
        refused.push(keyId)
        ids.shift()
      },
    }
    return { keys, refused }
  }
  const knows = (keyId: number) => (user: string) => (user === `${keyId} BP bg==` ? base64('secret') : undefined)

  test('is spoken to by its key', async () => {
    const { keys, refused } = openKeys(7)
    const { ask, connections } = await open(['auth-conf'], keys, knows(7))
    expect(await ask()).toBe(0)
    expect([connections(), refused]).toEqual([1, []])
  })

  test('has another key by now: it is asked for once', async () => {
    const { keys, refused } = openKeys(7, 8, 9)
    expect(await (await open(['auth-conf'], keys, knows(8))).ask()).toBe(0)
    expect(refused).toEqual([7])
    const { ask, connections } = await open(['auth-conf'], openKeys(1, 2, 3).keys, knows(3))
    await expect(ask()).rejects.toThrow('no such key')
    expect(connections()).toBe(2)
  })

  test('is spoken to in no other way', async () => {
    for (const manner of ['plain', 'auth', 'auth-int'] as const) {
      const { ask, connections } = await open([manner], openKeys(7).keys, knows(7))
      await expect(ask()).rejects.toThrow(
        manner === 'plain' ? /the connection was closed|ECONNRESET/ : /\(dfs\.encrypt\.data\.transfer\)/,
      )
      expect(connections()).toBe(1)
    }
  })
})
