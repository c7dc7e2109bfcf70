import { once } from 'node:events'
import zlib from 'node:zlib'
import avro from 'avsc'
import { describe, expect, test } from 'vitest'
import { crc32c } from '../../../src/bytes/crc32c.ts'
import { FormatError } from '../../../src/errors.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { createSmileWriter } from '../../../src/formats/smile/writer.ts'
import { encodeRecord } from '../../../src/formats/thrift/envelope-stream.ts'
import { encodeFields } from '../../../src/formats/thrift/field-list.ts'
import { thriftType } from '../../../src/formats/thrift/types.ts'
import { createOpenRows } from '../../../src/rows/create-open-rows.ts'
import { noRegistrar } from '../../../src/rows/registrar/registrar.ts'
import { loadRowSerializers, loadSerializations } from '../../../src/rows/serializers/load-serializers.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { hadoopBlocks, lz4Block, lz4Frame, lzf, snappyBlock, snappyFrames } from '../codecs/encoders.ts'
import { buildSequenceFile, toTextValue } from '../formats/sequence-file/versions.ts'
import { collect, fixture, openBytes, readJson, toJson } from './files.ts'

const openRows = createOpenRows()

const thriftFile = (count: number): Buffer =>
  Buffer.concat(
    Array.from({ length: count }, (_, i) => {
      const payload = encodeFields([{ id: 1, type: thriftType.i64, value: 2n ** 60n + BigInt(i) }])
      return encodeRecord({ date: 1_304_459_794_698, granularity: 'HOURLY', typeName: 'E', payload })
    }),
  )

const smileFile = (count: number): Uint8Array => {
  const writer = createSmileWriter()
  writer.startArray()
  for (let i = 0; i < count; i++) {
    writer.write({
      eventName: `e${i % 3}`,
      payload: { i, text: `value ${i % 1_500}`, [`key${i % 1_300}`]: [i, { a: null }] },
    })
  }
  writer.endArray()
  return writer.take()
}

const avroType = avro.Type.forSchema({
  type: 'record',
  name: 'R',
  namespace: 'a.b',
  fields: [
    { name: 'id', type: 'long' },
    { name: 's', type: ['null', 'string'] },
    { name: 'd', type: 'double' },
    { name: 'm', type: { type: 'map', values: 'int' } },
    { name: 'e', type: { type: 'enum', name: 'E', symbols: ['A', 'B'] } },
    { name: 'f', type: { type: 'fixed', name: 'F', size: 2 } },
    { name: 'b', type: 'boolean' },
    { name: 'l', type: { type: 'array', items: 'float' } },
    { name: 'next', type: ['null', 'R'], default: null },
  ],
})

const avroFile = async (count: number, codec: 'null' | 'deflate' | 'snappy'): Promise<Buffer> => {
  const snappy = (bytes: Buffer, done: (error: null, bytes: Buffer) => void): void => {
    const crc = Buffer.alloc(4)
    crc.writeUInt32BE(zlib.crc32(bytes))
    done(null, Buffer.concat([snappyBlock(bytes), crc]))
  }
  const codecs = {
    null: (bytes: Buffer, done: (e: null, b: Buffer) => void) => done(null, bytes),
    deflate: zlib.deflateRaw,
    snappy,
  }
  const encoder = new avro.streams.BlockEncoder(avroType, { codec, codecs: codecs as never, blockSize: 2_000 })
  const parts: Buffer[] = []
  encoder.on('data', (part: Buffer) => parts.push(part))
  const base = { m: { k: -1 }, e: 'B', f: Buffer.from('hi'), b: true, l: [0.5] }
  for (let i = 0; i < count; i++) {
    encoder.write({
      ...base,
      id: i * 1e12,
      s: i % 2 ? null : `é${i}`,
      d: i,
      next: i === 1 ? { ...base, id: -1, s: null, d: 0.1, next: null } : null,
    })
  }
  encoder.end()
  await once(encoder, 'end')
  return Buffer.concat(parts)
}

