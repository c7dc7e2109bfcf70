import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../src/errors.ts'
import { decodeHadoopToken, encodeHadoopToken } from '../../../src/formats/hadoop-token.ts'

const known = { identifier: Buffer.from('id'), password: Buffer.from('pw'), kind: 'K', service: '127.0.0.1:8080' }

test('is four parts, each behind its length', () => {
  expect(Buffer.from(encodeHadoopToken(known), 'base64url').toString('latin1')).toBe(
    '\x02id\x02pw\x01K\x0e127.0.0.1:8080',
  )
})

test('comes back as it was, however long', () => {
  const bytes = fc.uint8Array({ maxLength: 400 })
  const text = fc.string({ unit: 'grapheme', maxLength: 300 }).map(one => one.toWellFormed())
  fc.assert(
    fc.property(bytes, bytes, text, text, (identifier, password, kind, service) => {
      const read = decodeHadoopToken(encodeHadoopToken({ identifier, password, kind, service }))
      expect([new Uint8Array(read.identifier), new Uint8Array(read.password)]).toEqual([identifier, password])
      expect([read.kind, read.service]).toEqual([kind, service])
    }),
  )
})

describe('anything else is refused', () => {
  const encoded = encodeHadoopToken(known)
  test('cut at any character, or longer', () => {
    for (let end = 0; end < encoded.length; end++) {
      expect(() => decodeHadoopToken(encoded.slice(0, end)), `cut at ${end}`).toThrow(FormatError)
    }
    expect(() => decodeHadoopToken(`${encoded}AAAA`)).toThrow(FormatError)
    expect(() => decodeHadoopToken(`${encoded}=`)).toThrow(FormatError)
  })

  test('whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), text => {
        try {
          decodeHadoopToken(text)
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
