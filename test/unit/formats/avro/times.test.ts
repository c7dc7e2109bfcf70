import { describe, expect, test } from 'vitest'
import { AvroReader } from '../../../../src/formats/avro/reader.ts'
import { parseAvroSchema } from '../../../../src/formats/avro/schema.ts'
import { Budget } from '../../../../src/formats/budget.ts'

const toZigzag = (value: bigint): Buffer => {
  const bytes: number[] = []
  let left = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n))
  for (; left >= 0x80n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(left)])
}

const read = (schema: unknown, bytes: Buffer) =>
  new AvroReader(bytes, new Budget('avro')).value(parseAvroSchema(JSON.stringify(schema)))

describe('Avro: a time is shown as one, as in Parquet', () => {
  test.each([
    ['int', 'date', 19_723n, '2024-01-01'],
    ['int', 'date', 2n ** 31n - 1n, '+5881580-07-11'],
    ['int', 'time-millis', 52_757_164n, '14:39:17.164'],
    ['long', 'time-micros', 52_757_164_001n, '14:39:17.164001'],
    ['long', 'timestamp-millis', 1_704_153_600_123n, '2024-01-02T00:00:00.123Z'],
    ['long', 'timestamp-micros', 1_704_153_600_123_456n, '2024-01-02T00:00:00.123456Z'],
    ['long', 'timestamp-nanos', 1_704_153_600_123_456_789n, '2024-01-02T00:00:00.123456789Z'],
    ['long', 'local-timestamp-millis', -1n, '1969-12-31T23:59:59.999Z'],
    ['long', 'local-timestamp-micros', 0n, '1970-01-01T00:00:00.000000Z'],
    ['long', 'local-timestamp-nanos', 1n, '1970-01-01T00:00:00.000000001Z'],
    // A time beyond the day, and types that go with none of these: what they are.
    ['int', 'time-millis', 86_400_000n, 86_400_000],
    ['long', 'date', 19_723n, 19_723],
    ['int', 'timestamp-millis', 5n, 5],
    ['long', 'toString', 5n, 5],
    ['long', 7, 5n, 5],
  ] as const)('%s %s %s', (type, logicalType, value, want) => {
    expect(read({ type, logicalType }, toZigzag(value))).toEqual(want)
    const within = { type: 'array', items: ['null', { type, logicalType }] }
    expect(read(within, Buffer.concat([Buffer.of(2, 2), toZigzag(value), Buffer.of(0)]))).toEqual([want])
  })

  test('a UUID of 16 bytes is text', () => {
    const bytes = Buffer.from('00112233445566778899aabbccddeeff', 'hex')
    const uuid = { type: 'fixed', name: 'u', size: 16, logicalType: 'uuid' }
    expect(read(uuid, bytes)).toBe('00112233-4455-6677-8899-aabbccddeeff')
    expect(read({ ...uuid, size: 2 }, bytes)).toEqual(Uint8Array.of(0, 0x11))
  })
})
