/** Builds sequence files of every version and compression, as their layout says; not by our own writer. */
import { encodeVint } from '../../../../src/formats/sequence-file/vint.ts'

export type BuildOptions = {
  readonly version?: number
  readonly keyClass?: string
  readonly valueClass?: string
  readonly compression?: 'none' | 'record' | 'block'
  readonly codecClass?: string
  /** Compresses one value, or one buffer of a block. */
  readonly compress?: (bytes: Uint8Array) => Uint8Array
  /** Records of a block; without blocks, records between sync marks. @default 3 */
  readonly run?: number
}

export const sync = Buffer.from('0123456789abcdef')
const blockMark = Buffer.from('ffffffff', 'hex')
const key = Buffer.from([0, 0, 0, 1])

const text = (value: string): Buffer => Buffer.concat([encodeVint(Buffer.byteLength(value)), Buffer.from(value)])

const shortText = (value: string): Buffer => {
  const bytes = Buffer.alloc(2 + Buffer.byteLength(value))
  bytes.writeUInt16BE(bytes.length - 2)
  bytes.write(value, 2)
  return bytes
}

const int = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

/** A value of class Text. */
export const toTextValue = text

export const buildSequenceFile = (values: readonly Uint8Array[], options: BuildOptions = {}): Buffer => {
  const {
    version = 6,
    keyClass = 'org.apache.hadoop.io.IntWritable',
    valueClass = 'org.apache.hadoop.io.Text',
  } = options
  const { compression = 'none', codecClass = 'org.apache.hadoop.io.compress.DefaultCodec', run = 3 } = options
  const { compress = (bytes: Uint8Array) => bytes } = options
  const name = version < 4 ? shortText : text
  const parts: Uint8Array[] = [Buffer.from('SEQ'), Buffer.from([version]), name(keyClass), name(valueClass)]
  if (version >= 3) parts.push(Buffer.from([compression === 'none' ? 0 : 1]))
  if (version >= 4) parts.push(Buffer.from([compression === 'block' ? 1 : 0]))
  if (version >= 5 && compression !== 'none') parts.push(text(codecClass))
  if (version >= 6) parts.push(int(1), text('a'), text('b'))
  if (version >= 2) parts.push(sync)
  for (let i = 0; i < values.length; i += run) {
    const some = values.slice(i, i + run)
    if (compression === 'block') {
      parts.push(blockMark, sync, encodeVint(some.length))
      const lengths = some.map(value => encodeVint(value.length))
      const buffers = [some.map(() => encodeVint(4)), some.map(() => key), lengths, some].map(list =>
        compress(Buffer.concat(list)),
      )
      for (const buffer of buffers) parts.push(encodeVint(buffer.length), buffer)
      continue
    }
    if (i > 0 && version >= 2) parts.push(blockMark, sync)
    for (const value of some) {
      const stored = compression === 'record' ? compress(value) : value
      parts.push(int(4 + stored.length), int(4), key, stored)
    }
  }
  return Buffer.concat(parts)
}
