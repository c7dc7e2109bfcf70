/** Each format and codec: the rows of the sources, in their order, are those of the result. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CodecName, codecNames, outputCodecs } from '../../../../src/codecs/codecs.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { readFooter, toParquetFile } from '../../../../src/formats/parquet/file.ts'
import { createParquetFile, ParquetMemory } from '../../../../src/formats/parquet/file-writer.ts'
import { type Kind, kindsKey, type StructKind } from '../../../../src/formats/parquet/kind.ts'
import { createRecordWriter, RecordMemory } from '../../../../src/formats/parquet/rewrite/record-writer.ts'
import { layOutSchema } from '../../../../src/formats/parquet/rewrite/same-schema.ts'
import type { LogicalType, SchemaElement } from '../../../../src/formats/parquet/schema-element.ts'
import { FixedStore } from '../../../../src/formats/parquet/write/fixed-store.ts'
import { createSmileWriter } from '../../../../src/formats/smile/writer.ts'
import { encodeRecord } from '../../../../src/formats/thrift/envelope-stream.ts'
import { createMemoryFileSystem, type MemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { readParquet, toText } from '../table-rows.ts'
import { compact, hourDirectory, listFiles, namesIn, readVisible, write, written } from './world.ts'

const fixture = (name: string): Uint8Array => readFileSync(`test/fixtures/rows/${name}`)

/** A page with another number, which only its checksum tells. */
const damage = (bytes: Uint8Array): Uint8Array => {
  const at = Buffer.from(bytes).indexOf(Buffer.of(10, 0, 0, 0, 0, 0, 0, 0, 11))
  expect(at).toBeGreaterThan(0)
  return bytes.with(at, 77)
}

const thriftRecord = (id: number): Uint8Array =>
  encodeRecord({
    date: written,
    granularity: 'HOURLY',
    typeName: 'Order',
    name: 'Order',
    payload: Uint8Array.of(8, 0, 1, 0, 0, 0, id, 0),
  })

const smileArray = (...values: readonly number[]): Uint8Array => {
  const writer = createSmileWriter()
  writer.startArray()
  for (const id of values) writer.write({ eventName: 'Order', payload: { id, text: 'a text', again: 'a text' } })
  writer.endArray()
  return writer.take()
}

const jsonText = (...values: readonly number[]): Uint8Array =>
  Buffer.from(values.map(id => `{"id":${id},"name":"Zoë"}\n`).join(''))

/** A file as the collector writes it, of rows with these dates, in minutes. */
const parquet = (...minutes: readonly (number | undefined)[]): Uint8Array => {
  const kinds: StructKind = {
    struct: new Map<string, Kind>([
      ['eventDate', 'timestamp'],
      ['id', 'double'],
      ['tags', { list: 'text' }],
    ]),
  }
  const file = createParquetFile(kinds, 'gzip', new ParquetMemory())
  const group = file.openGroup()
  for (const [id, minute] of minutes.entries()) {
    if (minute !== undefined) group.set(0, written + minute * 60_000)
    group.set(1, id + 0.5)
    group.set(2, ['a', `${minute}`])
    group.endRow()
  }
  file.writeGroup(group)
  return file.finish()
}

/** Files of one hour, by name; all of a kind become one. */
type Case = readonly [what: string, files: Readonly<Record<string, Uint8Array>>, extension: string]

const withCodec = (codec: CodecName): readonly Case[] => {
  const { compress, extension } = outputCodecs[codec]
  const packed = (type: string, ...all: readonly Uint8Array[]): Readonly<Record<string, Uint8Array>> =>
    Object.fromEntries(all.map((bytes, i) => [`${i}.${type}${extension}`, compress(bytes)]))
  return [
    [`JSON lines, ${codec}`, packed('jsonl', jsonText(1, 2), jsonText(3), jsonText(4, 5)), `.jsonl${extension}`],
    [`Thrift, ${codec}`, packed('thrift', thriftRecord(1), thriftRecord(2)), `.thrift${extension}`],
    [`Smile, ${codec}`, packed('smile', smileArray(1, 2), smileArray(), smileArray(3)), `.smile${extension}`],
  ]
}

const sequenceFiles = ['text', 'thriftenvelope'].flatMap(type =>
  ['block', 'record', 'none'].flatMap((compression): Case[] => {
    const name = `seq-${type}-${compression}.seq`
    return type === 'thriftenvelope' && compression === 'record'
      ? []
      : [[`a sequence file of Hadoop's, ${name}`, { 'a.seq': fixture(name), 'b.seq': fixture(name) }, '.seq']]
  }),
)

