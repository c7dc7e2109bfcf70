import { decompressBzip2 } from '../../../src/codecs/bzip2.ts'
import { bzip2Hello } from '../../unit/codecs/encoders.ts'

export const name = 'bzip2'

const maxBytes = 1 << 20

export const corpus = (): Uint8Array[] => [
  // Level 1: a block of level 9 takes some megabytes of working space.
  Uint8Array.from(bzip2Hello).fill(0x31, 3, 4),
  Buffer.from('QlpoMRdyRThQkAAAAAA=', 'base64'),
]

export const run = (bytes: Uint8Array): void => {
  if (decompressBzip2(bytes, maxBytes).length > maxBytes) throw new Error('the limit was not kept')
}
