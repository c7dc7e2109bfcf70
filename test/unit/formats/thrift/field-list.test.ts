import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import { checkFieldList, decodeFields, encodeFields, maxFields } from '../../../../src/formats/thrift/field-list.ts'
import { decodeThriftText, encodeThriftText } from '../../../../src/formats/thrift/text.ts'
import { type ThriftField, thriftType } from '../../../../src/formats/thrift/types.ts'

const { bool, byte, double, i16, i32, i64, string } = thriftType
const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))
const text = (id: number, value: string): ThriftField => ({ id, type: string, value: encodeThriftText(value) })

const lists: readonly { readonly name: string; readonly bytes: string; readonly fields: readonly ThriftField[] }[] = [
  { name: 'no fields', bytes: '00', fields: [] },
  { name: 'one text', bytes: '0b000100000005576f726c6400', fields: [text(1, 'World')] },
  { name: 'a gap stays a gap', bytes: '0b000100000001410b0003000000014200', fields: [text(1, 'A'), text(3, 'B')] },
  {
    name: 'descending, repeated and negative ids',
    bytes: '020002010200010002000201' + '02ffff0100',
    fields: [
      { id: 2, type: bool, value: true },
      { id: 1, type: bool, value: false },
      { id: 2, type: bool, value: true },
      { id: -1, type: bool, value: true },
    ],
  },
  {
    name: 'all types from id 0',
    bytes:
      '0b000000000006737472696e6702000101030002010600030002080004000000040a0005000000000000000804000640091eb851eb851f00',
    fields: [
      text(0, 'string'),
      { id: 1, type: bool, value: true },
      { id: 2, type: byte, value: 1 },
      { id: 3, type: i16, value: 2 },
      { id: 4, type: i32, value: 4 },
      { id: 5, type: i64, value: 8n },
      { id: 6, type: double, value: 3.14 },
    ],
  },
  {
    name: 'negative and large values, UTF-8',
    bytes: '02000101030002fe06000302c1080004003013010a0005000000034134134104000640091eb851eb851f0b000700000002c3a900',
    fields: [
      { id: 1, type: bool, value: true },
      { id: 2, type: byte, value: -2 },
      { id: 3, type: i16, value: 705 },
      { id: 4, type: i32, value: 3_150_593 },
      { id: 5, type: i64, value: 13_978_833_729n },
      { id: 6, type: double, value: 3.14 },
      text(7, 'é'),
    ],
  },
  {
    name: 'an alert of five fields',
    bytes:
      '0b0001000000064e4147494f530b00020000000f6e6167696f73406e696e672e636f6d0b00030000000f706965727265406e696e672e636f6d0b00040000000e416c657274696e6720616c6572740a00050000011e954c308e00',
    fields: [
      text(1, 'NAGIOS'),
      text(2, 'nagios@ning.com'),
      text(3, 'pierre@ning.com'),
      text(4, 'Alerting alert'),
      { id: 5, type: i64, value: 1_230_865_445_006n },
    ],
  },
  {
    name: 'a gap between texts',
    bytes: '0b00010000000e4d792066697273742076616c75650b0003000000164c6f6f6b2120576527766520736b697070656420322100',
    fields: [text(1, 'My first value'), text(3, "Look! We've skipped 2!")],
  },
]