const jsonLines = (count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, i) => `{"i":${i},"big":9007199254740993,"t":"é${i}"}\n`).join(''))
const textFile = (count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, i) => `${i}\tline ${i % 7 ? '' : 'é'}${i}\n`).join(''))
const csvFile = (count: number): Buffer =>
  Buffer.from(`id,name\r\n${Array.from({ length: count }, (_, i) => `${i},"a, ${i}\nb"\r\n`).join('')}`)
const textSequence = (count: number, compression: 'none' | 'record' | 'block'): Buffer =>
  buildSequenceFile(
    Array.from({ length: count }, (_, i) => toTextValue(`${i}\té ${i}`)),
    { compression, compress: zlib.deflateSync, run: 50 },
  )

describe('what a file is', () => {
  test.each([
    { name: 'a.txt', bytes: 'a\tb', want: 'text', rows: ['{"col-0":"a","col-1":"b"}'] },
    { name: 'a', bytes: '', want: 'text', rows: [] },
    { name: 'SEQUENCE', bytes: 'SEQUENCE of text', want: 'text', rows: ['{"col-0":"SEQUENCE of text"}'] },
    { name: 'a', bytes: '[INFO] started\n', want: 'text', rows: ['{"col-0":"[INFO] started"}'] },
    { name: 'a', bytes: '{not json}\n', want: 'text', rows: ['{"col-0":"{not json}"}'] },
    { name: 'a.log', bytes: '{"a":1}', want: 'text', rows: ['{"col-0":"{\\"a\\":1}"}'] },
    { name: 'part-00000', bytes: '{"a":1}\n{"a":2}', want: 'json', rows: ['{"a":1}', '{"a":2}'] },
    { name: 'a', bytes: '[\n {"a": [1, {"b": null}]}\n]', want: 'json', rows: ['{"a":[1,{"b":null}]}'] },
    { name: 'a.JSON', bytes: '[1.0, "x"]', want: 'json', rows: ['{"value":1.0}', '{"value":"x"}'] },
    { name: 'a.json', bytes: 'plain', want: 'text', rows: ['{"col-0":"plain"}'] },
    { name: 'a.csv', bytes: 'x,y\n1,2', want: 'csv', rows: ['{"x":"1","y":"2"}'] },
    { name: 'a.gz', bytes: 'not gzip', want: 'text', rows: ['{"col-0":"not gzip"}'] },
  ])('$name with $bytes is $want', async ({ name, bytes, want, rows }) => {
    const reading = await openBytes(name, Buffer.from(bytes))
    expect(reading.serializer).toBe(want)
    const { rows: found, error } = await collect(reading)
    expect(error).toBeUndefined()
    expect(found.map(toJson)).toEqual(rows)
  })

  test('shows in binary files, whatever their name', async () => {
    const kinds = []
    for (const bytes of [thriftFile(2), smileFile(2), textSequence(2, 'block'), await avroFile(2, 'null')]) {
      kinds.push((await openBytes('x.txt.bak', bytes)).serializer)
    }
    expect(kinds).toEqual(['thrift', 'smile', 'sequencefile (Text)', 'avro'])
  })
})

const codecs: readonly {
  readonly codec: string
  readonly suffix: string
  readonly compress: (bytes: Uint8Array) => Uint8Array
}[] = [
  { codec: 'gzip', suffix: 'gz', compress: bytes => zlib.gzipSync(bytes) },
  { codec: 'deflate', suffix: 'deflate', compress: bytes => zlib.deflateSync(bytes) },
  { codec: 'zstd', suffix: 'zst', compress: bytes => zlib.zstdCompressSync(bytes) },
  { codec: 'lzf', suffix: 'lzf', compress: lzf },
  { codec: 'lz4', suffix: 'lz4', compress: lz4Frame },
  { codec: 'snappy', suffix: 'snappy', compress: bytes => snappyFrames(bytes, crc32c) },
  { codec: 'hadoop-snappy', suffix: 'snappy', compress: bytes => hadoopBlocks(bytes, snappyBlock) },
  { codec: 'hadoop-lz4', suffix: 'lz4', compress: bytes => hadoopBlocks(bytes, lz4Block) },
]

