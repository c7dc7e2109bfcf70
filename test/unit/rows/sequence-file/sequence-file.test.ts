import { createHash } from 'node:crypto'
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { encodeSmileValue } from '../../../../src/formats/sequence-file/layout.ts'
import { encodeVint } from '../../../../src/formats/sequence-file/vint.ts'
import { createSmileWriter } from '../../../../src/formats/smile/writer.ts'
import { encodeEnvelope } from '../../../../src/formats/thrift/envelope.ts'
import { encodeFields } from '../../../../src/formats/thrift/field-list.ts'
import { encodeThriftText } from '../../../../src/formats/thrift/text.ts'
import { type ThriftField, thriftType } from '../../../../src/formats/thrift/types.ts'
import type { Mark } from '../../../../src/rows/reading.ts'
import type { Registrar } from '../../../../src/rows/registrar/registrar.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { hadoopBlocks, lz4Block, snappyBlock } from '../../codecs/encoders.ts'
import { type BuildOptions, buildSequenceFile, sync, toTextValue } from '../../formats/sequence-file/versions.ts'
import { collect, fixture, openBytes, readJson, toJson } from '../files.ts'

const texts = ['a\tb', '', 'héllo', 'x'.repeat(200), 'last'].map(toTextValue)
const rows = [
  '{"col-0":"a","col-1":"b"}',
  '{"col-0":""}',
  '{"col-0":"héllo"}',
  `{"col-0":"${'x'.repeat(200)}"}`,
  '{"col-0":"last"}',
]

const layouts: readonly BuildOptions[] = [
  ...[1, 2, 3, 4, 5, 6].map(version => ({ version })),
  ...[3, 4, 5, 6].map(version => ({ version, compression: 'record' as const, compress: deflateSync })),
  ...[4, 5, 6].map(version => ({ version, compression: 'block' as const, compress: deflateSync })),
]

describe('layouts', () => {
  test.each(layouts)('version $version, compression $compression', async options => {
    expect(await readJson('x', buildSequenceFile(texts, options))).toEqual(rows)
    expect(await readJson('x', buildSequenceFile([], options))).toEqual([])
  })

  test.each([
    { codec: 'DefaultCodec', compress: deflateSync },
    { codec: 'GzipCodec', compress: gzipSync },
    { codec: 'ZStandardCodec', compress: zstdCompressSync },
    { codec: 'SnappyCodec', compress: (bytes: Uint8Array) => hadoopBlocks(bytes, snappyBlock) },
    { codec: 'Lz4Codec', compress: (bytes: Uint8Array) => hadoopBlocks(bytes, lz4Block) },
  ])('codec $codec', async ({ codec, compress }) => {
    const codecClass = `org.apache.hadoop.io.compress.${codec}`
    for (const compression of ['record', 'block'] as const) {
      const options = { compression, codecClass, compress: (bytes: Uint8Array): Uint8Array => compress(bytes) }
      expect(await readJson('x', buildSequenceFile(texts, options))).toEqual(rows)
    }
  })

  test('a sync mark may be at the very end', async () => {
    const mark = Buffer.concat([Buffer.from('ffffffff', 'hex'), sync])
    for (const options of layouts.filter(({ version }) => version === 6)) {
      expect(await readJson('x', Buffer.concat([buildSequenceFile(texts, options), mark]))).toEqual(rows)
    }
  })

  test('an unknown codec is named', async () => {
    const file = buildSequenceFile(texts, {
      compression: 'block',
      codecClass: 'com.example.XCodec',
      compress: deflateSync,
    })
    await expect(openBytes('x', file)).rejects.toThrow('unknown codec com.example.XCodec')
  })
})

