import { gzipSync } from 'node:zlib'
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LimitError } from '../../../src/errors.ts'
import { createSmileWriter } from '../../../src/formats/smile/writer.ts'
import { encodeRecord } from '../../../src/formats/thrift/envelope-stream.ts'
import { encodeFields, thriftType } from '../../../src/formats/thrift/field-list.ts'
import { createOpenRows } from '../../../src/rows/create-open-rows.ts'
import { fileBombs } from '../../overload/file-bombs.ts'
import { at, createTestGateway, type TestGateway } from '../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { inEachTurn } from '../../suites/turns.ts'
import { buildSequenceFile, toTextValue } from '../../unit/formats/sequence-file/versions.ts'
import { collect, openBytes } from '../../unit/rows/files.ts'

const small = createOpenRows({
  limits: {
    of: 'row',
    values: { max: 1_000, setting: 'the.values' },
    bytes: { max: 256 * 1024, setting: 'the.bytes' },
  },
})
const tooMany = /row 1 to hold at most 1000 values \(the\.values\), found more/
const tooLong = /row 1 to (?:hold|take) at most 262144 bytes \(the\.bytes\), found more/

const toSmile = (...values: Parameters<ReturnType<typeof createSmileWriter>['write']>[0][]): Uint8Array => {
  const writer = createSmileWriter()
  for (const value of values) writer.write(value)
  return writer.take()
}
const toThrift = (payload: Uint8Array): Uint8Array =>
  encodeRecord({ date: 1, granularity: 'HOURLY', typeName: 'E', payload })
const fields = (count: number) =>
  encodeFields(Array.from({ length: count }, (_, id) => ({ id: id + 1, type: thriftType.i32, value: id })))
const string = (bytes: number) => encodeFields([{ id: 1, type: thriftType.string, value: Buffer.alloc(bytes, 'x') }])

