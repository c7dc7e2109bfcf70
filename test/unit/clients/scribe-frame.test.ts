import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { field } from '../../../clients/tracker/fields.ts'
import { readLogReply, toEntry, toLogCall } from '../../../clients/tracker/scribe-frame.ts'
import { FormatError } from '../../../src/errors.ts'

const strictCall =
  '0000004e80010001000000034c6f67000000000f00010c000000010b00010000000548656c6c6f0b000200000022' +
  '313233303836353434353030363a437741424141414142566476636d786b41413d3d0000'

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))

describe('toLogCall', () => {
  test('writes the bytes that old servers know', () => {
    const entry = toEntry('Hello', 1_230_865_445_006, [field.text('World')])
    expect(Buffer.from(toLogCall([entry], 0)).toString('hex')).toBe(strictCall)
  })

  test('numbers fields by position, whatever their types', () => {
    const fields = [field.bool(true), field.byte(1), field.i16(2), field.i32(4), field.i64(8n), field.double(1.5)]
    const message =
      Buffer.from(toEntry('A', 0, fields))
        .toString('latin1')
        .split(':')[1] ?? ''
    expect(Buffer.from(message, 'base64').toString('hex')).toBe(
      '0200010103000201060003000208000400000004' + '0a00050000000000000008' + '0400063ff800000000000000',
    )
  })

  test('refuses annotations, which only GET has', () => {
    expect(() => toEntry('A', 0, [field.annotation('ip')])).toThrow(TypeError)
  })
})

describe('readLogReply', () => {
  test.each([
    { name: 'OK', given: '80010002000000034c6f67000000000800000000000000', want: 'ok' },
    { name: 'TRY_LATER', given: '80010002000000034c6f67000000000800000000000100', want: 'try-later' },
    { name: 'OK without a version', given: '000000034c6f6702000000000800000000000000', want: 'ok' },
    {
      name: 'OK after a field that is not known',
      given: '80010002000000034c6f67000000000b000500000001610800000000000000',
      want: 'ok',
    },
  ])('$name', ({ given, want }) => {
    expect(readLogReply(bytes(given), 0)).toBe(want)
  })

  test.each([
    { name: 'an exception', given: '80010003000000034c6f670000000000' },
    { name: 'another sequence number', given: '80010002000000034c6f67000000010800000000000000' },
    { name: 'another method', given: '80010002000000034c6f68000000000800000000000000' },
    { name: 'no result', given: '80010002000000034c6f670000000000' },
    { name: 'a result that is neither', given: '80010002000000034c6f67000000000800000000000200' },
    { name: 'a name beyond the end', given: '7fffffff4c6f67' },
    { name: 'nothing', given: '' },
  ])('refuses $name', ({ given }) => {
    expect(() => readLogReply(bytes(given), 0)).toThrow(FormatError)
  })

  test('any bytes are a reply or a FormatError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.boolean(), (tail, isStrict) => {
        const head = isStrict ? bytes('80010002000000034c6f6700000000') : new Uint8Array()
        try {
          expect(['ok', 'try-later']).toContain(readLogReply(Buffer.concat([head, tail]), 0))
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError)
        }
      }),
    )
  })
})
