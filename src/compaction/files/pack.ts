import { pipeline, Readable, type Transform } from 'node:stream'
import zlib from 'node:zlib'
import { type CodecName, codecNames, outputCodecs } from '../../codecs/codecs.ts'

/** Compresses a file as it is written. */
export type PackFile = (source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>

/** How files with a codec are written; undefined for one that is only read. */
export const findPack = (codec: string): PackFile | undefined => {
  const name = codecNames.find(one => one === codec)
  return name && packs[name]
}

const packs: Readonly<Record<CodecName, PackFile>> = {
  none: source => source,
  gzip: source => through(source, zlib.createGzip()),
  deflate: source => through(source, zlib.createDeflate()),
  zstd: source => through(source, zlib.createZstdCompress()),
  // Chunks follow one another.
  async *lzf(source) {
    for await (const piece of source) yield outputCodecs.lzf.compress(piece)
  },
}

/** A failure of the source is thrown by what comes out. */
const through = (source: AsyncIterable<Uint8Array>, transform: Transform): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(source, { objectMode: false }), transform, () => {})
