import { expect, test } from 'vitest'
import { ByteSink } from '../../../../../src/formats/parquet/write/byte-sink.ts'
import { MicrosStore } from '../../../../../src/formats/parquet/write/value-store.ts'

test('times are exact in microseconds, from the first year to the last, whatever they came as', () => {
  const times = [0, 1, -1, Date.UTC(2026, 10, 22), Date.UTC(9999, 11, 31, 23, 59, 59, 999), Date.UTC(1, 0, 1), 7n]
  const store = new MicrosStore()
  for (const time of times) store.add(time)
  const sink = new ByteSink()
  store.write(0, times.length, sink)
  const micros = Array.from(times, (_, i) => sink.bytes.readBigInt64LE(8 * i))
  expect(micros).toEqual(times.map(time => BigInt(time) * 1_000n))
})
