import { compressLzf, decompressLzf } from '../../../src/codecs/lzf.ts'

export const name = 'lzf'

const maxBytes = 1 << 20

export const corpus = (): Uint8Array[] => [
  compressLzf(Buffer.from('hello hello hello hello hello')),
  compressLzf(new Uint8Array(70_000)),
  compressLzf(Uint8Array.from({ length: 300 }, (_, i) => (i * 167 + (i >> 3)) & 0xff)),
]

/** What decompresses keeps its limit; any bytes survive compression. */
export const run = (bytes: Uint8Array): void => {
  const back = decompressLzf(compressLzf(bytes), bytes.length)
  if (Buffer.compare(back, bytes) !== 0) throw new Error('bytes do not survive')
  if (decompressLzf(bytes, maxBytes).length > maxBytes) throw new Error('the limit was not kept')
}