test.each<Case>([
  ...codecNames.flatMap(withCodec),
  ...sequenceFiles,
  ['Smile of the predecessor', { 'a.smile': fixture('events.smile'), 'b.smile': fixture('events.smile') }, '.smile'],
  ['Parquet of pyarrow', { 'a.parquet': fixture('kinds.parquet'), 'b.parquet': fixture('kinds.parquet') }, '.parquet'],
  [
    'Parquet of hyparquet',
    { 'a.parquet': fixture('types.parquet'), 'b.parquet': fixture('types.parquet') },
    '.parquet',
  ],
  ['Parquet of the collector', { 'a.parquet': parquet(3, 1), 'b.parquet': parquet(2, undefined) }, '.parquet'],
  ['Smile values', { 'a.smile': fixture('objects.smile'), 'b.smile': fixture('objects.smile') }, '.smile'],
  [
    'Thrift of the predecessor',
    { 'a.thrift': fixture('events.thrift'), 'b.thrift': fixture('events.thrift') },
    '.thrift',
  ],
  [
    'Parquet with checksums',
    { 'a.parquet': fixture('checksums.parquet'), 'b.parquet': fixture('checksums.parquet') },
    '.parquet',
  ],
  ['JSON lines of Spark', { 'part-0.c000.json': jsonText(1), 'part-1.c000.json': jsonText(2, 3) }, '.json'],
  [
    'a last line without an end',
    { 'a.jsonl': Buffer.from('{"a":1}'), 'b.jsonl': Buffer.from('\n \n{"a":2}\n') },
    '.jsonl',
  ],
])('%s', async (_, files, extension) => {
  const { fileSystem } = await openWorld(files)
  const before = await readVisible(fileSystem, hourDirectory)
  expect(before.length).toBeGreaterThan(0)
  const { done, left } = await compact(fileSystem)
  expect(left).toEqual([])
  expect(done).toMatchObject([
    { directory: hourDirectory, files: Object.keys(files).length, merged: { rows: before.length } },
  ])
  const names = await namesIn(fileSystem, '/events')
  expect(names).toEqual([expect.stringMatching(/^compacted-[\w-]+(\.[a-z]+)*$/)])
  expect(names[0]).toContain(extension)
  expect(await readVisible(fileSystem, hourDirectory)).toEqual(before)
  // What was replaced is in the trash, as it was.
  expect((await namesIn(fileSystem, '/user')).sort()).toEqual(Object.keys(files).sort())
  const again = await compact(fileSystem)
  expect([again.done, again.left]).toEqual([[], []])
})

const openWorld = async (files: Readonly<Record<string, Uint8Array | string>>) => {
  const fileSystem: MemoryFileSystem = createMemoryFileSystem({ now: () => written })
  for (const [name, bytes] of Object.entries(files)) await write(fileSystem, `${hourDirectory}/${name}`, bytes)
  return { fileSystem }
}

test('rows of Parquet are sorted by date, those without one first, and the footer says so', async () => {
  const { fileSystem } = await openWorld({ 'a.parquet': parquet(3, 1), 'b.parquet': parquet(2, undefined, 1) })
  await compact(fileSystem)
  const [path = ''] = await listFiles(fileSystem, '/events')
  const bytes = Buffer.concat(await Array.fromAsync(await fileSystem.open(path)))
  const file = toParquetFile(bytes.length, async (offset, length) => bytes.subarray(offset, offset + length))
  const { groups, keyValues } = await readFooter(file)
  expect([groups.map(({ rows, sortedBy }) => [rows, sortedBy]), [...keyValues.keys()]]).toEqual([[[5, 0]], [kindsKey]])
  const { rows } = await readParquet(bytes)
  expect(
    rows.map(([date = null, id = null]) => [date === null ? null : toText(date).slice(14, 16), toText(id)]),
  ).toEqual([
    [null, '1.5'],
    ['31', '1.5'],
    ['31', '2.5'],
    ['32', '0.5'],
    ['33', '0.5'],
  ])
})

