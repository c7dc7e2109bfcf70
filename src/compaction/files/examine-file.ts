import { FormatError } from '../../errors.ts'
import { hasCode } from '../../filesystem/cluster/steps.ts'
import type { FileStatus, FileSystem } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import { detectFormat, headBytes, type RowFormat, toFormatSuffix, toSuffixes } from '../../rows/detect.ts'
import type { FileMerge } from './file-merge.ts'
import type { FileKind } from './kinds/file-kind.ts'
import { jsonLines } from './kinds/json-lines.ts'
import { sequenceRecords } from './kinds/sequence-records.ts'
import { smileValues } from './kinds/smile-values.ts'
import { thriftRecords } from './kinds/thrift-records.ts'
import { mergeParquet } from './merge-parquet.ts'
import { mergeStreams } from './merge-streams.ts'
import { type OpenedBytes, openBytes } from './open-bytes.ts'
import { findPack } from './pack.ts'

/** What a file is, for those that become one with it. */
export type MergeableFile = {
  readonly status: FileStatus
  readonly merge: FileMerge
  /** What its name ends with: `.jsonl.gz`. */
  readonly extension: string
  /** The same for files of one format, codec, and end of the name; */
  readonly format: string
  /** and for those of them that can become one. */
  readonly group: string
  /** Whether it may as well be a document by itself: it goes with others that are surely none. */
  readonly isDoubtful: boolean
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
  // The permission of such a file is the most that its entries grant: without them it would grant more.
  if (status.attributes?.includes('HAS_ACL')) return 'it has an ACL'
  let opened: OpenedBytes | undefined
  try {
    opened = await openBytes(fileSystem, status)
    return await examine(fileSystem, opened, status)
  } catch (error) {
    if (error instanceof FormatError) return error.message
    if (hasCode(error, 'not-found')) return 'it is gone'
    throw error
  } finally {
    await opened?.close()
  }
}

const examine = async (
  fileSystem: Pick<FileSystem, 'open'>,
  { queue, codec }: OpenedBytes,
  status: FileStatus,
): Promise<MergeableFile | string> => {
  await queue.ensure(headBytes)
  const suffixes = toSuffixes(status.path)
  const suffix = toFormatSuffix(suffixes)
  const format = detectFormat(queue.view().subarray(0, headBytes), suffix)
  const extension = toExtension(suffixes, suffix)
  if (format === 'parquet' && codec === 'none') {
    const { key, merge } = await mergeParquet(fileSystem, status)
    return toMergeable(key, { status, merge, extension, format: `${format} ${extension}`, isDoubtful: false })
  }
  const kind = kinds[format]
  if (!kind) return `files of its format (${format}) are not compacted`
  const pack = findPack(codec)
  // A sequence file is compressed inside: Hadoop knows none within a codec.
  if (!pack || (kind === sequenceRecords && codec !== 'none')) return `it is compressed with ${codec}`
  const key = await kind.toKey(queue, suffix)
  const merge = mergeStreams(kind, key, pack)
  // Names of Hadoop's, and of Spark's, writers: parts of something.
  const isDoubtful = !baseName(status.path).startsWith('part-') && !!(await kind.isDoubtful?.(queue, suffix))
  return toMergeable(key, { status, merge, extension, format: `${format} ${codec} ${extension}`, isDoubtful })
}

const toMergeable = (key: string, file: Omit<MergeableFile, 'group'>): MergeableFile => ({
  ...file,
  group: JSON.stringify([file.format, file.status.owner, file.status.group, file.status.permission, key]),
})

const toExtension = ([last = '', before = '']: readonly string[], suffix: string): string =>
  [suffix === last ? '' : before, last].map(one => (one === '' ? '' : `.${one}`)).join('')
