import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Cursor } from '../../../../../src/formats/parquet/cursor.ts'
import { HybridReader } from '../../../../../src/formats/parquet/hybrid.ts'
import { ByteSink } from '../../../../../src/formats/parquet/write/byte-sink.ts'
import { writeHybrid } from '../../../../../src/formats/parquet/write/hybrid-writer.ts'

/** Runs of equal values, short and long, of some bits. */
const runs = fc.integer({ min: 1, max: 24 }).chain(width =>
  fc.tuple(
    fc.constant(width),
    fc.array(fc.tuple(fc.integer({ min: 0, max: 2 ** width - 1 }), fc.integer({ min: 1, max: 40 })), {
      maxLength: 20,
    }),
  ),
)

test('what is written as runs and packed groups is read again', () => {
  fc.assert(
    fc.property(runs, ([width, parts]) => {
      const values = Int32Array.from(parts.flatMap(([value, count]) => Array.from({ length: count }, () => value)))
      const sink = new ByteSink(1)
      writeHybrid(values, 0, values.length, width, sink)
      const found = new Int32Array(values.length)
      new HybridReader(new Cursor(sink.view(), 0), width).read(found, 0, found.length)
      expect(found).toEqual(values)
    }),
  )
})

test('equal values take a few bytes, however many they are, and others as many bits as they need', () => {
  const sink = new ByteSink()
  writeHybrid(new Uint8Array(1_000_000), 0, 1_000_000, 1, sink)
  expect(sink.length).toBe(4)
  writeHybrid(
    Int32Array.from({ length: 800 }, (_, i) => i),
    0,
    800,
    10,
    sink,
  )
  expect(sink.length - 4).toBe(2 + 1_000)
})