const files = {
  'a.txt': textFile(9_000),
  'a.jsonl': jsonLines(3_000),
  'a.csv': csvFile(9_000),
  'a.thrift': thriftFile(3_000),
  'a.smile': Buffer.from(smileFile(3_000)),
  'a.seq': textSequence(3_000, 'block'),
  'b.seq': textSequence(3_000, 'none'),
  'c.seq': textSequence(3_000, 'record'),
  'a.avro': await avroFile(3_000, 'null'),
} as const

describe.each(Object.entries(files))('%s', (name, bytes) => {
  test.each(codecs)('is read through $codec', async ({ codec, suffix, compress }) => {
    const plain = await readJson(name, bytes)
    expect(plain.length).toBeGreaterThanOrEqual(3_000)
    const reading = await openBytes(`${name}.${suffix}`, compress(bytes))
    expect(reading.codec).toBe(codec)
    const { rows, error, marks } = await collect(reading)
    expect(error).toBeUndefined()
    expect(rows.map(toJson)).toEqual(plain)
    expect(marks).toEqual([])
  })

  test('resumes at every mark', async () => {
    const whole = await collect(await openBytes(name, bytes))
    const all = whole.rows.map(toJson)
    if (name === 'a.smile') return expect(whole.marks).toEqual([])
    expect(whole.marks.length).toBeGreaterThan(1)
    for (const mark of whole.marks) {
      const { rows, error } = await collect(await openBytes(name, bytes, { from: mark }))
      expect(error).toBeUndefined()
      expect(rows.map(toJson)).toEqual(all.slice(mark.row))
    }
  })

  test('gives the rows before a cut, and says that there is one', async () => {
    const all = await readJson(name, bytes)
    const { rows, error } = await collect(await openBytes(name, bytes.subarray(0, bytes.length - 3)))
    const found = rows.map(toJson)
    // A line of text may end anywhere.
    if (name === 'a.txt') return expect(found.slice(0, -1)).toEqual(all.slice(0, -1))
    // The quote that nothing closes any more is a letter, and its lines are rows.
    if (name === 'a.csv') return expect(found.slice(0, all.length - 1)).toEqual(all.slice(0, -1))
    expect(error).toBeInstanceOf(FormatError)
    expect(found.length).toBeGreaterThan(2_000)
    expect(found).toEqual(all.slice(0, found.length))
  })

  test('gives rows or a known error wherever a byte is damaged', async () => {
    for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 60)) {
      const bad = Uint8Array.from(bytes)
      bad[at] = (bad[at] ?? 0) ^ 0xff
      const found = await openBytes(name, bad).then(collect, (error: unknown) => ({ error }))
      if (found.error !== undefined) expect(found.error).toBeInstanceOf(FormatError)
    }
  })
})

