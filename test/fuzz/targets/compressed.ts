import { FormatError } from '../../../src/errors.ts'
import { bzip2Hello, deflate, gzip, lz4Frame, lzf, zstd } from '../../unit/codecs/encoders.ts'
import { collect, openBytes } from '../../unit/rows/files.ts'
import { toWords } from '../words.ts'

/** Files with a codec around them, read as rows: the first byte picks the suffix of the name. */
export const name = 'compressed'

const suffixes = ['gz', 'zst', 'deflate', 'bz2', 'lz4', 'snappy', 'lzf', 'gz.zst']

export const dictionary = toWords(`
  1f8b08 28b52ffd 789c 425a6831 04224d18 ff060000734e61507059 5a5601 184d2a50
`).map(hex => Uint8Array.from(Buffer.from(hex, 'hex')))

const plain = Buffer.from('{"a":1}\n{"a":"text text text text"}\n')

export const corpus = (): Uint8Array[] =>
  [
    gzip(plain),
    zstd(plain),
    deflate(plain),
    Uint8Array.from(bzip2Hello).fill(0x31, 3, 4),
    lz4Frame(plain),
    Buffer.concat([gzip(plain), gzip(plain)]),
    lzf(plain),
    zstd(gzip(plain)),
    Buffer.concat([zstd(plain), Buffer.from('502a4d180300000001020304'.slice(0, 24), 'hex'), zstd(plain)]),
    gzip(Buffer.alloc(100_000, 'x\n')),
  ].map((bytes, i) => Buffer.concat([Buffer.from([i % suffixes.length]), bytes]))

/** Rows, and then at most a known error. @throws FormatError */
export const run = async (bytes: Uint8Array): Promise<void> => {
  const suffix = suffixes[(bytes[0] ?? 0) % suffixes.length] ?? ''
  const { error } = await collect(await openBytes(`file.json.${suffix}`, bytes.subarray(1)))
  if (error && !(error instanceof FormatError)) throw error
}
