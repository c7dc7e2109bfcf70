/**
 * What encoders do with the end of a stream: they end it at each flush, `cat` puts files together, disks pad them,
 * frames may be skipped, senders break off. Each habit, for each codec, as a file, as a block of a file and as a
 * request.
 */
import zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { crc32c } from '../../../src/bytes/crc32c.ts'
import { codecs, hadoopCodecs, outputCodecs } from '../../../src/codecs/codecs.ts'
import { FormatError } from '../../../src/errors.ts'
import { findAvroCodec } from '../../../src/rows/avro/avro-codecs.ts'
import { pieces } from '../../suites/pieces.ts'
import {
  bzip2Hello,
  deflate,
  gzip,
  hadoopBlocks,
  lz4Block,
  lz4Frame,
  lz4Legacy,
  lzf,
  snappyBlock,
  snappyFrames,
  zstd,
} from '../../unit/codecs/encoders.ts'
import { createTestCollector, outcomeOf, post } from '../../unit/collector/fakes.ts'
import { readJson } from '../../unit/rows/files.ts'

type Encoder = {
  readonly name: string
  /** Of files in it. */
  readonly suffix: string
  readonly encode: (bytes: Uint8Array) => Uint8Array
  /** Zero bytes after its end that can be nothing else: fewer may be a header that was cut. @default 1 */
  readonly leastPadding?: number
  /** Zero bytes say that nothing follows here, so that something may. */
  readonly zeroIsEmpty?: true
  /** A stream may also end between its parts. */
  readonly hasParts?: true
  readonly skippable?: Uint8Array
  readonly asBody?: string
  readonly asBlock?: string
  readonly asAvro?: string
  readonly asOutput?: keyof typeof outputCodecs
}

const skippable = Buffer.from('502a4d1803000000aabbcc', 'hex')
const hadoop = 'org.apache.hadoop.io.compress'

/** Header with everything that it may have: extra field, name, comment, checksum. */
const gzipNamed = (bytes: Uint8Array): Buffer => {
  const plain = gzip(bytes)
  const header = Buffer.concat([plain.subarray(0, 10), Buffer.from([2, 0, 7, 7]), Buffer.from('name\0a comment\0')])
  header[3] = 31
  const crc = Buffer.alloc(2)
  crc.writeUInt16LE(zlib.crc32(header) & 0xffff)
  return Buffer.concat([header, crc, plain.subarray(10)])
}

/** As encoders that know the size ahead, and add a checksum. */
const zstdChecked = (bytes: Uint8Array): Buffer =>
  zlib.zstdCompressSync(bytes, { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } })

const encoders: readonly Encoder[] = [
  { name: 'gzip', suffix: 'gz', encode: gzip, asBody: 'gzip', asBlock: `${hadoop}.GzipCodec`, asOutput: 'gzip' },
  { name: 'gzip with names', suffix: 'gz', encode: gzipNamed, asBody: 'gzip' },
  {
    name: 'deflate',
    suffix: 'deflate',
    encode: deflate,
    asBody: 'deflate',
    asBlock: `${hadoop}.DefaultCodec`,
    asOutput: 'deflate',
  },
  // Blocks of Avro may have bytes after it: see test/unit/rows/avro/avro-codecs.test.ts.
  { name: 'raw deflate', suffix: '', encode: zlib.deflateRawSync, asBody: 'deflate' },
  {
    name: 'zstd',
    suffix: 'zst',
    encode: zstd,
    skippable,
    asBody: 'zstd',
    asBlock: `${hadoop}.ZStandardCodec`,
    asAvro: 'zstandard',
    asOutput: 'zstd',
  },
  { name: 'zstd with a checksum', suffix: 'zst', encode: zstdChecked, skippable, asBody: 'zstd', asAvro: 'zstandard' },
  { name: 'lz4', suffix: 'lz4', encode: lz4Frame, skippable },
  { name: 'lz4 of old', suffix: 'lz4', encode: lz4Legacy, skippable, leastPadding: 4, hasParts: true },
  { name: 'lzf', suffix: 'lzf', encode: lzf, asOutput: 'lzf' },
  { name: 'snappy', suffix: 'sz', encode: bytes => snappyFrames(bytes, crc32c), leastPadding: 4, hasParts: true },
  {
    name: 'hadoop-snappy',
    suffix: 'snappy',
    encode: bytes => hadoopBlocks(bytes, snappyBlock),
    leastPadding: 4,
    zeroIsEmpty: true,
    asBlock: `${hadoop}.SnappyCodec`,
  },
  {
    name: 'hadoop-lz4',
    suffix: 'lz4',
    encode: bytes => hadoopBlocks(bytes, lz4Block),
    leastPadding: 4,
    zeroIsEmpty: true,
    asBlock: `${hadoop}.Lz4Codec`,
  },
]

