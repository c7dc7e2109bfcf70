import { gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { codecNames, codecs } from '../../../src/codecs/codecs.ts'
import { decompressLzf } from '../../../src/codecs/lzf.ts'

const bytes = Buffer.from('{"eventName":"A","payload":{}}\n'.repeat(100))
const undo = {
  none: (compressed: Uint8Array) => compressed,
  gzip: gunzipSync,
  deflate: inflateSync,
  zstd: zstdDecompressSync,
  lzf: (compressed: Uint8Array) => decompressLzf(compressed, bytes.length),
}

test.each([
  { name: 'none', extension: '' },
  { name: 'gzip', extension: '.gz' },
  { name: 'deflate', extension: '.deflate' },
  { name: 'zstd', extension: '.zst' },
  { name: 'lzf', extension: '.lzf' },
] as const)('$name compresses, and its files end in "$extension"', ({ name, extension }) => {
  const compressed = codecs[name].compress(bytes)
  expect(codecs[name]).toMatchObject({ name, extension })
  expect(Buffer.compare(undo[name](compressed), bytes)).toBe(0)
  if (name !== 'none') expect(compressed.length).toBeLessThan(bytes.length / 4)
  expect(undo[name](codecs[name].compress(new Uint8Array()))).toHaveLength(0)
})

test('every name has its codec', () => {
  expect(Object.keys(codecs)).toEqual([...codecNames])
})
