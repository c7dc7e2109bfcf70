import { deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { lz4Frame, lzf } from '../unit/codecs/encoders.ts'
import { bombs, letters, repeat, toBytes } from './bytes.ts'

/** A file that hurts a reader of its rows, and the expected error. */
export type FileBomb = {
  /** The file's name: some formats are known by it. */
  readonly name: string
  readonly bytes: () => Uint8Array
  /** Of the error in its entry. */
  readonly want: RegExp
}

/** What is said of a row over its limits. */
const maxValues = /expected row 0 to hold at most 100000 values \(gateway\.reader-memory-bytes\), found more/
const maxBytes = /expected row 0 to (?:hold|take) at most 16777216 bytes \(gateway\.reader-memory-bytes\), found more/

/** One row per bomb: files that unfold a thousandfold, lengths and counts of what is not there, depth. */
export const fileBombs: readonly FileBomb[] = [
  { name: 'line.txt.gz', bytes: () => bombs.gzip(1_024), want: maxBytes },
  { name: 'line.txt.zst', bytes: () => bombs.zstd(1_024), want: maxBytes },
  { name: 'line.txt.deflate', bytes: () => bombs.deflate(256), want: maxBytes },
  { name: 'line.txt.bz2', bytes: () => bombs.bzip2(256), want: maxBytes },
  { name: 'line-frames.lz4', bytes: () => bombs.lz4(256), want: maxBytes },
  { name: 'line.txt.lzf', bytes: () => bombs.lzf(64), want: maxBytes },
  { name: 'line.txt.snappy', bytes: () => bombs.snappy(64), want: maxBytes },
  {
    name: 'length.txt.snappy',
    bytes: () => Buffer.concat([toBytes(0x7fffffff), toBytes(0x7fffffff), letters(1)]),
    want: /hadoop/,
  },
  {
    name: 'length.txt.lz4',
    bytes: () => Buffer.concat([toBytes(0x7fffffff), toBytes(100), letters(1)]),
    want: /hadoop/,
  },
  { name: 'length.lzf', bytes: () => repeat(Buffer.from('5a5601ffffffff', 'hex'), 20), want: /lzf/ },
  { name: 'plain.txt', bytes: () => letters(100), want: maxBytes },
  {
    name: 'string.json',
    bytes: () => Buffer.concat([Buffer.from('{"x":"'), letters(100), Buffer.from('"}')]),
    want: maxBytes,
  },
  ...toCompressed('objects.json', () =>
    Buffer.concat([Buffer.from('{"a":[{}'), repeat(',{}', 40_000_000), Buffer.from(']}')]),
  ),
  ...toCompressed('keys.json', () => manyKeys(1_100_000)),
  {
    name: 'numbers.json.gz',
    bytes: () => gzipSync(Buffer.concat([Buffer.from('[[1.0'), repeat(',1.0', 10_000_000), Buffer.from(']]')])),
    want: maxValues,
  },
  {
    name: 'escapes.json.gz',
    bytes: () => gzipSync(Buffer.concat([Buffer.from('{"x":"'), repeat('\\u0001', 8 * 2 ** 20), Buffer.from('"}')])),
    want: maxBytes,
  },
  {
    name: 'numbers.smile.gz',
    bytes: () =>
      gzipSync(Buffer.concat([smile, Buffer.from('f8f8', 'hex'), repeat(Buffer.from('c0', 'hex'), 60 * 2 ** 20)])),
    want: maxValues,
  },
  { name: 'names.smile', bytes: () => longNames(), want: maxBytes },
  { name: 'quotes.csv.gz', bytes: () => gzipSync(repeat('"', 33_554_432)), want: maxBytes },
  { name: 'tabs.txt.gz', bytes: () => gzipSync(repeat('\t', 40_000_000)), want: maxBytes },
  ...avroBombs('maps', '{"type":"array","items":{"type":"map","values":"int"}}'),
  ...avroBombs('records', '{"type":"array","items":{"type":"record","name":"R","fields":[{"name":"a","type":"int"}]}}'),
  { name: 'depth.json', bytes: () => repeat('[{"a":', 100_000), want: /json/ },
  { name: 'depth-object.json', bytes: () => repeat('{"a":', 100_000), want: /json/ },
  { name: 'cells.csv', bytes: () => repeat(',', 8_000_000), want: /csv/ },
  { name: 'quoted.csv', bytes: () => Buffer.concat([Buffer.from('a,b\n"'), letters(100)]), want: /csv/ },
  { name: 'tabs.txt', bytes: () => repeat('\t', 8_000_000), want: /columns/ },
  {
    name: 'class.seq',
    bytes: () => Buffer.concat([seq, Buffer.from('8c7fffffff', 'hex'), letters(1)]),
    want: /sequence file/,
  },
  {
    name: 'metadata.seq',
    bytes: () => Buffer.concat([seqTexts, Buffer.from('00007fffffff', 'hex'), letters(2)]),
    want: /sequence file/,
  },
  {
    name: 'record.seq',
    bytes: () => Buffer.concat([seqPlain, toBytes(0x7ffffffe), toBytes(4), letters(1)]),
    want: /sequence file/,
  },
  {
    name: 'negative.seq',
    bytes: () => Buffer.concat([seqPlain, toBytes(0x80000000), toBytes(4), letters(1)]),
    want: /sequence file/,
  },
  {
    name: 'block.seq',
    bytes: () =>
      Buffer.concat([seqBlocks, toBytes(0xffffffff), sync, Buffer.from('8c7fffffff8c7fffffff', 'hex'), letters(1)]),
    want: /sequence file/,
  },
  { name: 'value.seq', bytes: () => seqRecord(bombs.deflate(256)), want: /deflate|sequence file/ },
  {
    name: 'block.avro',
    bytes: () => Buffer.concat([avroDeflate, avroBlock(deflateRawSync(letters(256)))]),
    want: /avro/,
  },
  { name: 'map.avro', bytes: () => Buffer.concat([avro, zigzag(2n ** 62n), letters(2)]), want: /avro/ },
  { name: 'count.avro', bytes: () => Buffer.concat([avroNulls, zigzag(2n ** 53n), zigzag(0n), sync]), want: /avro/ },
  {
    name: 'size.avro',
    bytes: () => Buffer.concat([avroNulls, zigzag(1n), zigzag(2n ** 40n), letters(1)]),
    want: /avro/,
  },
  {
    name: 'depth.avro',
    bytes: () => avroFile(`${'{"type":"array","items":'.repeat(20_000)}"null"${'}'.repeat(20_000)}`),
    want: /avro/,
  },
  {
    name: 'footer.parquet',
    bytes: () => Buffer.concat([Buffer.from('PAR1'), letters(1), Buffer.from('ffffff7f', 'hex'), Buffer.from('PAR1')]),
    want: /parquet/,
  },
  { name: 'list.parquet', bytes: () => parquet(Buffer.from('1500' + '19f1ffffffff07', 'hex')), want: /parquet/ },
  {
    name: 'list-of-structs.parquet',
    bytes: () => parquet(Buffer.from('1502' + '19fcffffffff07', 'hex')),
    want: /parquet/,
  },
  { name: 'depth.parquet', bytes: () => parquet(repeat(Buffer.from('1c', 'hex'), 200_000)), want: /parquet/ },
  {
    name: 'depth.smile',
    bytes: () => Buffer.concat([smile, repeat(Buffer.from('f8', 'hex'), 100_000)]),
    want: /smile/,
  },
  {
    name: 'length.smile',
    bytes: () => Buffer.concat([smile, Buffer.from('e80f7f7f7fbf', 'hex'), letters(1)]),
    want: /smile/,
  },
  {
    name: 'integer.smile',
    bytes: () => Buffer.concat([smile, Buffer.from('260f7f7f7fbf', 'hex'), letters(1)]),
    want: /smile/,
  },
  { name: 'string.smile', bytes: () => Buffer.concat([smile, Buffer.from('e0', 'hex'), letters(100)]), want: /smile/ },
  {
    name: 'length.thrift',
    bytes: () => Buffer.concat([thrift, Buffer.from('0b00017fffffff', 'hex'), letters(1)]),
    want: /thrift/,
  },
  {
    name: 'list.thrift',
    bytes: () => Buffer.concat([thrift, Buffer.from('0f0001027fffffff', 'hex'), letters(1)]),
    want: /thrift/,
  },
  {
    name: 'depth.thrift',
    bytes: () => Buffer.concat([thrift, repeat(Buffer.from('0c0001', 'hex'), 100_000)]),
    want: /thrift/,
  },
]

/** One text by several codecs. */
function toCompressed(name: string, bytes: () => Buffer): FileBomb[] {
  return [
    { name: `${name}.gz`, bytes: () => gzipSync(bytes()), want: maxValues },
    { name: `${name}.zst`, bytes: () => zstdCompressSync(bytes()), want: maxValues },
    { name: `${name}-frame.lz4`, bytes: () => lz4Frame(bytes().subarray(0, 32 * 2 ** 20)), want: /row 0|lz4/ },
    { name: `${name}.lzf`, bytes: () => Buffer.from(lzf(bytes().subarray(0, 32 * 2 ** 20))), want: maxValues },
  ]
}

function manyKeys(count: number): Buffer {
  const members: string[] = []
  for (let i = 0; i < count; i++) members.push(`"k${i}":1`)
  return Buffer.from(`{${members.join(',')}}`)
}

/** One row: objects with one name of 60 KB, which all but the first refer to by a byte. */
function longNames(): Buffer {
  const name = Buffer.concat([Buffer.from([0x34]), Buffer.alloc(60_000, 'n'), Buffer.from([0xfc])])
  const first = Buffer.concat([Buffer.from('fa', 'hex'), name, Buffer.from('c0fb', 'hex')])
  const others = repeat(Buffer.from('fa40c0fb', 'hex'), 80_000)
  return Buffer.concat([Buffer.from(':)\n\x01\xf8\xf8', 'latin1'), first, others, Buffer.from('f9f9', 'hex')])
}

/** One row in one block: an array of 63 Mi items, each a byte of 0. */
function avroBombs(name: string, schema: string): FileBomb[] {
  const items = 63 * 2 ** 20
  const block = () => Buffer.concat([zigzag(BigInt(items)), Buffer.alloc(items + 1)])
  const file = (codec: string, data: Buffer) => Buffer.concat([avroHeader(schema, codec), avroBlock(data)])
  return [
    { name: `${name}-deflate.avro`, bytes: () => file('deflate', deflateRawSync(block())), want: maxValues },
    { name: `${name}-zstandard.avro`, bytes: () => file('zstandard', zstdCompressSync(block())), want: maxValues },
    { name: `${name}-null.avro`, bytes: () => file('null', block()), want: maxValues },
  ]
}

const seq = Buffer.from('SEQ\x06', 'latin1')
const className = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])
const seqTexts = Buffer.concat([seq, className('org.apache.hadoop.io.Text'), className('org.apache.hadoop.io.Text')])
const sync = Buffer.alloc(16, 7)
const seqPlain = Buffer.concat([seqTexts, Buffer.from('000000000000', 'hex'), sync])
const seqBlocks = Buffer.concat([
  seqTexts,
  Buffer.from('0101', 'hex'),
  className('org.apache.hadoop.io.compress.DefaultCodec'),
  Buffer.alloc(4),
  sync,
])