const lines = Array.from({ length: 20 }, (_, i) => Buffer.from(`{"eventName":"A","payload":{"i":${i}}}\n`))
const all = Buffer.concat(lines)

/** Ways in: what was compressed, or an error. */
type Way = { readonly name: string; readonly read: (bytes: Uint8Array) => Promise<string> }

const collect = async (parts: AsyncIterable<Uint8Array>): Promise<string> => {
  const found: Uint8Array[] = []
  for await (const part of parts) found.push(part.slice())
  return Buffer.concat(found).toString()
}

/** As a request: the events that were kept, never some of them. */
const readBody = async (bytes: Uint8Array, encoding: string): Promise<string> => {
  const { collector, spool } = createTestCollector()
  const response = await post(collector, new Uint8Array(bytes), { headers: { 'content-encoding': encoding } })
  if (response.status === 400) {
    expect(spool.batches).toHaveLength(0)
    throw new FormatError('body', 0, 'refused')
  }
  const { accepted } = await outcomeOf(response)
  return Array.from({ length: accepted }, (_, i) => String(lines[i % lines.length])).join('')
}

const waysOf = ({ suffix, asBody, asBlock, asAvro, asOutput }: Encoder): readonly Way[] => [
  ...(suffix === ''
    ? []
    : [1, 7, 1_000_000].map(size => ({
        name: `a file in pieces of ${size}`,
        read: async (bytes: Uint8Array) => {
          const codec = detect(bytes, suffix)
          return collect(codec.stream(pieces(bytes, size)))
        },
      }))),
  ...(asBody === undefined ? [] : [{ name: 'a request', read: (bytes: Uint8Array) => readBody(bytes, asBody) }]),
  ...(asBlock === undefined
    ? []
    : [
        {
          name: 'a block of a sequence file',
          read: async (bytes: Uint8Array) =>
            Buffer.from((await hadoopCodecs.get(asBlock)?.decode(bytes, 1_000_000)) ?? []).toString(),
        },
      ]),
  ...(asAvro === undefined
    ? []
    : [
        {
          name: 'a block of Avro',
          read: async (bytes: Uint8Array) => collect(findAvroCodec(asAvro)(Buffer.from(bytes)).rest()),
        },
      ]),
  ...(asOutput === undefined
    ? []
    : [
        {
          name: 'what the collector wrote',
          read: async (bytes: Uint8Array) =>
            Buffer.from(outputCodecs[asOutput].decompress(bytes, 1_000_000)).toString(),
        },
      ]),
]

const detect = (bytes: Uint8Array, suffix: string) => {
  const codec =
    codecs.find(one => one.isMagic?.(bytes.subarray(0, 4_096), suffix)) ??
    codecs.find(one => one.suffixes.includes(suffix))
  if (!codec) throw new Error(`no codec of ${suffix}`)
  return codec
}

const cases = encoders.flatMap(encoder =>
  waysOf(encoder).map(way => ({ ...encoder, ...way, encoder: encoder.name, way: way.name })),
)

