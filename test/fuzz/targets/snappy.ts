import { decompressSnappy } from '../../../src/codecs/snappy.ts'
import { snappyBlock } from '../../unit/codecs/encoders.ts'

export const name = 'snappy'

const maxBytes = 1 << 20

export const corpus = (): Uint8Array[] => [
  snappyBlock(Buffer.from('hello hello hello hello hello')),
  snappyBlock(new Uint8Array(70_000)),
  snappyBlock(Uint8Array.from({ length: 300 }, (_, i) => (i * 167 + (i >> 3)) & 0xff)),
]

/** What decompresses keeps its limit; any bytes survive compression by another's hand. */
export const run = (bytes: Uint8Array): void => {
  if (Buffer.compare(decompressSnappy(snappyBlock(bytes), bytes.length), bytes) !== 0) throw new Error('bytes changed')
  if (decompressSnappy(bytes, maxBytes).length > maxBytes) throw new Error('the limit was not kept')
}
