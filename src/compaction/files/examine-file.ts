import { ByteQueue, type QueueSource } from '../../codecs/byte-queue.ts'
import { FormatError } from '../../errors.ts'
import { hasCode } from '../../filesystem/cluster/steps.ts'
import type { FileStatus, FileSystem } from '../../filesystem/filesystem.ts'
import { detectCodec, detectFormat, headBytes, type RowFormat, toFormatSuffix, toSuffixes } from '../../rows/detect.ts'
import { readSource } from '../../rows/source.ts'
import type { FileKind } from './kinds/file-kind.ts'
import { jsonLines } from './kinds/json-lines.ts'
import { sequenceRecords } from './kinds/sequence-records.ts'
import { smileValues } from './kinds/smile-values.ts'
import { thriftRecords } from './kinds/thrift-records.ts'
import { findPack, type PackFile } from './pack.ts'

/** What a file is, for those that become one with it. */
export type MergeableFile = {
  readonly status: FileStatus
  readonly kind: FileKind
  readonly pack: PackFile
  readonly key: string
  /** What its name ends with: `.jsonl.gz`. */
  readonly extension: string
  /** The same for files that can become one. */
  readonly group: string
}

const kinds: Readonly<Partial<Record<RowFormat, FileKind>>> = {
  json: jsonLines,
  sequencefile: sequenceRecords,
  thrift: thriftRecords,
  smile: smileValues,
}

/** Finds out what a file is. Rejects with `FileSystemError`. @returns why it stays, where it cannot become one with others */
export const examineFile = async (
  fileSystem: Pick<FileSystem, 'open'>,
  status: FileStatus,
): Promise<MergeableFile | string> => {
  if (status.length === 0) return 'it is empty'
  let opened: OpenedBytes | undefined
  try {
    opened = await openBytes(fileSystem, status)
    return await examine(opened, status)
  } catch (error) {
    if (error instanceof FormatError) return error.message
    if (hasCode(error, 'not-found')) return 'it is gone'
    throw error
  } finally {
    await opened?.close()
  }
}

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

const examine = async ({ queue, codec }: OpenedBytes, status: FileStatus): Promise<MergeableFile | string> => {
  await queue.ensure(headBytes)
  const suffixes = toSuffixes(status.path)
  const suffix = toFormatSuffix(suffixes)
  const format = detectFormat(queue.view().subarray(0, headBytes), suffix)
  const kind = kinds[format]
  if (!kind) return `files of its format (${format}) are not compacted`
  const pack = findPack(codec)
  // A sequence file is compressed inside: Hadoop knows none within a codec.
  if (!pack || (kind === sequenceRecords && codec !== 'none')) return `it is compressed with ${codec}`
  const key = await kind.toKey(queue, suffix)
  const extension = toExtension(suffixes, suffix)
  return { status, kind, pack, key, extension, group: [format, codec, extension, key].join(' ') }
}

const toExtension = ([last = '', before = '']: readonly string[], suffix: string): string =>
  [suffix === last ? '' : before, last].map(one => (one === '' ? '' : `.${one}`)).join('')
