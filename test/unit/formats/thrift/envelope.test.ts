import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import {
  decodeEnvelope,
  encodeEnvelope,
  maxEnvelopeNameBytes,
  readEnvelope,
} from '../../../../src/formats/thrift/envelope.ts'
import { encodeFields } from '../../../../src/formats/thrift/field-list.ts'
import { ThriftReader } from '../../../../src/formats/thrift/reader.ts'
import { encodeThriftText } from '../../../../src/formats/thrift/text.ts'
import { type ThriftField, thriftType } from '../../../../src/formats/thrift/types.ts'

const { bool, byte, double, i16, i32, i64, string } = thriftType
const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const sample: readonly ThriftField[] = [
  { id: 0, type: string, value: encodeThriftText('fuu') },
  { id: 1, type: byte, value: 1 },
  { id: 2, type: i16, value: 2 },
  { id: 3, type: i32, value: 4 },
  { id: 4, type: i64, value: 8n },
  { id: 5, type: double, value: 202.1 },
  { id: 6, type: bool, value: true },
]
const samplePayload =
  '0b000000000003667575030001010600020002080003000000040a000400000000000000080400054069433333333333020006' + '0100'
const world: readonly ThriftField[] = [{ id: 1, type: string, value: encodeThriftText('World') }]

describe('an envelope', () => {
  test.each([
    {
      title: 'all types',
      typeName: 'event-type',
      name: 'event-type',
      fields: sample,
      bytes: `0b00000000000a6576656e742d747970650b000100000035${samplePayload}00`,
    },
    {
      title: 'a name of its own',
      typeName: 'event-type',
      name: 'event-name',
      fields: sample,
      bytes: `0b00000000000a6576656e742d747970650b00020000000a6576656e742d6e616d650b000100000035${samplePayload}00`,
    },
    {
      title: 'no fields',
      typeName: 'event-type',
      name: 'event-type',
      fields: [],
      bytes: '0b00000000000a6576656e742d747970650b0001000000010000',
    },
    {
      title: 'one text',
      typeName: 'Hello',
      name: 'Hello',
      fields: world,
      bytes: '0b00000000000548656c6c6f0b00010000000d0b000100000005576f726c640000',
    },
    {
      title: 'names beyond ASCII',
      typeName: 'é😀',
      name: 'aé',
      fields: [],
      bytes: '0b000000000006c3a9f09f98800b00020000000361c3a90b0001000000010000',
    },
  ])('$title', ({ typeName, name, fields, bytes }) => {
    const payload = encodeFields(fields)
    expect(toHex(encodeEnvelope({ typeName, name, payload }))).toBe(bytes)
    const envelope = decodeEnvelope(hex(bytes))
    expect({ ...envelope, payload: toHex(envelope.payload) }).toEqual({ typeName, name, payload: toHex(payload) })
    for (let end = 0; end < bytes.length / 2; end++)
      expect(() => decodeEnvelope(hex(bytes).subarray(0, end))).toThrow(FormatError)
  })

  test('has its fields in any order; of two the last counts; two of them follow one another', () => {
    const mixed = '0b0001000000010' + '0' + '0b000200000001620b000000000001780b0000000000016100'
    const reader = new ThriftReader(hex(mixed + mixed))
    for (let i = 0; i < 2; i++) expect(readEnvelope(reader)).toMatchObject({ typeName: 'a', name: 'b' })
    expect(reader.left).toBe(0)
  })

  test.each([
    {
      title: 'no type name',
      bytes: '0b0001000000010000',
      want: 'expected an envelope with a type name (field 0) at byte 0',
    },
    {
      title: 'no payload',
      bytes: '0b0000000000014100',
      want: 'expected an envelope with a payload (field 1) at byte 0',
    },
    {
      title: 'another id',
      bytes: '0b000000000001410b00030000000000',
      want: 'expected field 0, 1 or 2 of an envelope, found 3 at byte 8',
    },
    { title: 'a negative id', bytes: '0bffff00', want: 'found -1 at byte 0' },
    {
      title: 'a number as type name',
      bytes: '0800000000000100',
      want: 'expected field 0 of an envelope to be a string, found i32 (8) at byte 0',
    },
    {
      title: 'more bytes',
      bytes: '0b000000000001410b000100000001000000',
      want: 'expected the end, found 1 more bytes at byte 17',
    },
  ])('is refused with $title', ({ bytes, want }) => {
    expect(() => decodeEnvelope(hex(bytes))).toThrow(want)
  })

  test('is refused with a name beyond its limit', () => {
    const at = (length: number): Uint8Array =>
      encodeEnvelope({ typeName: 'a'.repeat(length), payload: Uint8Array.of(0) })
    expect(decodeEnvelope(at(maxEnvelopeNameBytes)).typeName).toHaveLength(maxEnvelopeNameBytes)
    expect(() => decodeEnvelope(at(maxEnvelopeNameBytes + 1))).toThrow(
      'expected a name of at most 65536 bytes, found 65537 at byte 3',
    )
  })
})
