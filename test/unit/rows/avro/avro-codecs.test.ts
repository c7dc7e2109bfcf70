import { Buffer } from 'node:buffer'
import { deflateRawSync, deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { findAvroCodec } from '../../../../src/rows/avro/avro-codecs.ts'

const read = async (bytes: Uint8Array): Promise<string> => {
  const parts: Uint8Array[] = []
  for await (const part of findAvroCodec('deflate')(Buffer.from(bytes)).rest()) parts.push(part)
  return Buffer.concat(parts).toString()
}

/** What a block unfolds into: at once, and as it is read. */
describe.each([
  ['small', 'hello '.repeat(1_000)],
  ['large', 'hello '.repeat(300_000)],
])('a %s block of deflate', (_, text) => {
  test.each([1, 2, 3, 4])('may have %d bytes of a checksum behind it, as writers in Python leave them', async size => {
    const zlib = deflateSync(text)
    expect(await read(zlib.subarray(2, zlib.length - 4 + size))).toBe(text)
  })

  test('may be several streams', async () => {
    expect(await read(Buffer.concat([deflateRawSync(text), deflateRawSync('end')]))).toBe(`${text}end`)
  })

  test.each([1, 5, 512, 100_000])('may have %d zero bytes behind it', async size => {
    expect(await read(Buffer.concat([deflateRawSync(text), Buffer.alloc(size)]))).toBe(text)
  })

  test('with more behind it is damaged', async () => {
    await expect(read(Buffer.concat([deflateRawSync(text), Buffer.from('\xff'.repeat(5), 'latin1')]))).rejects.toThrow()
  })

  test('that is cut is damaged', async () => {
    await expect(read(deflateRawSync(text).subarray(0, -1))).rejects.toThrow()
  })
})