describe('a large file', () => {
  /** 10 GB of text that exist only while they are read. */
  const createEndless = (line: Uint8Array) => {
    const size = 10 * 1024 ** 3
    let read = 0
    let isOpen = 0
    const status = { ...statusOf('/big.txt'), length: size }
    const open: FileSystem['open'] = async (_path, { offset = 0, length = size - offset } = {}) => {
      let left = length
      isOpen++
      const chunk = Buffer.concat(Array<Uint8Array>(Math.ceil(65_536 / line.length)).fill(line))
      return new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            const part = chunk.subarray(0, Math.min(left, chunk.length))
            left -= part.length
            read += part.length
            controller.enqueue(part)
            if (left > 0) return
            isOpen--
            controller.close()
          },
          cancel() {
            isOpen--
          },
        },
        { highWaterMark: 0 },
      )
    }
    const fileSystem: FileSystem = { ...createMemoryFileSystem(), open }
    return { fileSystem, status, counts: () => ({ read, isOpen }) }
  }

  test('costs little for its first 51 rows, and is closed then', async () => {
    const { fileSystem, status, counts } = createEndless(Buffer.from('some\tcolumns\tin a line\n'))
    const reading = await openRows({ fileSystem, status, registrar: noRegistrar, serializers: [] })
    for await (const batch of reading.batches) {
      expect(batch.rows.length).toBeGreaterThan(51)
      break
    }
    expect(counts().read).toBeLessThan(512 * 1024)
    expect(counts().isOpen).toBe(0)
  })

  test.each(['a.txt', 'a.jsonl', 'a.csv', 'a.thrift', 'a.smile'])(
    'that never ends its line or value: %s',
    async name => {
      const { fileSystem, status, counts } = createEndless(
        Buffer.from(name === 'a.smile' ? [0xe0, 0x61] : [0x5b, 0x22]),
      )
      const reading = await openRows({
        fileSystem,
        status: { ...status, path: `/${name}` },
        registrar: noRegistrar,
        serializers: [],
      })
      const { error } = await collect(reading)
      expect(error).toBeInstanceOf(FormatError)
      expect(counts().read).toBeLessThan(64 * 1024 * 1024)
      expect(counts().isOpen).toBe(0)
    },
  )

  test('whose connection breaks throws what the file system throws', async () => {
    const fileSystem = createMemoryFileSystem({
      fail: operation => (operation === 'open' ? 'torn' : undefined),
    })
    const { rows, error } = await collect(await openBytes('a.txt', textFile(20_000), { fileSystem }))
    expect(error).toBeInstanceOf(FileSystemError)
    expect(rows.length).toBeGreaterThan(100)
  })
})

describe('raw', () => {
  test.each([
    { name: 'a.txt', want: '{"record":"0\\tline é0"}' },
    { name: 'a.jsonl', want: '{"record":"{\\"i\\":0,\\"big\\":9007199254740993,\\"t\\":\\"é0\\"}"}' },
    { name: 'a.csv', want: '{"record":"id,name"}' },
    { name: 'a.seq', want: '{"record":"0\\té 0"}' },
    { name: 'a.thrift', want: '{"1":1152921504606846976}' },
  ] as const)('$name', async ({ name, want }) => {
    expect((await readJson(name, files[name], { raw: true }))[0]).toBe(want)
  })
})

describe('Avro', () => {
  test.each(['null', 'deflate', 'snappy'] as const)(
    'a block must end with the sync mark of its file: %s',
    async codec => {
      const bytes = await avroFile(500, codec)
      const mark = bytes.subarray(-16)
      // The head has it first, then each block.
      const places: number[] = []
      for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) places.push(at)
      expect(places.length).toBeGreaterThan(3)
      const whole = await collect(await openBytes('x', bytes))
      let rows = 0
      for (const place of places.slice(1)) {
        for (const at of [place, place + 15]) {
          const damaged = Buffer.from(bytes)
          damaged[at] = (damaged[at] ?? 0) ^ 1
          const found = await collect(await openBytes('x', damaged))
          expect(found.error?.message).toBe(`avro: expected the file's sync mark at byte ${place}`)
          expect(found.rows).toEqual(whole.rows.slice(0, rows))
        }
        rows = (await collect(await openBytes('x', bytes.subarray(0, place + 16)))).rows.length
        expect(rows).toBeGreaterThan(0)
      }
    },
  )

  test.each(['null', 'deflate', 'snappy'] as const)('with codec %s', async codec => {
    const reading = await openBytes('x', await avroFile(500, codec))
    expect(reading.columns).toEqual(['id', 's', 'd', 'm', 'e', 'f', 'b', 'l', 'next'])
    const { rows, error } = await collect(reading)
    expect(error).toBeUndefined()
    expect(rows).toHaveLength(500)
    const next = '{"id":-1,"s":null,"d":0.1,"m":{"k":-1},"e":"B","f":"aGk=","b":true,"l":[0.5],"next":null}'
    expect(rows.slice(0, 2).map(toJson)).toEqual([
      '{"id":0,"s":"é0","d":0.0,"m":{"k":-1},"e":"B","f":"aGk=","b":true,"l":[0.5],"next":null}',
      `{"id":1000000000000,"s":null,"d":1.0,"m":{"k":-1},"e":"B","f":"aGk=","b":true,"l":[0.5],"next":${next}}`,
    ])
  })
})