const good = { a: 1 }
const list = Array.from({ length: 1_000 }, () => 1)
const long = 'x'.repeat(300_000)
const lines = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(good)}\n${JSON.stringify(value)}\n`)

describe('S6: a row over the limits ends the reading after the rows before it', () => {
  test.each([
    { name: 'many.json', bytes: lines({ list }), want: tooMany },
    { name: 'many-in-array.json', bytes: Buffer.from(JSON.stringify([good, { list }])), want: tooMany },
    { name: 'long.json', bytes: lines({ long }), want: tooLong },
    { name: 'long-with-many.json', bytes: lines({ list: list.concat(list), long }), want: tooMany },
    { name: 'many.smile', bytes: toSmile(good, { list }), want: tooMany },
    { name: 'long.smile', bytes: toSmile(good, { long }), want: tooLong },
    { name: 'many.thrift', bytes: Buffer.concat([toThrift(fields(1)), toThrift(fields(1_001))]), want: tooMany },
    { name: 'long.thrift', bytes: Buffer.concat([toThrift(fields(1)), toThrift(string(300_000))]), want: tooLong },
    { name: 'long.txt', bytes: Buffer.from(`a\n${long}\n`), want: tooLong },
    { name: 'long-without-end.txt', bytes: Buffer.from(`a\n${long}`), want: tooLong },
    { name: 'many.txt', bytes: Buffer.from(`a\n${'\t'.repeat(1_000)}\n`), want: /at most 1000 columns/ },
    { name: 'long.csv', bytes: Buffer.from(`1,2\n1,"${long}"\n`), want: tooLong },
    { name: 'many.csv', bytes: Buffer.from(`1,2\n${','.repeat(1_000)}\n`), want: /at most 1000 columns/ },
    { name: 'many-and-long.csv', bytes: Buffer.from(`1,2\n${','.repeat(100_000)}\n`), want: /at most 1000 columns/ },
  ])('$name', async ({ name, bytes, want }) => {
    for (const file of [
      { name, bytes },
      { name: `${name}.gz`, bytes: gzipSync(bytes) },
    ]) {
      const { rows, error } = await collect(await openBytes(file.name, file.bytes, { open: small }))
      expect(rows).toHaveLength(1)
      expect(error?.message).toMatch(want)
      if (want !== tooMany && want !== tooLong) continue
      expect(error).toBeInstanceOf(LimitError)
    }
  })

  const lists: SchemaElement[] = [
    { name: 'root', num_children: 1 },
    { name: 'x', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  ]
  test.each([
    { name: 'many', data: [['a'], Array.from({ length: 2_000 }, () => 'b')], want: tooMany },
    {
      name: 'many-and-more',
      data: [['a'], Array.from({ length: 9_000 }, () => 'b'), ['c']],
      want: /at most 1000 values \(the\.values\)/,
    },
    { name: 'long', data: [['a'], [long]], want: /a value of at most 262144 bytes \(the\.bytes\)/ },
    {
      name: 'long-in-all',
      data: [['a'], Array.from({ length: 3 }, (_, i) => `${i}${'y'.repeat(100_000)}`)],
      want: tooLong,
    },
  ])('$name.parquet', async ({ data, want }) => {
    const bytes = new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'x', data }], schema: lists }))
    const { rows, error } = await collect(await openBytes('x', bytes, { open: small }))
    expect(rows).toHaveLength(1)
    expect(error).toBeInstanceOf(LimitError)
    expect(error?.message).toMatch(want)
  })

  test('values of Parquet: any number of rows comes in batches', async () => {
    const data = Array.from({ length: 2_000 }, (_, i) => i)
    const sizes: number[] = []
    const bytes = new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'x', data }] }))
    for await (const { rows } of (await openBytes('x', bytes)).batches) sizes.push(rows.length)
    expect(Math.max(...sizes)).toBe(512)
    expect(sizes.reduce((sum, size) => sum + size)).toBe(2_000)
  })

  test('values of sequence files: any number of rows comes in batches', async () => {
    const bytes = buildSequenceFile(
      Array.from({ length: 2_000 }, (_, i) => toTextValue(`${i}`)),
      { compression: 'none' },
    )
    const reading = await openBytes('x.seq', bytes)
    const sizes: number[] = []
    for await (const { rows } of reading.batches) sizes.push(rows.length)
    expect(sizes).toEqual([512, 512, 512, 464])
  })
})

describe('what a long row unfolds into is the same', () => {
  test('CSV with quotes, line breaks, and rests behind quotes', async () => {
    const fill = 'x'.repeat(100_000)
    const text = `n,m\n"a ""b""\n${fill}","c"d,\r\n"",${fill}\n`
    const { rows, error } = await collect(await openBytes('x.csv', Buffer.from(text)))
    expect(error).toBeUndefined()
    expect(rows.map(({ values }) => values)).toEqual([
      [`a "b"\n${fill}`, 'cd', ''],
      ['', fill],
    ])
  })

  test('text with returns alone is cut like text with newlines', async () => {
    const line = 'y'.repeat(70_000)
    for (const end of ['\n', '\r', '\r\n']) {
      const text = [line, 'a', line, '', 'b'.repeat(65_535), 'c'].join(end)
      const { rows } = await collect(await openBytes('x.txt', Buffer.from(text)))
      expect(rows.map(({ values }) => values[0])).toEqual(text.split(end))
    }
  })

  test('JSON: others have their turns while it is read', async () => {
    const value = { text: 'ä\n'.repeat(1_000_000), list: Array.from({ length: 40_000 }, (_, i) => ({ i })) }
    const bytes = Buffer.from(JSON.stringify([value]))
    let turns = 0
    const { rows, error } = await inEachTurn(
      () => turns++,
      async () => collect(await openBytes('x.json', bytes)),
    )
    expect(error).toBeUndefined()
    expect(rows.map(({ values }) => values)).toEqual([[value.text, value.list]])
    expect(turns).toBeGreaterThan(Math.floor(bytes.length / 65_536) - 1)
  })
})

describe('S6: a server that is asked for a bomb', () => {
  const bombs = fileBombs.filter(({ name }) =>
    /^(?:maps|records)-(?:deflate|zst)|^(?:objects|keys)\.json\.(?:gz|lzf)|numbers\.smile/.test(name),
  )
  const fileSystem = createMemoryFileSystem()
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await createTestGateway({ fileSystem })
  })
  afterAll(() => gateway.close())

  test('there are some', () => expect(bombs).toHaveLength(9))

  test.each(bombs)(
    '$name: a named error, 422 as text, and the next request is served',
    async ({ name, bytes, want }) => {
      const path = `/${name}`
      await fileSystem.create(
        path,
        (async function* () {
          yield bytes()
        })(),
      )
      const listing = await gateway.call(at('/json', path))
      expect(listing.status).toBe(200)
      expect(await listing.json()).toMatchObject({
        entries: [{ path, content: [], error: expect.stringMatching(want) }],
      })
      const text = await gateway.call(at('/text', path))
      expect(text.status).toBe(422)
      expect(await text.json()).toMatchObject({ code: 'unreadable', detail: expect.stringMatching(want) })
      expect((await gateway.call(at('/json', '/', '&content=false'))).status).toBe(200)
    },
  )
})
