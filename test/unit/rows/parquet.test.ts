import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../src/errors.ts'
import { collect, fixture, openBytes, toJson } from './files.ts'

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
})