describe('classes', () => {
  const thrift: readonly ThriftField[] = [
    { id: 2, type: thriftType.string, value: encodeThriftText(' not trimmed ') },
    { id: 4, type: thriftType.i64, value: -(2n ** 63n) },
    { id: 5, type: thriftType.double, value: 3 },
  ]
  const envelope = encodeEnvelope({ typeName: 'E', payload: encodeFields(thrift) })
  const registrar: Registrar = {
    fields: name =>
      name === 'E'
        ? [
            { id: 4, name: 'big', type: 'long' },
            { id: 7, name: 'none', type: 'string' },
          ]
        : undefined,
    close: () => {},
  }

  test.each(['com.ning.metrics.serialization.thrift.ThriftEnvelope', 'com.ning.serialization.ThriftEnvelope'])(
    '%s',
    async valueClass => {
      const file = buildSequenceFile([envelope], { valueClass })
      const want = '{"2":" not trimmed ","3":"","4":-9223372036854775808,"5":3.0}'
      expect(await readJson('x', file)).toEqual([want])
      expect(await readJson('x', file, { registrar })).toEqual([
        '{"big":-9223372036854775808,"none":"","2":" not trimmed ","5":3.0}',
      ])
    },
  )

  test('ids that descend or lie far apart make no columns between them', async () => {
    const fields = [9, 3, 30_000].map(id => ({ id, type: thriftType.bool, value: true }) as const)
    const valueClass = 'com.ning.serialization.ThriftEnvelope'
    const values = [fields, fields.slice(1), []].map(list =>
      encodeEnvelope({ typeName: 'E', payload: encodeFields(list) }),
    )
    expect(await readJson('x', buildSequenceFile(values, { valueClass }))).toEqual([
      '{"9":true,"3":true,"30000":true}',
      '{"3":true,"30000":true}',
      '{}',
    ])
  })

  test('a repeated id keeps both values', async () => {
    const fields = [1, 1].map((id, i) => ({ id, type: thriftType.i32, value: i }) as const)
    const valueClass = 'com.ning.serialization.ThriftEnvelope'
    const value = encodeEnvelope({ typeName: 'E', payload: encodeFields(fields) })
    expect(await readJson('x', buildSequenceFile([value], { valueClass }))).toEqual(['{"Field_0":0,"1":1}'])
  })

  test('SmileOutputStream: a row for each payload', async () => {
    const writer = createSmileWriter()
    writer.startArray()
    writer.write({ a: 1, n: null })
    writer.write({ a: 2, nested: { b: [true] } })
    writer.endArray()
    const document = writer.take()
    const valueClass = 'com.ning.metrics.serialization.smile.SmileOutputStream'
    const file = buildSequenceFile([encodeSmileValue('E', document)], { valueClass })
    expect(await readJson('x', file)).toEqual(['{"a":1,"n":""}', '{"a":2,"nested":{"b":[true]}}'])
    const cut = buildSequenceFile([encodeSmileValue('E', document.subarray(0, -4))], { valueClass })
    const found = await collect(await openBytes('x', cut))
    expect(found.rows).toHaveLength(1)
    expect(found.error).toBeInstanceOf(FormatError)
  })

  test('an unknown class is named, and the setting that adds it', async () => {
    const file = buildSequenceFile([envelope], { valueClass: 'com.example.Unknown' })
    await expect(openBytes('x', file)).rejects.toThrow(/com\.example\.Unknown.*io\.serializations/)
  })

  test('the layout of 2010', async () => {
    const file = fixture('sequence-file/layout-2010-hello20.seq')
    expect(await readJson('x', file)).toEqual(Array(20).fill('{"1":"world"}'))
  })
})