test('Parquet files with other columns, or columns that mean something else, stay apart', async () => {
  const file = (kind: Kind): Uint8Array => {
    const written = createParquetFile({ struct: new Map([['a', kind]]) }, 'zstd', new ParquetMemory())
    const group = written.openGroup()
    group.set(0, 'x')
    group.endRow()
    written.writeGroup(group)
    return written.finish()
  }
  const { fileSystem } = await openWorld({
    'a.parquet': file('text'),
    'b.parquet': file('json'),
    'c.parquet': parquet(1),
  })
  const { done, left } = await compact(fileSystem)
  expect([done, left.map(({ reason }) => reason)]).toEqual([[], Array(3).fill(alone)])
  expect(await namesIn(fileSystem, '/events')).toEqual(['a.parquet', 'b.parquet', 'c.parquet'])
})

test('Parquet files whose types differ stay apart, whatever else their footers say', async () => {
  const file = (type: 'INT32' | 'INT64', value: number): Uint8Array => {
    const layout = layOutSchema([
      { name: 'schema', repetition: 'required', children: 1 },
      { name: 'n', repetition: 'optional', type },
    ])
    const memory = new RecordMemory(layout)
    const writer = createRecordWriter({
      layout,
      codec: 'zstd',
      facts: [],
      sortedBy: undefined,
      memory,
      groupBytes: 1e6,
    })
    writer.add(Buffer.of(1, value, 0, 0, 0, 0, 0, 0, 0), 0)
    return Buffer.concat([writer.endGroup(), writer.finish()])
  }
  const { fileSystem } = await openWorld({
    'a.parquet': file('INT32', 1),
    'b.parquet': file('INT64', 2),
    'c.parquet': file('INT32', 3),
  })
  const before = await readVisible(fileSystem, hourDirectory)
  const { done, left } = await compact(fileSystem)
  expect([done.map(({ files }) => files), left]).toEqual([[2], [{ path: `${hourDirectory}/b.parquet`, reason: alone }]])
  expect(await readVisible(fileSystem, hourDirectory)).toEqual(before)
})

test('bounds are those of the meaning of a type, or there are none', () => {
  const boundsOf = (element: Partial<SchemaElement>): boolean => {
    const layout = layOutSchema([
      { name: 'schema', repetition: 'required', children: 1 },
      { name: 'n', repetition: 'required', ...element },
    ])
    const [column] = new RecordMemory(layout).columns
    column?.open({ definition: 0, repetition: 0 })
    column?.level(0, 0)
    if (column?.values instanceof FixedStore) column.values.addBytes(Buffer.alloc(16), 0)
    return column?.values.bounds() !== undefined
  }
  const unsigned = { kind: 'INTEGER', bits: 32, isSigned: false } as const
  expect(boundsOf({ type: 'INT32' })).toBe(true)
  expect(boundsOf({ type: 'INT32', logical: unsigned })).toBe(false)
  expect(boundsOf({ type: 'INT32', converted: 'UINT_32' })).toBe(false)
  expect(boundsOf({ type: 'INT64', logical: { ...unsigned, isSigned: true } })).toBe(true)
  expect(boundsOf({ type: 'INT64', logical: unsigned })).toBe(false)
  expect(boundsOf({ type: 'INT96' })).toBe(false)
  expect(boundsOf({ type: 'FIXED_LEN_BYTE_ARRAY', typeLength: 16, logical: { kind: 'UUID' } })).toBe(false)
  expect(boundsOf({ type: 'FIXED_LEN_BYTE_ARRAY', typeLength: 2, logical: { kind: 'FLOAT16' } })).toBe(false)
  const decimal = { kind: 'DECIMAL', scale: 2, precision: 20 } as const
  expect(boundsOf({ type: 'FIXED_LEN_BYTE_ARRAY', typeLength: 9, logical: decimal })).toBe(true)
  expect(() => boundsOf({ type: 'BYTE_ARRAY', logical: decimal })).toThrow('found DECIMAL')
  expect(() => boundsOf({ type: 'BYTE_ARRAY', logical: { kind: 'GEOMETRY' } })).toThrow('found GEOMETRY')
})

