import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import type { Protection } from '../../../../src/filesystem/hdfs/socket/protection.ts'
import { aesProtection } from '../../../../src/filesystem/hdfs/tokens/aes.ts'
import { sealedFrames } from '../../../../src/filesystem/hdfs/tokens/sealed-frames.ts'
import { createSecurityLayer, type ProtectedQop } from '../../../../src/filesystem/hdfs/tokens/security-layer.ts'

const session = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
const both = (qop: ProtectedQop) => ({
  client: createSecurityLayer(qop, session),
  server: createSecurityLayer(qop, session, 'server-to-client'),
})
const messages = [0, 1, 5, 6, 7, 8, 65_000].map(length => Buffer.alloc(length, 'abc'))

const sealed = (by: Protection, ...parts: readonly Buffer[]): Buffer => Buffer.concat([...by.seal(parts)])
const open = (by: Protection, bytes: Buffer): Buffer[] => [...by.open(bytes)].filter(one => one !== undefined)

describe.each(['auth-int', 'auth-conf'] as const)('%s', qop => {
  test('what one side wraps the other one unwraps, both ways and in turn', () => {
    const { client, server } = both(qop)
    for (const message of messages) {
      const wrapped = client.wrap(message)
      expect(wrapped.length - message.length).toBeLessThanOrEqual(24)
      expect(server.unwrap(wrapped).equals(message)).toBe(true)
      expect(client.unwrap(server.wrap(message)).equals(message)).toBe(true)
    }
  })

  test('a message that was changed at any byte is refused', () => {
    const wrapped = both(qop).client.wrap(Buffer.from('some words'))
    for (let at = 0; at < wrapped.length; at++) {
      const changed = Buffer.from(wrapped)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => both(qop).server.unwrap(changed), String(at)).toThrow(FormatError)
    }
    for (let length = 0; length < wrapped.length; length++) {
      expect(() => both(qop).server.unwrap(wrapped.subarray(0, length)), String(length)).toThrow(FormatError)
    }
  })

  test('a message without room for its MAC is refused', () => {
    for (const length of [0, 5, 8, 9]) {
      const short = Buffer.concat([Buffer.alloc(length), Buffer.from('000100000000', 'hex')])
      expect(() => both(qop).client.unwrap(short), String(length)).toThrow(FormatError)
    }
  })

  test('a message that is lost, sent again or sent back is refused', () => {
    const { client, server } = both(qop)
    const [first, second] = [client.wrap(messages[1] ?? session), client.wrap(messages[2] ?? session)]
    expect(() => both(qop).server.unwrap(second)).toThrow('message 0 is numbered 000100000001 at byte')
    server.unwrap(first)
    expect(() => server.unwrap(first)).toThrow('message 1 is numbered 000100000000')
    expect(() => both(qop).client.unwrap(first)).toThrow(FormatError)
  })
})

test('the bytes are those of RFC 2831, as Java has them', () => {
  const wrap = (qop: ProtectedQop) => {
    const { client } = both(qop)
    return [client.wrap(Buffer.from('first')), client.wrap(Buffer.from('second'))].map(one => one.toString('hex'))
  }
  expect(wrap('auth-int')).toEqual([
    '666972737422b943a9a605ab5b9b0e000100000000',
    '7365636f6e645bedd18dc31e929c4198000100000001',
  ])
  expect(wrap('auth-conf')).toEqual([
    '4f01d8a7c61bf0efd5be05e017610027000100000000',
    '3187fcce905a41dafb4b6b9e3e1caece3ee6c1edcbad183c000100000001',
  ])
})

describe('frames', () => {
  const connect = (maxFrameBytes = 100_000) => {
    const { client, server } = both('auth-conf')
    return { own: sealedFrames(client, maxFrameBytes), other: sealedFrames(server, maxFrameBytes) }
  }

  test('carry any bytes, however these arrive', () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 200_000 }, (_, at) => (at * 31) % 251))
    for (const size of [1, 3, 4, 5, 1_000, 65_540, 1_000_000]) {
      const { own, other } = connect()
      const sent = sealed(own, bytes.subarray(0, 7), bytes.subarray(7, 7), bytes.subarray(7))
      const opened: Buffer[] = []
      for (let at = 0; at < sent.length; at += size) opened.push(...open(other, sent.subarray(at, at + size)))
      expect(Buffer.concat(opened).equals(bytes), String(size)).toBe(true)
    }
  })

  test('are no longer than the other side takes', () => {
    const lengths = [...connect().own.seal([Buffer.alloc(50_000)])].map(({ length }) => length)
    expect(lengths).toEqual([16_410, 16_410, 16_410, 874])
    const { client } = both('auth-int')
    const [first] = sealedFrames(client, 1).seal([Buffer.alloc(200_000)])
    expect(first?.length).toBe(65_532)
  })

  test('beyond the limit are refused, before any memory is taken; empty ones are nothing', () => {
    const { own, other } = connect(1_000)
    expect(open(other, Buffer.alloc(4))).toEqual([])
    expect(open(other, sealed(own, Buffer.from('x')))).toEqual([Buffer.from('x')])
    expect(() => open(other, Buffer.from('000003e9', 'hex'))).toThrow('SASL: a frame of 1001 bytes at byte 30')
  })
})

describe('AES', () => {
  const keys = (length: number, ivLength = 16) => ({
    inKey: Buffer.alloc(length, 1),
    inIv: Buffer.alloc(ivLength, 2),
    outKey: Buffer.alloc(length, 3),
    outIv: Buffer.alloc(ivLength, 4),
  })
  const swap = ({ inKey, inIv, outKey, outIv }: ReturnType<typeof keys>) => ({
    inKey: outKey,
    inIv: outIv,
    outKey: inKey,
    outIv: inIv,
  })

  test.for([16, 24, 32])('of keys of %d bytes continues through everything that is sent', length => {
    const [own, other] = [aesProtection(keys(length)), aesProtection(swap(keys(length)))]
    for (const text of ['a', 'some words', '', 'x'.repeat(1_000)]) {
      const sent = sealed(own, Buffer.from(text), Buffer.from(text))
      expect(Buffer.concat(open(other, sent)).toString()).toBe(`${text}${text}`)
    }
  })

  test.for([
    [15, 16],
    [0, 16],
    [16, 8],
  ] as const)('keys of %d bytes with %d to begin with are refused', ([length, ivLength]) => {
    expect(() => aesProtection(keys(length, ivLength))).toThrow(FormatError)
  })
})
