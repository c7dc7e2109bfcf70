import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteReader } from '../../../src/formats/byte-reader.ts'

const read = (bytes: readonly number[], base?: number): ByteReader => new ByteReader(Buffer.from(bytes), 'avro', base)

const toVarint = (value: bigint): number[] => {
  const bytes: number[] = []
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return [...bytes, Number(rest)]
    bytes.push(Number(rest & 127n) | 128)
  }
}

test.each<[readonly number[], number]>([
  [[0], 0],
  [[0x7f], 127],
  [[0x80, 0x01], 128],
  [[0x80, 0x00], 0],
  [toVarint(2n ** 53n - 1n), 2 ** 53 - 1],
  [toVarint(2n ** 64n - 1n), 2 ** 64],
])('varint %j is %d', (bytes, value) => {
  const reader = read(bytes)
  expect(reader.varint()).toBe(value)
  expect(reader.position).toBe(bytes.length)
})

test('zigzag gives back any number of 64 bits: exact, and an integer of a double where one holds it', () => {
  const long = fc.oneof(
    fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
    fc.bigInt(-(2n ** 54n), 2n ** 54n),
    fc.bigInt(-300n, 300n),
  )
  fc.assert(
    fc.property(long, value => {
      const reader = read([...toVarint(BigInt.asUintN(64, (value << 1n) ^ (value >> 63n))), 1])
      const isSafe = Number.isSafeInteger(Number(value))
      expect(reader.zigzag()).toBe(isSafe ? Number(value) : value)
      expect(reader.zigzag(), 'the next one').toBe(-1)
    }),
  )
})

test('a number of more than ten bytes is a fault', () => {
  const reader = read(Array.from({ length: 11 }, () => 0x80))
  expect(() => reader.zigzag()).toThrow('avro: expected a number of at most 10 bytes at byte 10')
  expect(reader.isCut).toBe(false)
})

test('where the bytes end the reader says so, at their place in the file, and takes nothing', () => {
  const reader = read([0x80], 100)
  expect(reader.take(1)).toBe(0)
  expect(() => reader.byte()).toThrow('avro: expected 1 more bytes, found 0 at byte 101')
  expect(reader.isCut).toBe(true)
  expect(reader.position).toBe(1)
})