/** One record whose value is compressed by itself. */
const seqRecord = (value: Buffer): Buffer =>
  Buffer.concat([
    seqTexts,
    Buffer.from('0100', 'hex'),
    className('org.apache.hadoop.io.compress.DefaultCodec'),
    Buffer.alloc(4),
    sync,
    toBytes(value.length + 2),
    toBytes(2),
    Buffer.from('\x01k'),
    value,
  ])

const avro = Buffer.from('Obj\x01', 'latin1')

/** Avro's long. */
function zigzag(value: bigint): Buffer {
  const bytes: number[] = []
  for (let rest = value * 2n; ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)])
    bytes.push(Number(rest & 127n) | 128)
  }
}
function avroText(text: string): Buffer {
  return Buffer.concat([zigzag(BigInt(text.length)), Buffer.from(text)])
}
const avroFile = (schema: string): Buffer =>
  Buffer.concat([avro, zigzag(1n), avroText('avro.schema'), avroText(schema), zigzag(0n), sync])
const avroBlock = (data: Buffer): Buffer => Buffer.concat([zigzag(1n), zigzag(BigInt(data.length)), data, sync])
function avroHeader(schema: string, codec: string): Buffer {
  const metadata = ['avro.codec', codec, 'avro.schema', schema].map(avroText)
  return Buffer.concat([avro, zigzag(2n), ...metadata, zigzag(0n), sync])
}
const avroDeflate = avroHeader('"bytes"', 'deflate')
const avroNulls = avroFile('"null"')

/** A file with a footer of these bytes of Thrift's compact protocol. */
const parquet = (footer: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(footer.length)
  return Buffer.concat([Buffer.from('PAR1'), footer, length, Buffer.from('PAR1')])
}

const smile = Buffer.from(':)\n\x00', 'latin1')

/** A record of an envelope's file up to its struct: date, granularity. */
const thrift = Buffer.concat([Buffer.from('0a0000012000000000', 'hex'), toBytes(6), Buffer.from('HOURLY')])
