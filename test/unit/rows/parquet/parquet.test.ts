import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import { collect, fixture, openBytes, readJson, toJson } from '../files.ts'

const file = fixture('rows/types.parquet')

describe('Parquet', () => {
  test.each([
    { name: 'x', bytes: file },
    { name: 'x.gz', bytes: gzipSync(file) },
  ])('keeps integers, doubles and times exactly: $name', async ({ name, bytes }) => {
    const reading = await openBytes(name, bytes)
    expect(reading.columns).toEqual(['id', 'small', 'ratio', 'name', 'ok', 'at', 'f'])
    const { rows, error } = await collect(reading)
    expect(error).toBeUndefined()
    expect(rows).toHaveLength(1_500)
    expect([rows[0], rows[1], rows[1_499]].map(row => row && toJson(row))).toEqual([
      '{"id":9007199254740993,"small":0,"ratio":0.0,"name":null,"ok":true,"at":"2011-05-03T21:56:34.698Z","f":0.5}',
      '{"id":9007199254740994,"small":1,"ratio":0.5,"name":"näme 1","ok":false,"at":"2011-05-03T21:56:34.699Z","f":1.5}',
      '{"id":9007199254742492,"small":1499,"ratio":749.5,"name":"näme 1499","ok":false,"at":"2011-05-03T21:56:36.197Z","f":1499.5}',
    ])
  })

  const bytes = [Uint8Array.of(0x61), Uint8Array.of(0xff)]
  const columnOf = (element: Omit<SchemaElement, 'name' | 'repetition_type'>) => ({
    columnData: [{ name: 'x', data: bytes }],
    schema: [
      { name: 'root', num_children: 1 },
      { name: 'x', repetition_type: 'REQUIRED', ...element } satisfies SchemaElement,
    ],
  })
  test.each([
    { kind: 'without a type', file: columnOf({ type: 'BYTE_ARRAY' }), want: ['"YQ=="', '"/w=="'] },
    { kind: 'of BSON', file: columnOf({ type: 'BYTE_ARRAY', converted_type: 'BSON' }), want: ['"YQ=="', '"/w=="'] },
    {
      kind: 'of an enumeration',
      file: columnOf({ type: 'BYTE_ARRAY', converted_type: 'ENUM' }),
      want: ['"a"', '"\ufffd"'],
    },
    {
      kind: 'of JSON by its logical type alone',
      file: columnOf({ type: 'BYTE_ARRAY', logical_type: { type: 'JSON' } }),
      want: ['"a"', '"\ufffd"'],
    },
    {
      kind: 'that Impala wrote',
      file: { ...columnOf({ type: 'BYTE_ARRAY' }), createdBy: 'impala version 3.4.0' },
      want: ['"a"', '"\ufffd"'],
    },
    {
      kind: 'of decimals',
      file: {
        ...columnOf({ type: 'BYTE_ARRAY', converted_type: 'DECIMAL', precision: 9, scale: 1 }),
        columnData: [{ name: 'x', data: [9.7, -0.1] }],
      },
      want: ['9.7', '-0.1'],
    },
  ])('reads bytes $kind as $want', async ({ file, want }) => {
    const rows = await readJson('x.parquet', new Uint8Array(parquetWriteBuffer({ codec: 'UNCOMPRESSED', ...file })))
    expect(rows.map(row => row.slice(5, -1))).toEqual(want)
  })

  test('that is cut short or damaged is a known error', async () => {
    for (const end of [4, 100, file.length - 1]) {
      const found = await openBytes('x', file.subarray(0, end)).then(collect, (error: unknown) => ({ error }))
      expect(found.error, `cut at ${end}`).toBeInstanceOf(FormatError)
    }
    for (let at = 4; at < file.length; at += 997) {
      const bad = Uint8Array.from(file).fill(0xff, at, at + 3)
      const found = await openBytes('x', bad).then(collect, (error: unknown) => ({ error }))
      if (found.error !== undefined) expect(found.error).toBeInstanceOf(FormatError)
    }
  })

  test('that is damaged in any byte has errors that speak of the file', async () => {
    const plain = readFileSync(new URL('../../../fuzz/corpus/parquet/plain.bin', import.meta.url))
    for (let at = 4; at < plain.length; at++) {
      for (const mask of [0x01, 0x02, 0x04, 0x08, 0xff]) {
        const bad = Uint8Array.from(plain)
        bad[at] = (bad[at] ?? 0) ^ mask
        const { error } = await openBytes('x', bad).then(collect, (error: Error) => ({ error }))
        expect(error?.message ?? '', `${mask} at ${at}`).not.toMatch(
          /undefined|NaN|null|\[object|not a function|Cannot/,
        )
      }
    }
  })

  test('R11: that says it has more rows than it has is a known error, after those', async () => {
    const plain = readFileSync(new URL('../../../fuzz/corpus/parquet/plain.bin', import.meta.url))
    const many = readFileSync(new URL('../../../fuzz/corpus/parquet/many-rows.bin', import.meta.url))
    expect(many.length).toBeLessThan(2 * plain.length)
    const { rows, error } = await collect(await openBytes('x', many))
    expect(rows.map(toJson)).toEqual(await readJson('x', plain))
    expect(error?.message).toMatch(/has fewer rows than its row group/)
    // Also where none of its columns is wanted.
    const none = await collect(await openBytes('x', many, { wanted: { columns: ['none'] } }))
    expect(none.error?.message).toMatch(/has fewer rows than its row group/)
  })
})