describe('modules', () => {
  const directory = new URL('../../fixtures/rows/modules', import.meta.url).pathname

  test('a row serializer reads files and values of its own', async () => {
    const serializers = await loadRowSerializers(['point-serializer.js'], { directory })
    const points = Buffer.from('0000000100000002ffffffff00000003', 'hex')
    const want = ['{"x":1,"y":2}', '{"x":-1,"y":3}']
    expect(await readJson('a.points', points, { serializers })).toEqual(want)
    expect(await readJson('a.points.gz', zlib.gzipSync(points), { serializers })).toEqual(want)
    const values = [points.subarray(0, 8), points.subarray(8)]
    const file = buildSequenceFile(values, { valueClass: 'com.example.Point' })
    expect(await readJson('a', file, { serializers })).toEqual(want)
    const { rows, error } = await collect(await openBytes('a.points', points.subarray(1), { serializers }))
    expect(rows).toHaveLength(1)
    expect(error?.message).toBe('Cannot read a point of 7 bytes')
  })

  test('a serialization makes values of a class', async () => {
    const open = createOpenRows({ serializations: await loadSerializations(['click-serialization.js'], { directory }) })
    const value = Buffer.from('00000000000003e80002', 'hex')
    const file = buildSequenceFile([Buffer.concat([value, Buffer.from('/x')])], { valueClass: 'com.example.Click' })
    expect(await readJson('a', file, { open })).toEqual(['{"time":1000,"page":"/x"}'])
    await expect(readJson('a', file)).rejects.toThrow('unknown value class com.example.Click: add a module')
  })

  test('that are missing or export nothing of the kind are named', async () => {
    await expect(loadRowSerializers(['./none.js'], { directory })).rejects.toThrow(
      'io.row.serializations names "./none.js"',
    )
    await expect(loadSerializations(['./point-serializer.js'], { directory })).rejects.toThrow('cannot be used')
    await expect(
      loadRowSerializers(['x'], { directory, importModule: async () => ({ serializers: [] }) }),
    ).rejects.toThrow('expected it to export a serializer')
  })
})

function statusOf(path: string) {
  return {
    path,
    isDirectory: false,
    length: 0,
    modificationTime: 0,
    owner: '',
    group: '',
    permission: 0o644,
    replication: 1,
    blockSize: 1,
  }
}

test('fixtures are there', () => expect(fixture('rows/text.txt').length).toBe(71))

test.each(['a.csv', 'a.txt', 'a.json', 'a.txt.gz'])('%s is closed if its rows are never read', async name => {
  const lines = Buffer.from('{"a":1}\n'.repeat(100_000))
  const stored = name.endsWith('gz') ? zlib.gzipSync(lines, { level: 0 }) : lines
  let open = 0
  const fileSystem: FileSystem = {
    ...createMemoryFileSystem(),
    open: async (_, { offset = 0 } = {}) => {
      open++
      let at = offset
      return new ReadableStream({
        pull: to => {
          to.enqueue(stored.subarray(at, at + 5_000))
          at += 5_000
        },
        cancel: () => void open--,
      })
    },
  }
  const { batches } = await openBytes(name, stored, { fileSystem })
  expect(open).toBe(1)
  await batches[Symbol.asyncIterator]().return?.()
  expect(open).toBe(0)
})
