import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { crc32c } from '../../../../src/bytes/crc32c.ts'
import { crc32cOfChunks } from '../../../../src/bytes/crc32c-chunks.ts'
import { createChecksums } from '../../../../src/filesystem/hdfs/data-node/checksums.ts'

test.for([
  // RFC 3720, appendix B.4, and the check value of the catalogue of CRCs
  ['32 zeros', new Uint8Array(32), 0x8a9136aa],
  ['32 bytes of ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
  ['0 to 31', Uint8Array.from({ length: 32 }, (_, at) => at), 0x46dd794e],
  ['31 to 0', Uint8Array.from({ length: 32 }, (_, at) => 31 - at), 0x113fdb5c],
  ['123456789', Buffer.from('123456789'), 0xe3069283],
  ['nothing', new Uint8Array(0), 0],
] as const)('the CRC-32C of %s', ([, bytes, crc]) => expect(crc32c(bytes)).toBe(crc))

test('it can be taken in parts, from anywhere', () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, at) => (at * 31) % 251)
  const whole = crc32c(bytes, 3, 290)
  for (let at = 3; at <= 290; at++) expect(crc32c(bytes, at, 290, crc32c(bytes, 3, at))).toBe(whole)
})

test.for([
  [-1, 3],
  [0, 4],
])('bytes %d to %d of three are refused', ([start, end]) =>
  expect(() => crc32c(new Uint8Array(3), start, end)).toThrow(RangeError),
)

test('the CRC-32C of each chunk is its own, whatever their lengths and number are', () => {
  // Longer than what is gone through at a time; nothing in it repeats.
  const bytes = Buffer.alloc(400_000)
  for (let at = 0, x = 1; at < bytes.length; at++) {
    x = (Math.imul(x, 1_103_515_245) + 12_345) >>> 0
    bytes[at] = x >>> 16
  }
  for (const chunkBytes of [1, 8, 15, 16, 512, 520, 4_096, 90_000, 90_112, 100_000]) {
    for (const length of [0, 1, 2, 3, 4, 5, 2_049, 400_000].flatMap(count => [
      count * chunkBytes,
      count * chunkBytes + 7,
    ])) {
      const part = bytes.subarray(5, 5 + length)
      const count = Math.ceil(part.length / chunkBytes)
      const sums = Buffer.alloc(count * 4 + 2)
      crc32cOfChunks([part.subarray(0, 700), part.subarray(700)], chunkBytes, sums, 2)
      for (let chunk = 0; chunk < count; chunk++) {
        const [start, end] = [chunk * chunkBytes, Math.min((chunk + 1) * chunkBytes, part.length)]
        if (sums.readUInt32BE(2 + chunk * 4) !== crc32c(part, start, end)) expect.fail(`${chunk} of ${chunkBytes}`)
      }
    }
  }
})

const data = Buffer.from(Uint8Array.from({ length: 1_300 }, (_, at) => at % 253))

test.for([
  [1, (bytes: Uint8Array) => crc32(bytes)],
  [2, (bytes: Uint8Array) => crc32c(bytes)],
] as const)('sums of type %d stand for 512 bytes each, however the bytes are cut', ([type, take]) => {
  const sums = Buffer.alloc(12)
  const want = [0, 512, 1_024].map(at => take(data.subarray(at, at + 512)))
  for (const cut of [0, 1, 511, 512, 513, 1_300]) {
    createChecksums(type, 512).write([data.subarray(0, cut), data.subarray(cut)], sums, 0)
    expect([0, 4, 8].map(at => sums.readUInt32BE(at))).toEqual(want)
  }
  expect(createChecksums(type, 512).findWrong(sums, data)).toBeUndefined()
  for (const chunk of [0, 1, 2]) {
    const damaged = Buffer.from(data)
    damaged[chunk * 512 + 7] = 0xff
    expect(createChecksums(type, 512).findWrong(sums, damaged)).toBe(chunk)
  }
})

test('a block without sums has nothing to compare', () => {
  expect(createChecksums(0, 512)).toMatchObject({ sumBytes: 0 })
  expect(createChecksums(0, 512).findWrong(Buffer.alloc(0), data)).toBeUndefined()
})

test.for([
  [3, 512],
  [2, 0],
  [2, 2 ** 30],
] as const)('sums of type %d for %d bytes are refused', ([type, chunk]) => {
  expect(() => createChecksums(type, chunk)).toThrow(/data transfer: checksums of/)
})
