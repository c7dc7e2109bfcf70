import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import {
  encodeException,
  encodeMessage,
  maxMethodNameBytes,
  messageType,
  openMessage,
} from '../../../../src/formats/thrift/message.ts'
import { MessageSplitter, type SplitMessage } from '../../../../src/formats/thrift/message-splitter.ts'
import { thriftType } from '../../../../src/formats/thrift/types.ts'
import { ThriftWriter } from '../../../../src/formats/thrift/writer.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Log(one entry of two strings), sequence 7; the same in both styles. */
const struct = '0f 0001 0c 00000001 0b 0001 00000001 61 0b 0002 00000003 313a78 00 00'
const strict = hex(`80010001 00000003 4c6f67 00000007 ${struct}`)
const old = hex(`00000003 4c6f67 01 00000007 ${struct}`)

describe('openMessage', () => {
  test.each([
    ['strict', strict],
    ['old', old],
  ])('reads the %s header', (_, bytes) => {
    const { header, reader } = openMessage(bytes)
    expect(header).toEqual({ name: 'Log', type: messageType.call, sequence: 7 })
    expect(reader.left).toBe(hex(struct).length)
  })

  test.each([
    ['nothing', '', 'a length'],
    ['a version that is not 1', '80020001 00000003 4c6f67 00000007', 'version 8001, found 8002'],
    ['a name beyond the end', '80010001 7fffffff 4c', 'length of at most'],
    ['a negative length of the name', '80010001 ffffffff 4c', 'length of at most'],
    ['no sequence', '00000003 4c6f67 01 0000', 'an i32'],
    ['a long name', `80010001 00000100 ${'61'.repeat(256)} 00000007 00`, `at most ${maxMethodNameBytes} bytes`],
  ])('refuses %s', (_, bytes, message) => {
    const open = () => openMessage(hex(bytes))
    expect(open).toThrow(FormatError)
    if (message !== 'a length') expect(open).toThrow(message)
  })
})

test('encodeException writes what Thrift calls a TApplicationException', () => {
  const bytes = encodeException({ name: 'x', type: messageType.call, sequence: -2 }, 1, 'no')
  expect(toHex(bytes)).toBe(toHex(hex('80010003 00000001 78 fffffffe 0b 0001 00000002 6e6f 08 0002 00000001 00')))
})

/** Any value of Thrift, as bytes after its type. */
const { value: anyValue } = fc.letrec<{ value: readonly [number, string]; struct: readonly [number, string] }>(tie => {
  const fixed = (type: number, size: number) =>
    fc.uint8Array({ minLength: size, maxLength: size }).map(bytes => [type, toHex(bytes)] as const)
  const i32 = (value: number): string => value.toString(16).padStart(8, '0')
  const string = fc
    .uint8Array({ maxLength: 9 })
    .map(bytes => [thriftType.string, i32(bytes.length) + toHex(bytes)] as const)
  const scalar = fc.oneof(fixed(thriftType.bool, 1), fixed(thriftType.i16, 2), fixed(thriftType.double, 8), string)
  const byte = (type: number): string => type.toString(16).padStart(2, '0')
  const sameType = fc.oneof(fc.array(string, { maxLength: 3 }), fc.array(tie('struct'), { maxLength: 3 }))
  const list = fc.tuple(fc.constantFrom(thriftType.list, thriftType.set), sameType).map(([type, values]) => {
    const text = values.map(([, bytes]) => bytes).join('')
    return [type, byte(values[0]?.[0] ?? 0) + i32(values.length) + text] as const
  })
  const map = fc
    .array(fc.tuple(fixed(thriftType.i32, 4), string), { maxLength: 3 })
    .map(pairs => [thriftType.map, `080b${i32(pairs.length)}${pairs.map(([[, k], [, v]]) => k + v).join('')}`] as const)
  return {
    struct: fc
      .array(tie('value'), { maxLength: 4 })
      .map(
        fields => [thriftType.struct, `${fields.map(([t, bytes]) => `${byte(t)}0001${bytes}`).join('')}00`] as const,
      ),
    value: fc.oneof({ depthSize: 'small' }, scalar, list, map, tie('struct')),
  }
})

const anyMessage = fc
  .tuple(fc.boolean(), fc.constantFrom('Log', 'getName'), fc.array(anyValue, { maxLength: 4 }))
  .map(([isStrict, name, fields]) => {
    const writer = new ThriftWriter()
    if (isStrict) writer.i32(0x8001_0001 | 0)
    writer.binary(Buffer.from(name))
    if (!isStrict) writer.byte(1)
    writer.i32(5)
    const body = `${fields.map(([type, bytes]) => `${type.toString(16).padStart(2, '0')}0001${bytes}`).join('')}00`
    return Buffer.concat([writer.bytes(), hex(body)])
  })

const frame = (message: Uint8Array): Buffer => {
  const length = Buffer.alloc(4)
  length.writeInt32BE(message.length)
  return Buffer.concat([length, message])
}

/** The whole output when the bytes arrive in pieces that end at the cuts. */
const split = (bytes: Uint8Array, cuts: readonly number[], maxBytes = 1 << 20): SplitMessage[] => {
  const splitter = new MessageSplitter(maxBytes)
  const ends = [...new Set(cuts.map(cut => cut % (bytes.length + 1))), bytes.length].sort((a, b) => a - b)
  const found: SplitMessage[] = []
  let start = 0
  for (const end of ends) {
    splitter.push(bytes.slice(start, end))
    start = end
    for (let next = splitter.next(); next; next = splitter.next()) found.push(next)
  }
  expect(splitter.isWithin).toBe(false)
  return found
}