test('a schema of Parquet is written as it was', async () => {
  const time = (kind: 'TIME' | 'TIMESTAMP', unit: 'MILLIS' | 'MICROS' | 'NANOS', isUtc: boolean) => ({
    kind,
    unit,
    isUtc,
  })
  const logicals: readonly (readonly [Exclude<SchemaElement['type'], undefined>, LogicalType | undefined])[] = [
    ['BOOLEAN', undefined],
    ['INT32', { kind: 'DATE' }],
    ['INT32', time('TIME', 'MILLIS', true)],
    ['INT64', time('TIME', 'NANOS', false)],
    ['INT64', time('TIMESTAMP', 'MICROS', false)],
    ['INT64', time('TIMESTAMP', 'NANOS', true)],
    ['INT32', { kind: 'INTEGER', bits: 8, isSigned: true }],
    ['INT64', { kind: 'INTEGER', bits: 64, isSigned: false }],
    ['INT32', { kind: 'DECIMAL', scale: 3, precision: 9 }],
    ['INT96', undefined],
    ['BYTE_ARRAY', { kind: 'STRING' }],
    ['BYTE_ARRAY', { kind: 'ENUM' }],
    ['BYTE_ARRAY', { kind: 'JSON' }],
    ['BYTE_ARRAY', { kind: 'BSON' }],
    ['FIXED_LEN_BYTE_ARRAY', { kind: 'UUID' }],
  ]
  const columns = logicals.map(([type, logical], i): SchemaElement => {
    const width = type === 'FIXED_LEN_BYTE_ARRAY' ? { typeLength: 16 } : {}
    return {
      name: `c${i}`,
      repetition: i % 2 === 0 ? 'optional' : 'required',
      type,
      ...(logical ? { logical } : {}),
      ...width,
    }
  })
  const nested: readonly SchemaElement[] = [
    { name: 'tags', repetition: 'optional', children: 1, converted: 'LIST', fieldId: 7 },
    { name: 'bag', repetition: 'repeated', children: 1 },
    { name: 'array_element', repetition: 'optional', type: 'BYTE_ARRAY', converted: 'UTF8', fieldId: 8 },
  ]
  const schema = [
    { name: 'root', repetition: 'required', children: columns.length + 1 } as const,
    ...columns,
    ...nested,
  ]
  const layout = layOutSchema(schema)
  const memory = new RecordMemory(layout)
  const writer = createRecordWriter({ layout, codec: 'zstd', facts: [], sortedBy: undefined, memory, groupBytes: 1e6 })
  const bytes = Buffer.concat([writer.endGroup(), writer.finish()])
  const read = await readFooter(toParquetFile(bytes.length, async (at, length) => bytes.subarray(at, at + length)))
  expect(read.schema.slice(1)).toEqual(schema.slice(1))
  expect(layout.leaves.at(-1)).toMatchObject({
    path: ['tags', 'bag', 'array_element'],
    maxDefinition: 3,
    maxRepetition: 1,
  })
})

test('a result of Parquet that does not read back as it was written moves nothing', async () => {
  const { fileSystem } = await openWorld({ 'a.parquet': parquet(1), 'b.parquet': parquet(2) })
  const other = parquet(1, 3)
  const lying: FileSystem = {
    ...fileSystem,
    getFileStatus: async path => {
      const status = await fileSystem.getFileStatus(path)
      return path.includes('/results/compacted') ? { ...status, length: other.length } : status
    },
    open: async (path, { offset = 0, length = other.length } = {}) =>
      path.includes('/results/')
        ? await fileSystem.open('/other', { offset, length })
        : await fileSystem.open(path, { offset, length }),
  }
  await write(fileSystem, '/other', other)
  const [failed] = (await compact(lying)).failed
  expect(failed?.reason).toContain('expected 2 rows as they were read, found 2, or other bytes')
  expect(await namesIn(fileSystem, '/events')).toEqual(['a.parquet', 'b.parquet'])
})

const alone = 'no other file there has its schema, header or metadata, owner, group and permission'

test('rows keep their order', async () => {
  const { fileSystem } = await openWorld({ 'b.jsonl': jsonText(3, 4), 'a.jsonl': jsonText(2, 1) })
  await compact(fileSystem)
  const [path = ''] = await listFiles(fileSystem, '/events')
  const ids: string[] = []
  const text = await new Response(await fileSystem.open(path)).text()
  for (const [, id = ''] of text.matchAll(/"id":(\d)/g)) ids.push(id)
  expect(ids).toEqual(['2', '1', '3', '4'])
})

