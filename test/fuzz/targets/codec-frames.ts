import { crc32c } from '../../../src/bytes/crc32c.ts'
import type { Codec } from '../../../src/codecs/codec.ts'
import { codecs as allCodecs } from '../../../src/codecs/codecs.ts'
import { FormatError } from '../../../src/errors.ts'
import { pieces } from '../../suites/pieces.ts'
import {
  bzip2Hello,
  hadoopBlocks,
  lz4Block,
  lz4Frame,
  lzf,
  snappyBlock,
  snappyFrames,
} from '../../unit/codecs/encoders.ts'

/** Files with frames around the blocks of a codec, those that no library unfolds: the first byte picks the codec. */
export const name = 'codec-frames'

export const dictionary = [
  '425a6831314159265359',
  '177245385090',
  '04224d18',
  '184d2a50',
  'ff060000734e61507059',
  'fe020000abcd',
  '5a5600',
  '5a5601',
  '00000000',
  '7fffffff',
].map(hex => Uint8Array.from(Buffer.from(hex, 'hex')))

const names = ['bzip2', 'lz4', 'snappy', 'lzf', 'hadoop-snappy', 'hadoop-lz4']
const codecs = allCodecs.filter(codec => names.includes(codec.name))

const plain = Buffer.from('{"a":1}\n{"a":"text text text text text text"}\n')

export const corpus = (): Uint8Array[] =>
  [
    // Level 1: a block of level 9 takes some megabytes of working space.
    Uint8Array.from(bzip2Hello).fill(0x31, 3, 4),
    lz4Frame(plain),
    snappyFrames(Buffer.concat([plain, new Uint8Array(70_000)]), crc32c),
    Buffer.concat([lzf(plain), lzf(plain)]),
    hadoopBlocks(plain, snappyBlock, 20),
    hadoopBlocks(plain, lz4Block, 20),
  ].map((bytes, i) => Buffer.concat([Buffer.from([i]), bytes]))

/** The same bytes, and then the same refusal if there is one, however the file is cut into chunks. */
export const run = async (bytes: Uint8Array): Promise<void> => {
  const codec = codecs[(bytes[0] ?? 0) % codecs.length]
  if (codec === undefined) throw new Error(`Only ${codecs.length} of ${names.length} codecs are known`)
  const file = bytes.subarray(1)
  const whole = await unfold(codec, file, file.length)
  const cut = await unfold(codec, file, 1 + (file.length % 13))
  if (whole.error !== cut.error) throw new Error(`the cuts decide: ${whole.error} and ${cut.error}`)
  if (!whole.content.equals(cut.content)) {
    throw new Error(`the cuts decide: ${whole.content.length} and ${cut.content.length} bytes`)
  }
}

type Unfolded = { readonly content: Buffer; readonly error: string }

/** Every piece is copied as it arrives. */
const unfold = async (codec: Codec, file: Uint8Array, step: number): Promise<Unfolded> => {
  const parts: Uint8Array[] = []
  let error = ''
  try {
    for await (const part of codec.stream(pieces(file, Math.max(1, step)))) parts.push(part.slice())
  } catch (reason) {
    if (!(reason instanceof FormatError)) throw reason
    error = reason.message
  }
  return { content: Buffer.concat(parts), error }
}