describe('MessageSplitter', () => {
  test.each(['framed', 'buffered'] as const)('gives %s messages whole, wherever the bytes are cut', transport => {
    const cuts = fc.array(fc.nat(4_096), { maxLength: 12 })
    fc.assert(
      fc.property(fc.array(anyMessage, { minLength: 1, maxLength: 4 }), cuts, (messages, at) => {
        const stream = Buffer.concat(messages.map(one => (transport === 'framed' ? frame(one) : one)))
        const found = split(stream, at)
        expect(found.map(({ bytes }) => toHex(bytes))).toEqual(messages.map(toHex))
        expect(found.every(({ isWhole }) => isWhole)).toBe(true)
      }),
    )
  })

  test.each([
    ['framed, strict', frame(strict), 'framed'],
    ['framed, old', frame(old), 'framed'],
    ['buffered, strict', strict, 'buffered'],
    ['buffered, old', old, 'buffered'],
  ])('tells %s by five bytes', (_, bytes, transport) => {
    const splitter = new MessageSplitter(1_000)
    splitter.push(bytes.subarray(0, 1))
    expect(splitter.next()).toBeUndefined()
    expect(splitter.transport).toBeUndefined()
    splitter.push(bytes.subarray(1, 5))
    expect(splitter.next()).toBeUndefined()
    expect(splitter.transport).toBe(transport)
  })

  test.each([
    ['an empty frame', '00000000 80', 'a frame of 1 to 64 bytes, found 0'],
    ['a frame that is too large', '00000041 80', 'a frame of 1 to 64 bytes, found 65'],
    ['a negative length', 'ffffffff 80', 'found -1'],
    ['a request of HTTP', toHex(Buffer.from('GET / HTTP/1.1\r\n\r\n')), 'found 1195725856'],
    ['a long string, before it comes', '80010001 00000001 78 00000000 0b 0001 7fffffff', 'at most 64 bytes'],
    ['a negative length of a string', '80010001 00000001 78 00000000 0b 0001 ffffffff', 'a length, found -1'],
    ['a large list, before it comes', '80010001 00000001 78 00000000 0f 0001 0a 00000100', 'at most 64 bytes'],
    ['a negative count', '80010001 00000001 78 00000000 0f 0001 0b ffffffff', 'a count, found -1'],
    ['an unknown type', '80010001 00000001 78 00000000 07 0001', 'unknown type 7'],
    ['a list of an unknown type', '80010001 00000001 78 00000000 0f 0001 07 00000001', 'unknown type 7'],
    ['another version', '80010001 00000001 78 00000000 00 80020001 00000001', 'found 8002'],
    ['a name that is too long', '80010001 00000100 78', 'at most 255 bytes'],
  ])('refuses %s', (_, bytes, message) => {
    const splitter = new MessageSplitter(64)
    splitter.push(hex(bytes))
    const read = (): void => {
      while (splitter.next());
    }
    let found: unknown
    try {
      read()
    } catch (error) {
      found = error
    }
    expect(found).toBeInstanceOf(FormatError)
    expect(String(found)).toContain(message)
  })

  test('refuses structs within structs beyond 64', () => {
    const deep = (levels: number): Buffer => hex(`80010001 00000001 78 00000000 ${'0c0001'.repeat(levels)}`)
    const fine = new MessageSplitter(4_096)
    fine.push(deep(64))
    expect(fine.next()).toBeUndefined()
    const splitter = new MessageSplitter(4_096)
    splitter.push(deep(65))
    expect(() => splitter.next()).toThrow('nested deeper than 64 levels')
  })

  test.each(['framed', 'buffered'])('lets a %s message go by that was shed, and keeps its header', transport => {
    const filler = `0b 0001 00001000 ${'61'.repeat(4_096)} 00`
    const message = hex(`80010001 00000003 4c6f67 00000007 ${filler}`)
    const stream = transport === 'framed' ? Buffer.concat([frame(message), frame(old)]) : Buffer.concat([message, old])
    const splitter = new MessageSplitter(10_000)
    const found: SplitMessage[] = []
    for (let at = 0; at < stream.length; at += 100) {
      splitter.push(stream.subarray(at, at + 100))
      for (let next = splitter.next(); next; next = splitter.next()) found.push(next)
      if (found.length === 0) splitter.shed()
      expect(splitter.heldBytes).toBeLessThanOrEqual(100)
    }
    expect(found.map(({ isWhole }) => isWhole)).toEqual([false, true])
    expect(openMessage(found[0]?.bytes ?? hex('')).header).toEqual({ name: 'Log', type: 1, sequence: 7 })
    expect(toHex(found[1]?.bytes ?? hex(''))).toBe(toHex(old))
  })

  test('bytes that were given out stay as they are', () => {
    const splitter = new MessageSplitter(1_000)
    const stream = Buffer.concat([frame(old), frame(strict), frame(old)])
    const found: Uint8Array[] = []
    for (let at = 0; at < stream.length; at += 7) {
      splitter.push(stream.subarray(at, at + 7))
      for (let next = splitter.next(); next; next = splitter.next()) found.push(next.bytes)
    }
    expect(found.map(toHex)).toEqual([old, strict, old].map(toHex))
  })
})

test('encodeMessage is read back', () => {
  const bytes = encodeMessage({ name: 'näme', type: messageType.reply, sequence: 2 ** 31 - 1 }, () => {})
  expect(openMessage(bytes).header).toEqual({ name: 'näme', type: messageType.reply, sequence: 2 ** 31 - 1 })
})
