import { ByteQueue, type QueueSource } from '../../codecs/byte-queue.ts'
import type { FileStatus, FileSystem } from '../../filesystem/filesystem.ts'
import { detectCodec, headBytes, toSuffixes } from '../../rows/detect.ts'
import { readSource } from '../../rows/source.ts'

/** The bytes of a file, decompressed, and by what. */
export type OpenedBytes = {
  readonly queue: ByteQueue
  readonly codec: string
  readonly close: () => Promise<void>
}

/** Opens a file. Rejects with `FileSystemError`. @param onBytes called with bytes that were read, as they are stored */
export const openBytes = async (
  fileSystem: Pick<FileSystem, 'open'>,
  { path, length }: Pick<FileStatus, 'path' | 'length'>,
  onBytes: (bytes: number) => void = () => {},
): Promise<OpenedBytes> => {
  const stored = new ByteQueue(counted(readSource({ fileSystem, path, size: length, offset: 0 }), onBytes))
  await stored.ensure(headBytes)
  const codec = detectCodec(stored.view().subarray(0, headBytes), toSuffixes(path))
  const queue = codec ? new ByteQueue(codec.stream(stored.rest())) : stored
  const close = async (): Promise<void> => {
    await queue.close()
    await stored.close()
  }
  return { queue, codec: codec?.name ?? 'none', close }
}

async function* counted(source: QueueSource, onBytes: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    onBytes(piece.length)
    yield piece
  }
}
