import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeThriftText } from '../../../../src/formats/thrift/text.ts'
import { ThriftWriter } from '../../../../src/formats/thrift/writer.ts'

describe('ThriftWriter', () => {
  test('writes plain numbers as it writes bigints', () => {
    const limits = [0, -0, -1, 2 ** 32, -(2 ** 32), Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.constantFrom(...limits)), value => {
        expect(written(writer => writer.i64(value))).toBe(written(writer => writer.i64(BigInt(value))))
      }),
    )
  })

  test.each([2 ** 53, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d as i64', value => {
    expect(() => new ThriftWriter().i64(value)).toThrow(RangeError)
  })

  test('writes text as it writes its UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), text => {
        const utf8 = encodeThriftText(text)
        expect(written(writer => writer.text(text))).toBe(written(writer => writer.binary(utf8)))
      }),
    )
    expect(written(writer => writer.text('half \ud800'))).toBe(written(writer => writer.text('half \ufffd')))
  })

  test('writes nothing where there is nothing to put', () => {
    const writer = new ThriftWriter()
    writer.byte(1)
    expect(writer.binaryBy(1_000, () => -1)).toBe(false)
    writer.byte(2)
    expect(toHex(writer)).toBe('0102')
  })

  test.each([10, 100_000])('starts over after %d bytes', length => {
    const writer = new ThriftWriter()
    writer.text('a'.repeat(length))
    writer.clear()
    expect(writer.bytes()).toHaveLength(0)
    writer.i32(-2)
    expect(toHex(writer)).toBe('fffffffe')
  })
})

const written = (write: (writer: ThriftWriter) => void): string => {
  const writer = new ThriftWriter(1)
  write(writer)
  return toHex(writer)
}

const toHex = (writer: ThriftWriter): string => Buffer.from(writer.bytes()).toString('hex')
