import { decompressLz4Into } from '../../../src/codecs/lz4.ts'
import { lz4Block } from '../../unit/codecs/encoders.ts'

export const name = 'lz4'

export const corpus = (): Uint8Array[] => [
  lz4Block(Buffer.from('hello hello hello hello hello hello hello')),
  lz4Block(new Uint8Array(20_000)),
  lz4Block(Uint8Array.from({ length: 300 }, (_, i) => (i * 167 + (i >> 3)) & 0xff)),
]

const room = new Uint8Array(100_000)

/** What decompresses stays within its room. */
export const run = (bytes: Uint8Array): void => {
  if (decompressLz4Into(bytes, room, 0) > room.length) throw new Error('beyond the room')
}
