import { bzip2 } from './bzip2.ts'
import type { Codec, HadoopCodec, OutputCodec } from './codec.ts'
import { deflate } from './deflate.ts'
import { gzip } from './gzip.ts'
import { hadoopLz4, hadoopSnappy } from './hadoop-blocks.ts'
import { lz4 } from './lz4-frame.ts'
import { lzf } from './lzf-stream.ts'
import { snappy } from './snappy-frame.ts'
import { zstd } from './zstd-stream.ts'

/** All codecs of files. */
export const codecs: readonly Codec[] = [gzip, bzip2, zstd, lz4, snappy, lzf, deflate, hadoopSnappy, hadoopLz4]

/** Codecs of sequence files by the class that names them. */
export const hadoopCodecs: ReadonlyMap<string, HadoopCodec & { readonly name: string }> = new Map(
  codecs.flatMap(({ name, hadoop }) =>
    hadoop ? hadoop.classes.map(codecClass => [codecClass, { name, ...hadoop }] as const) : [],
  ),
)

/** The values of `collector.output.compression`. */
export const codecNames = ['none', 'gzip', 'deflate', 'zstd', 'lzf'] as const
export type CodecName = (typeof codecNames)[number]

/** What output files are written by, and what ends their names: `.gz`. */
export const outputCodecs: Readonly<Record<CodecName, OutputCodec & { readonly extension: string }>> = {
  none: { extension: '', compress: bytes => bytes, decompress: bytes => bytes },
  gzip: toOutput(gzip),
  deflate: toOutput(deflate),
  zstd: toOutput(zstd),
  lzf: toOutput(lzf),
}

function toOutput({ suffixes: [suffix = ''], output }: Codec & { readonly output: OutputCodec }) {
  return { extension: `.${suffix}`, ...output }
}