describe('bombs and damage', () => {
  const header = buildSequenceFile([], { compression: 'block' })
  const block = (count: number, buffers: readonly Uint8Array[]): Buffer =>
    Buffer.concat([
      header,
      Buffer.from('ffffffff', 'hex'),
      sync,
      encodeVint(count),
      ...buffers.flatMap(buffer => [encodeVint(buffer.length), buffer]),
    ])
  const empty = deflateSync(Buffer.alloc(0))
  const large = deflateSync(Buffer.alloc(65 * 1024 * 1024))

  test.each([
    {
      name: 'a count without lengths',
      file: block(0x7fff_ffff, [empty, empty, empty, empty]),
      want: 'at most 0 records',
    },
    {
      name: 'values beyond the limit',
      file: block(1, [empty, empty, deflateSync(Buffer.from([1])), large]),
      want: 'too large',
    },
    { name: 'lengths beyond their count', file: block(1, [empty, empty, large, empty]), want: 'too large' },
    {
      name: 'lengths beyond the values',
      file: block(1, [empty, empty, deflateSync(Buffer.from([9])), empty]),
      want: 'fit',
    },
    {
      name: 'a huge buffer',
      file: Buffer.concat([block(1, []), Buffer.from('8c7fffffff', 'hex')]),
      want: 'a buffer of at most',
    },
    {
      name: 'a huge vint',
      file: Buffer.concat([block(1, []), Buffer.from('88ffffffffffffffff', 'hex')]),
      want: '32-bit',
    },
    {
      name: 'a huge record',
      file: Buffer.concat([buildSequenceFile([]), Buffer.from('7fffffff00000000', 'hex')]),
      want: 'at most',
    },
    {
      name: 'a key beyond its record',
      file: Buffer.concat([buildSequenceFile([]), Buffer.from('0000000400000005', 'hex')]),
      want: 'a key within',
    },
    { name: 'a foreign mark', file: Buffer.concat([buildSequenceFile([]), Buffer.alloc(24, 0xff)]), want: 'sync mark' },
  ])('$name', async ({ file, want }) => {
    const { error } = await collect(await openBytes('x', file))
    expect(error).toBeInstanceOf(FormatError)
    expect(error?.message).toContain(want)
  })

  test('many empty values come in batches', async () => {
    const count = 100_000
    const file = block(count, [empty, empty, deflateSync(Buffer.alloc(count, 1)), deflateSync(Buffer.alloc(count))])
    let rowCount = 0
    for await (const batch of (await openBytes('x', file)).batches) {
      expect(batch.rows.length).toBeLessThan(1_000)
      expect(batch.first).toBe(rowCount)
      rowCount += batch.rows.length
    }
    expect(rowCount).toBe(count)
  })
})

describe('numbers, byte by byte', () => {
  const io = 'org.apache.hadoop.io.'

  test.each([
    { name: 'IntWritable', hex: '0000007f', want: '127', raw: '127' },
    { name: 'IntWritable', hex: '80000001', want: '-2147483647', raw: '-2147483647' },
    { name: 'IntWritable', hex: '01020304', want: '16909060', raw: '16909060' },
    { name: 'LongWritable', hex: '7fffffffffffffff', want: '9223372036854775807', raw: '9223372036854775807' },
    { name: 'LongWritable', hex: 'fffffffffffffffe', want: '-2', raw: '-2' },
    { name: 'ShortWritable', hex: 'ff00', want: '-256', raw: '-256' },
    { name: 'ByteWritable', hex: '80', want: '-128', raw: '-128' },
    { name: 'BooleanWritable', hex: '01', want: 'true', raw: 'true' },
    { name: 'FloatWritable', hex: '3dcccccd', want: '0.1', raw: '0.1' },
    { name: 'DoubleWritable', hex: '3ff8000000000000', want: '1.5', raw: '1.5' },
    { name: 'DoubleWritable', hex: 'c000000000000000', want: '-2.0', raw: '-2.0' },
    { name: 'DoubleWritable', hex: '3fb999999999999a', want: '0.1', raw: '0.1' },
    { name: 'DoubleWritable', hex: '4202a05f20000000', want: '10000000000.0', raw: '1.0E10' },
  ])('$name $hex is $want', async ({ name, hex, want, raw }) => {
    const file = buildSequenceFile([Buffer.from(hex, 'hex')], { valueClass: io + name })
    expect(await readJson('x', file)).toEqual([`{"col-0":${want}}`])
    expect(await readJson('x', file, { raw: true })).toEqual([`{"record":"${raw}"}`])
    for (const wrong of [hex.slice(2), `${hex}00`]) {
      const { error } = await collect(
        await openBytes('x', buildSequenceFile([Buffer.from(wrong, 'hex')], { valueClass: io + name })),
      )
      expect(error?.message).toContain(`expected ${hex.length / 2} bytes, found ${wrong.length / 2}`)
    }
  })
})