describe('a field list', () => {
  test.each(lists)('$name', ({ bytes, fields }) => {
    expect(decodeFields(hex(bytes)).map(plain)).toEqual(fields.map(plain))
    expect(Buffer.from(encodeFields(fields)).toString('hex')).toBe(bytes)
    expect(checkFieldList(hex(bytes))).toBe(bytes.length / 2)
  })

  test('is refused at every byte where it is cut', () => {
    for (const { bytes } of lists) {
      const whole = hex(bytes)
      // A length that lies can only be met after its field began, so every proper prefix is too short.
      for (let end = 0; end < whole.length; end++) {
        expect(() => checkFieldList(whole, 0, end)).toThrow(FormatError)
        expect(() => decodeFields(whole.slice(0, end))).toThrow(FormatError)
      }
    }
  })

  test('ends at its stop; what follows is left alone', () => {
    const bytes = hex('0b000100000005576f726c64006a756e6b')
    expect(checkFieldList(bytes)).toBe(13)
    expect(decodeFields(bytes)).toHaveLength(1)
    expect(checkFieldList(hex(`ffff${'0200010100'}ff`), 2)).toBe(7)
  })

  test.each([
    { bytes: '0c00010000', want: 'thrift: expected a field of a primitive type, found struct (12) at byte 0' },
    {
      bytes: '02000101' + '0f00020200000000' + '00',
      want: 'thrift: expected a field of a primitive type, found list (15) at byte 4',
    },
    { bytes: '07000100', want: 'thrift: expected a field of a primitive type, found unknown type 7 at byte 0' },
    {
      bytes: '0b00017fffffff00',
      want: 'thrift: expected a length of at most the 1 bytes left, found 2147483647 at byte 3',
    },
    { bytes: '0b0001ffffffff00', want: 'thrift: expected a length of at most the 1 bytes left, found -1 at byte 3' },
    { bytes: '0a0001000000', want: 'thrift: expected an i64 of 8 bytes, found 3 at byte 3' },
    { bytes: '', want: 'thrift: expected a field type or the end of the struct of 1 byte, found 0 at byte 0' },
  ])('$bytes: $want', ({ bytes, want }) => {
    expect(() => decodeFields(hex(bytes))).toThrow(want)
    expect(() => checkFieldList(hex(bytes))).toThrow(bytes.startsWith('0a') ? FormatError : want)
  })

  test('has no more fields than there are ids', () => {
    const bytes = new Uint8Array(4 * (maxFields + 1) + 1)
    for (let i = 0; i <= maxFields; i++) bytes[4 * i] = bool
    expect(() => checkFieldList(bytes)).toThrow('expected at most 65536 fields')
    expect(() => decodeFields(bytes)).toThrow('expected at most 65536 fields')
    expect(checkFieldList(bytes.subarray(4))).toBe(4 * maxFields + 1)
  })

  test('survives writing and reading', () => {
    fc.assert(
      fc.property(fc.array(anyField, { maxLength: 20 }), fields => {
        const bytes = encodeFields(fields)
        expect(checkFieldList(bytes)).toBe(bytes.length)
        expect(decodeFields(bytes).map(plain)).toEqual(fields.map(plain))
      }),
    )
  })

  test.each([
    { id: 1, type: byte, value: 128 },
    { id: 1, type: i16, value: -32_769 },
    { id: 1, type: i32, value: 2 ** 31 },
    { id: 1, type: i32, value: 0.5 },
    { id: 1, type: i64, value: 2n ** 63n },
    { id: 32_768, type: bool, value: true },
  ] as const)('refuses to write $value of type $type as id $id', field => {
    expect(() => encodeFields([field])).toThrow(RangeError)
  })

  test('grows as far as its fields need, keeping the bytes before', () => {
    const fields = [100, 200, 5000, 300].map((length, index) => text(index, String(index).repeat(length)))
    const bytes = encodeFields(fields)
    expect(bytes).toHaveLength(4 * 7 + 5600 + 1)
    expect(decodeFields(bytes).map(plain)).toEqual(fields.map(plain))
  })

  test('writes NaN as Java does', () => {
    const negativeNaN = new Float64Array(new BigUint64Array([0xfff8_0000_0000_0001n]).buffer)[0] ?? 0
    const bytes = encodeFields([{ id: 4, type: double, value: negativeNaN }])
    expect(Buffer.from(bytes).toString('hex')).toBe('0400047ff800000000000000')
  })
})

/** The vitest matcher distinguishes a Buffer from other arrays of the same bytes. */
const plain = (field: ThriftField): unknown => (field.type === string ? { ...field, value: [...field.value] } : field)

const id = fc.integer({ min: -32_768, max: 32_767 })
const anyField: fc.Arbitrary<ThriftField> = fc.oneof(
  fc.record({ id, type: fc.constant(bool), value: fc.boolean() }),
  fc.record({ id, type: fc.constant(byte), value: fc.integer({ min: -128, max: 127 }) }),
  fc.record({ id, type: fc.constant(i16), value: fc.integer({ min: -32_768, max: 32_767 }) }),
  fc.record({ id, type: fc.constant(i32), value: fc.integer() }),
  fc.record({ id, type: fc.constant(i64), value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) }),
  fc.record({ id, type: fc.constant(double), value: fc.double() }),
  fc.record({ id, type: fc.constant(string), value: fc.uint8Array({ maxLength: 600 }) }),
)

describe('text of a field', () => {
  test.each([
    { given: '', want: '' },
    { given: ' pad ', want: ' pad ' },
    { given: '\u{feff}é日😀', want: '\u{feff}é日😀' },
    { given: 'a'.repeat(100), want: 'a'.repeat(100) },
    { given: 'half \ud800', want: 'half \ufffd' },
  ])('$given', ({ given, want }) => {
    expect(decodeThriftText(encodeThriftText(given))).toBe(want)
  })

  test('takes bytes that are not UTF-8', () => {
    expect(decodeThriftText(Uint8Array.of(0x41, 0xff))).toBe('A\ufffd')
  })
})
