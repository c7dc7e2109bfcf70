import type { ByteQueue, QueueSource } from './byte-queue.ts'
import { type Codec, startsWith } from './codec.ts'
import { decompressFrames } from './frames.ts'
import { compressLzf, decompressLzf, maxChunkBytes } from './lzf.ts'
import { rebase } from './rebase.ts'

export const lzf = {
  name: 'lzf',
  suffixes: ['lzf'],
  isMagic: head => startsWith(head, 0x5a, 0x56) && (head[2] === 0 || head[2] === 1),
  stream: decompressLzfStream,
  hadoop: { classes: ['com.ning.compress.lzf.hadoop.LzfCodec'], decode: decompressLzf },
  output: { compress: compressLzf, decompress: decompressLzf },
} satisfies Codec

/** Chunk headers: `5a 56`, kind, length of two bytes, and for compressed ones the raw length. */
const storedHeader = 5
const compressedHeader = 7

/**
 * Decompresses LZF chunk by chunk; the layout is in `lzf.ts`.
 * @throws FormatError `lzf` with the chunk's offset, after the chunks before it
 */
export function decompressLzfStream(source: QueueSource): AsyncGenerator<Uint8Array, void, undefined> {
  return decompressFrames(source, 'lzf', readChunk)
}

async function* readChunk(queue: ByteQueue): AsyncGenerator<Uint8Array, void, undefined> {
  await queue.ensure(storedHeader)
  const header = queue.view()
  const isCompressed = header[2] === 1
  const size = (isCompressed ? compressedHeader : storedHeader) + (((header[3] ?? 0) << 8) | (header[4] ?? 0))
  const { offset } = queue
  const isMagic = header[0] === 0x5a && header[1] === 0x56
  // A chunk that is cut short, or none, is for the decompressor to describe.
  if (isMagic) await queue.ensure(size)
  yield decompressAt(queue.take(Math.min(size, queue.available)), offset)
}

const decompressAt = (chunk: Uint8Array, offset: number): Uint8Array => {
  try {
    return decompressLzf(chunk, maxChunkBytes)
  } catch (error) {
    throw rebase(error, offset)
  }
}
