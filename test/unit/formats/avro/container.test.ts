import { Buffer } from 'node:buffer'
import { deflateRawSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readAvroFile, writeAvroFile } from '../../../../src/formats/avro/container.ts'
import { AvroWriter } from '../../../../src/formats/avro/writer.ts'
import { unlimited } from '../../../../src/formats/budget.ts'
import type { Value } from '../../../../src/formats/number.ts'

const schema = {
  type: 'record',
  name: 'all',
  fields: [
    { name: 'n', type: 'long' },
    { name: 'at', type: ['null', { type: 'long', logicalType: 'timestamp-micros' }], default: null },
    { name: 'text', type: 'string' },
    { name: 'raw', type: 'bytes' },
    { name: 'is', type: 'boolean' },
    { name: 'ratio', type: 'double' },
    { name: 'list', type: { type: 'array', items: { type: 'map', values: 'int' } } },
    { name: 'fixed', type: { type: 'fixed', name: 'f', size: 2 } },
  ],
}
const base = {
  at: null,
  text: 'é😀',
  raw: Buffer.of(0, 255),
  is: true,
  ratio: 0.5,
  list: [{ a: 1, b: -1 }, {}],
  fixed: Buffer.of(1, 2),
}
const longs = [
  0,
  -1,
  1,
  63,
  64,
  -64,
  -65,
  2 ** 31,
  2 ** 52,
  -(2 ** 52),
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  2n ** 63n - 1n,
  -(2n ** 63n),
]
const rows = longs.map((n): { [name: string]: Value } => ({ n, ...base }))

/** For comparison: bytes of any class. */
const plain = ({ raw, fixed, ...rest }: typeof base) => ({ ...rest, raw: [...raw], fixed: [...fixed] })

describe('an Avro file', () => {
  test('is read as it was written, integers of 64 bits exact and times as integers', () => {
    const file = writeAvroFile(schema, { 'a-key': 'a value' }, [...rows, { ...base, n: 1, at: 1_767_323_045_000_001 }])
    const { metadata, records } = readAvroFile(file, unlimited)
    expect(metadata.get('a-key')).toBe('a value')
    expect(records.map(record => (record as { n: Value }).n)).toEqual([...longs, 1])
    expect((records.at(-1) as { at: Value }).at).toBe(1_767_323_045_000_001)
    const { n: _, ...first } = records[0] as typeof base & { n: Value }
    expect(plain({ ...first, ratio: Number(first.ratio) })).toEqual(plain(base))
  })

  test('has no block where it has no records', () => {
    expect(readAvroFile(writeAvroFile(schema, {}, []), unlimited).records).toEqual([])
  })

  test.each([
    ['deflate', deflateRawSync],
    ['zstandard', zstdCompressSync],
  ] as const)('of another writer may be compressed by %s', (codec, compress) => {
    const file = recompress(codec, bytes => compress(bytes))
    expect(readAvroFile(file, unlimited).records).toHaveLength(rows.length)
    const limits = { ...unlimited, bytes: { max: 10 } }
    expect(() => readAvroFile(file, limits)).toThrow(/decompressed|at most/)
  })

  test('may unfold into no more than the limit, over all of its blocks', () => {
    const block = (count: number, bytes: Uint8Array): Buffer => {
      const counts = new AvroWriter()
      counts.long(count)
      counts.long(bytes.length)
      return Buffer.concat([counts.finish(), bytes])
    }
    const file = recompress('deflate', bytes => deflateRawSync(bytes))
    const sync = file.subarray(-16)
    // Blocks without records: no value of theirs is counted.
    const bomb = Buffer.concat([block(0, deflateRawSync(Buffer.alloc(60_000))), sync])
    const bombs = Buffer.concat([file, ...Array.from({ length: 20 }, () => bomb)])
    expect(readAvroFile(bombs, { ...unlimited, bytes: { max: 2_000_000 } }).records).toHaveLength(rows.length)
    expect(() => readAvroFile(bombs, { ...unlimited, bytes: { max: 1_000_000 } })).toThrow(
      /at most 1000000 bytes|decompressed/,
    )
  })

  test('that is damaged, cut, of another codec, or no Avro file is refused with the place', () => {
    const file = writeAvroFile(schema, {}, rows)
    expect(() => readAvroFile(file.subarray(0, file.length - 1), unlimited)).toThrow(/expected a block/)
    const marked = Buffer.from(file)
    marked[marked.length - 1] = (marked.at(-1) ?? 0) ^ 1
    expect(() => readAvroFile(marked, unlimited)).toThrow(/sync mark/)
    expect(() => readAvroFile(Buffer.from('PAR1'), unlimited)).toThrow(/expected an Avro file/)
    expect(() =>
      readAvroFile(
        recompress('snappy', bytes => bytes),
        unlimited,
      ),
    ).toThrow(/found snappy/)
    expect(() => readAvroFile(file, { ...unlimited, values: { max: 20 } })).toThrow(/20/)
  })

  test.each<[string, Value]>([
    ['long', '1'],
    ['long', 0.5],
    ['string', 1],
    ['bytes', 'a'],
    ['boolean', null],
    ['null', 1],
  ])('a %s is not made of %o', (type, value) => {
    expect(() => new AvroWriter().value({ type } as { type: 'long' }, value)).toThrow(/cannot be written/)
  })
})

/** The file with its block compressed. */
const recompress = (codec: string, compress: (bytes: Buffer) => Uint8Array): Buffer => {
  const file = writeAvroFile(schema, {}, rows)
  const empty = writeAvroFile(schema, {}, [])
  const sync = file.subarray(-16)
  const [, blockAt] = skipLong(file, skipLong(file, empty.length)[1])
  const packed = compress(file.subarray(blockAt, file.length - 16))
  const counts = new AvroWriter()
  counts.long(rows.length)
  counts.long(packed.length)
  const header = new AvroWriter()
  const metadata = { 'avro.schema': Buffer.from(JSON.stringify(schema)), 'avro.codec': Buffer.from(codec) }
  header.value({ type: 'map', items: { type: 'bytes' } }, metadata)
  return Buffer.concat([Buffer.from('Obj\u0001'), header.finish(), sync, counts.finish(), packed, sync])
}

const skipLong = (bytes: Buffer, from: number): readonly [start: number, end: number] => {
  let end = from
  while ((bytes[end] ?? 0) & 0x80) end++
  return [from, end + 1]
}