describe.each(cases)('$encoder as $way', ({ encode, read, skippable, leastPadding = 1, zeroIsEmpty, hasParts }) => {
  test('one stream', async () => expect(await read(encode(all))).toBe(all.toString()))

  test('a stream for each event', async () => {
    expect(await read(Buffer.concat(lines.map(encode)))).toBe(all.toString())
  })

  test('a stream for each of many events', async () => {
    const many = Array.from({ length: 25 }, () => lines).flat()
    expect(await read(Buffer.concat(many.map(encode)))).toBe(Buffer.concat(many).toString())
  })

  test('an event over two streams', async () => {
    expect(await read(Buffer.concat([encode(all.subarray(0, 50)), encode(all.subarray(50))]))).toBe(all.toString())
  })

  test('streams without anything, before and behind', async () => {
    const empty = encode(new Uint8Array())
    expect(await read(Buffer.concat([empty, encode(all), empty, empty]))).toBe(all.toString())
  })

  test.each([1, 3, 4, 512, 100_000])('%i zero bytes behind the end', async count => {
    if (count < leastPadding) return
    expect(await read(Buffer.concat([encode(all), Buffer.alloc(count)]))).toBe(all.toString())
  })

  test('frames to be passed over, anywhere', async () => {
    if (!skippable) return
    const parts = [skippable, encode(all.subarray(0, 50)), skippable, skippable, encode(all.subarray(50)), skippable]
    expect(await read(Buffer.concat(parts))).toBe(all.toString())
    await expect(read(Buffer.concat([...parts, skippable.subarray(0, -1)]))).rejects.toThrow()
  })

  test.each(['garbage', '\n', '\0\0\0\0\0\0\0\0\x01', '\0\0\0\0garbage'])(
    '%j behind the end is an error',
    async garbage => {
      await expect(read(Buffer.concat([encode(all), Buffer.from(garbage)]))).rejects.toThrow()
    },
  )

  test('zero bytes are not passed over', async () => {
    const both = Buffer.concat([encode(all), Buffer.alloc(8), encode(all)])
    if (zeroIsEmpty) expect(await read(both)).toBe(all.toString() + all.toString())
    else await expect(read(both)).rejects.toThrow()
  })

  test('cut at each byte: an error, or what was whole', async () => {
    const [first = all, second = all] = lines
    const streams = [encode(first), encode(second)]
    const both = Buffer.concat(streams)
    const end = streams[0]?.length ?? 0
    for (let cut = 1; cut < both.length; cut++) {
      const found = await read(both.subarray(0, cut)).catch(error => {
        expect(error, `cut at ${cut}`).toBeInstanceOf(Error)
        return undefined
      })
      // Parts that are whole, without the mark of an end: nothing shows that there was more.
      if (hasParts && found !== undefined)
        expect(['', first.toString(), first.toString() + second.toString()]).toContain(found)
      else expect(found, `cut at ${cut} of ${both.length}`).toBe(cut === end ? first.toString() : undefined)
    }
  })
})

describe('files', () => {
  test.each(encoders.filter(({ suffix }) => suffix !== ''))(
    '$name: rows before bytes that belong to nothing',
    async ({ suffix, encode }) => {
      const bytes = Buffer.concat([encode(all), Buffer.from('garbage')])
      const parts: string[] = []
      const failing = (async () => {
        for await (const part of detect(bytes, suffix).stream(pieces(bytes, 1_000)))
          parts.push(Buffer.from(part).toString())
      })()
      await expect(failing).rejects.toThrow(FormatError)
      expect(parts.join('')).toBe(all.toString())
    },
  )

  test.each([
    { name: 'a.txt.zst', bytes: Buffer.concat([skippable, zstd(Buffer.from('one\n'))]) },
    { name: 'a.txt.lz4', bytes: Buffer.concat([skippable, lz4Frame(Buffer.from('one\n'))]) },
    { name: 'long first frame.txt.zst', bytes: Buffer.concat([toSkippable(9_000), zstd(Buffer.from('one\n'))]) },
    { name: 'long first frame.txt.lz4', bytes: Buffer.concat([toSkippable(9_000), lz4Frame(Buffer.from('one\n'))]) },
  ])('$name is known though its first frame is to be passed over', async ({ name, bytes }) => {
    expect(await readJson(name, bytes)).toEqual(['{"col-0":"one"}'])
  })

  test('bzip2: streams one behind another, and zero bytes', async () => {
    const bytes = Buffer.concat([bzip2Hello, bzip2Hello, Buffer.alloc(512)])
    expect(await collect(detect(bytes, 'bz2').stream(pieces(bytes, 7)))).toBe('hello '.repeat(40))
    const decode = hadoopCodecs.get(`${hadoop}.BZip2Codec`)?.decode
    expect(Buffer.from((await decode?.(bytes, 1_000)) ?? []).toString()).toBe('hello '.repeat(40))
    for (const garbage of ['garbage', '\0\x01']) {
      const damaged = Buffer.concat([bzip2Hello, Buffer.from(garbage)])
      await expect(collect(detect(damaged, 'bz2').stream(pieces(damaged, 7)))).rejects.toThrow(FormatError)
      expect(() => decode?.(damaged, 1_000)).toThrow(FormatError)
    }
  })
})

function toSkippable(length: number): Buffer {
  const header = Buffer.from('5a2a4d1800000000', 'hex')
  header.writeUInt32LE(length, 4)
  return Buffer.concat([header, Buffer.alloc(length, 0x11)])
}