describe('a large block', () => {
  const block = 'block' as const
  const lines = Array.from({ length: 3_000 }, (_, i) => `${i}\t${createHash('sha256').update(String(i)).digest('hex')}`)
  const all = lines.map(line => line.split('\t')).map(([a, b]) => `{"col-0":"${a}","col-1":"${b}"}`)
  const build = (
    compress: (bytes: Uint8Array) => Uint8Array = deflateSync,
    codec = 'DefaultCodec',
    run = lines.length,
  ): Buffer =>
    buildSequenceFile(lines.map(toTextValue), {
      compression: block,
      run,
      compress,
      codecClass: `org.apache.hadoop.io.compress.${codec}`,
    })

  /** Opens bytes that arrive in chunks of 16 KiB, and counts those. */
  const openChunks = async (bytes: Uint8Array, from?: Mark) => {
    const memory = createMemoryFileSystem()
    const counted = { chunks: 0, opens: 0 }
    async function* chunks(offset: number, end: number): AsyncGenerator<Uint8Array> {
      for (let at = offset; at < end; at += 16_384) {
        counted.chunks++
        yield bytes.subarray(at, Math.min(end, at + 16_384))
      }
    }
    const open: FileSystem['open'] = async (_, { offset = 0, length = bytes.length - offset } = {}) => {
      counted.opens++
      return ReadableStream.from(chunks(offset, Math.min(bytes.length, offset + length)))
    }
    const reading = await openBytes('x', bytes, { fileSystem: { ...memory, open }, from })
    return { reading, counted }
  }

  test.each([
    ['DefaultCodec', deflateSync],
    ['GzipCodec', gzipSync],
  ] as const)('its first rows need its first bytes only: %s', async (codec, compress) => {
    const { reading, counted } = await openChunks(build(bytes => compress(bytes), codec))
    for await (const { rows: found, first, mark } of reading.batches) {
      expect([first, mark?.row, found.length > 50, found.length < 512]).toEqual([0, 0, true, true])
      expect(Array.from(found, toJson)).toEqual(all.slice(0, found.length))
      break
    }
    expect(counted.chunks).toBeLessThanOrEqual(2)
  })

  test.each([3_000, 1_500])('all of them are there once, with the marks of their blocks: %i', async run => {
    const { reading } = await openChunks(build(deflateSync, 'DefaultCodec', run))
    const { rows: found, marks, error } = await collect(reading)
    expect(error).toBeUndefined()
    expect(found.map(toJson)).toEqual(all)
    expect(new Set(marks.map(({ row }) => row))).toEqual(new Set([0, run, all.length]))
  })

  test('reading on from the mark of the first row begins at the top, and looks nowhere before', async () => {
    const bytes = build()
    const from = (await collect((await openChunks(bytes)).reading)).marks[0]
    const { reading, counted } = await openChunks(bytes, from)
    for await (const { rows: found, first } of reading.batches) {
      expect([first, Array.from(found, toJson)[0]]).toEqual([0, all[0]])
      break
    }
    expect([from?.row, counted.opens]).toEqual([0, 1])
  })

  test('a codec that needs all of it', async () => {
    const { reading } = await openChunks(build(bytes => hadoopBlocks(bytes, snappyBlock), 'SnappyCodec'))
    expect((await collect(reading)).rows.map(toJson)).toEqual(all)
  })

  test('damage is reported after the rows before it that were seen, and for the same place', async () => {
    const bytes = build()
    const start = (await collect((await openChunks(bytes)).reading)).marks[0]?.offset ?? 0
    const late = Buffer.from(bytes).fill(0xff, bytes.length - 2_000, bytes.length - 1_000)
    const { rows: found, error } = await collect((await openChunks(late)).reading)
    expect(error?.message).toMatch(`sequence file: bad value: deflate: damaged, or too large`)
    expect(error?.message).toMatch(new RegExp(`at byte ${start}$`))
    expect(found.length).toBeGreaterThan(50)
    expect(found.map(toJson)).toEqual(all.slice(0, found.length))
    const cut = await collect((await openChunks(bytes.subarray(0, 60_000))).reading)
    expect(cut.error?.message).toMatch('expected a block, found the end')
    expect(cut.rows.map(toJson)).toEqual(all.slice(0, cut.rows.length))
  })
})