test.each<[what: string, bytes: Uint8Array | string, name: string, reason: string]>([
  ['a cut gzip', outputCodecs.gzip.compress(jsonText(1, 2, 3)).subarray(0, 30), 'x.jsonl.gz', 'gzip'],
  ['a cut record', thriftRecord(1).subarray(0, 20), 'x.thrift', 'thrift'],
  ['a cut array', smileArray(1, 2).subarray(0, 40), 'x.smile', 'smile'],
  ['a cut sequence file', fixture('seq-text-block.seq').subarray(0, 150), 'x.seq', 'sequence file'],
  ['bytes that are not UTF-8', Uint8Array.of(0x7b, 0x22, 0xe4, 0x22, 0x7d, 0x0a), 'x.jsonl', 'UTF-8'],
  ['a byte order mark', '\ufeff{"a":1}\n', 'x.jsonl', 'byte order mark'],
  ['a document over several lines', '{\n  "a": 1\n}\n', 'x.json', 'first line'],
  ['a document over several lines that is called lines', '{\n  "a": 1\n}\n', 'x.jsonl', 'over several lines'],
  ['an array over several lines that is called lines', '[{"a":1},\n{"a":2}]\n', 'x.jsonl', 'over several lines'],
  ['a last line that was cut', '{"a":1}\n{"a":2', 'x.jsonl', 'whole value in the last line'],
  ['Parquet with a damaged page', damage(fixture('checksums.parquet')), 'x.parquet', 'checksum'],
  ['an array', '[{"a":1}]\n', 'x.json', 'first line'],
  ['text', 'some words\n', 'x.txt', 'format (text)'],
  ['CSV', 'a,b\n1,2\n', 'x.csv', 'format (csv)'],
  ['nothing', '', 'x.jsonl', 'empty'],
])('what cannot be merged safely stays, and is named: %s', async (_, bytes, name, reason) => {
  const extension = name.slice(name.indexOf('.'))
  const good: Readonly<Record<string, Uint8Array>> = {
    '.jsonl.gz': outputCodecs.gzip.compress(jsonText(8)),
    '.thrift': thriftRecord(8),
    '.smile': smileArray(8),
    '.seq': fixture('seq-text-block.seq'),
    '.json': jsonText(8, 9),
    '.parquet': fixture('checksums.parquet'),
    '.txt': Buffer.from('other words\n'),
    '.csv': Buffer.from('a,b\n3,4\n'),
  }
  const other = good[extension] ?? jsonText(8)
  const { fileSystem } = await openWorld({ [`a${extension}`]: other, [name]: bytes, [`z${extension}`]: other })
  const { left, failed } = await compact(fileSystem)
  expect([...left, ...failed].find(({ path }) => path.endsWith(`/${name}`))?.reason).toContain(reason)
  const names = await namesIn(fileSystem, hourDirectory)
  expect(names).toContain(name)
  expect(names.length).toBe(['.txt', '.csv'].includes(extension) ? 3 : 2)
})

test('files that differ in what a file says once stay apart', async () => {
  const { fileSystem } = await openWorld({
    'a.seq': fixture('seq-text-block.seq'),
    'b.seq': fixture('seq-text-none.seq'),
    'c.smile': smileArray(1),
    'd.smile': fixture('objects.smile'),
    'e.jsonl': jsonText(1),
    'f.jsonl.gz': outputCodecs.gzip.compress(jsonText(2)),
    'g.ndjson': jsonText(3),
  })
  const { done, left } = await compact(fileSystem)
  expect(done).toEqual([])
  expect(left.filter(({ reason }) => reason === alone).map(({ path }) => path.slice(-6))).toEqual([
    '/a.seq',
    '/b.seq',
    '.smile',
    '.smile',
  ])
  expect(await namesIn(fileSystem, '/events')).toHaveLength(7)
})

test('as many bytes in as out, whatever the lines', async () => {
  const line = fc.oneof(
    fc.jsonValue().map(value => JSON.stringify(value)),
    fc.constantFrom('', ' ', '\r', '{cut'),
  )
  const file = fc.tuple(fc.array(line, { minLength: 1 }), fc.boolean())
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 2, maxLength: 5 }), async files => {
      // A last line that was cut is damage.
      const texts = files.map(
        ([lines, hasEnd]) => ['{}', ...lines].join('\n') + (hasEnd || lines.at(-1) === '{cut' ? '\n' : ''),
      )
      const { fileSystem } = await openWorld(Object.fromEntries(texts.map((text, i) => [`${i}.jsonl`, text])))
      const linesOf = async (): Promise<string[]> => {
        const all: string[] = []
        for (const path of await listFiles(fileSystem, '/events'))
          all.push(
            ...(await new Response(await fileSystem.open(path)).text()).split('\n').filter(text => text.trim() !== ''),
          )
        return all.sort()
      }
      const before = await linesOf()
      const { done } = await compact(fileSystem)
      expect(await linesOf()).toEqual(before)
      expect(done).toMatchObject([{ merged: { rows: before.length } }])
    }),
    { numRuns: 100 },
  )
})
