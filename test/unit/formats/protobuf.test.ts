import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FormatError } from '../../../src/errors.ts'
import { readProtobufFields } from '../../../src/formats/protobuf/fields.ts'

const read = (hex: string) => [...readProtobufFields(Buffer.from(hex.replaceAll(' ', ''), 'hex'))]

test.each([
  ['a varint', '08 96 01', [{ number: 1, wire: 'varint', value: 150n }]],
  ['the largest varint', '08 ff ff ff ff ff ff ff ff ff 01', [{ value: 2n ** 64n - 1n }]],
  ['8 bytes', '11 01 00 00 00 00 00 00 80', [{ number: 2, wire: 'fixed64', value: 2n ** 63n + 1n }]],
  ['4 bytes', '1d ff ff ff ff', [{ number: 3, wire: 'fixed32', value: 2 ** 32 - 1 }]],
  [
    'bytes, and empty ones',
    '12 02 aa bb 12 00',
    [
      { start: 2, end: 4 },
      { start: 6, end: 6 },
    ],
  ],
  ['the largest number', 'f8 ff ff ff 0f 00', [{ number: 2 ** 29 - 1 }]],
  ['nothing', '', []],
])('%s', (_, hex, want) => expect(read(hex)).toMatchObject(want))

test.each([
  ['a varint that breaks off', '08 96'],
  ['a varint of more than 64 bits', '08 ff ff ff ff ff ff ff ff ff 02'],
  ['a varint without end', '08 ff ff ff ff ff ff ff ff ff ff 01'],
  ['8 bytes that break off', '11 00'],
  ['4 bytes that break off', '1d 00 00 00'],
  ['bytes that break off', '12 02 aa'],
  ['a length beyond all sense', '12 ff ff ff ff ff ff ff ff ff 01'],
  ['a group', '0b 0c'],
  ['the number 0', '00 00'],
  ['a number that is too large', '80 80 80 80 10 00'],
])('%s is refused', (_, hex) => expect(() => read(hex)).toThrow(FormatError))

test('any bytes end in fields or in a FormatError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
      try {
        for (const field of readProtobufFields(bytes)) expect(field.at).toBeLessThan(bytes.length)
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError)
      }
    }),
  )
})
