import { outputCodecs } from '../../codecs/codecs.ts'
import type { Disk } from '../../disk/disk.ts'
import { packsItself } from '../events/encoders.ts'
import { freeMemory } from '../events/pieced-bytes.ts'
import type { BucketFile } from '../files/bucket-file.ts'
import { toSince } from '../files/file-since.ts'
import type { BucketBounds } from './bucket-bounds.ts'
import type { Bucket, OutputOptions } from './buckets.ts'
import { GrowingFile } from './growing-file.ts'
import { inTurns } from './turns.ts'

/** The sources of the names and the facts of bucket files. */
export type BucketFilesOptions = Pick<OutputOptions, 'format' | 'codec' | 'envelope'> &
  BucketBounds & {
    readonly disk: Disk
    readonly segment: number
    readonly collectorId: string
    /** Those that are being filled, in the order of their first events. */
    readonly buckets: () => Iterable<Bucket>
    /** When the first event of the segment was kept. */
    readonly since: () => number | undefined
  }

/** The beginning of the name of a file, up to its format. @param since when the first event of the segment was kept */
export const toStem = (
  since: number | undefined,
  { collectorId, segment }: Pick<BucketFilesOptions, 'collectorId' | 'segment'>,
  part: number,
): string => `${toSince(since)}-${collectorId}-${segment}-${part}`

/** The files of a segment on their way to the disk. */
export type BucketFiles = {
  /** After this many bytes of the segment it is time to */
  readonly relieveEvery: number
  /** Writes what encoders have ready, where that is much: what they hold does not grow with the segment. */
  relieve(): Promise<void>
  /** Writes all that is left, and syncs each file. @returns them in the order in which they are committed */
  finish(): Promise<readonly BucketFile[]>
  /** Removes all of them: another attempt may give them other names, and on a full disk they are in the way. */
  discard(): Promise<void>
}

/**
 * A bucket file is written whole at the end, or as it grows, the largest first. Until the ledger notes it, it is one that a
 * start removes, whatever it holds.
 */
export const createBucketFiles = (options: BucketFilesOptions): BucketFiles => {
  const { disk, buckets, format, maxReadyBytes = 12 << 20, maxOpenFiles = 256 } = options
  const codec = packsItself(format) ? 'none' : options.codec
  const { extension, compress } = outputCodecs[codec]
  const growing = new Map<Bucket, GrowingFile>()
  const made: GrowingFile[] = []

  const toFile = (bucket: Bucket): GrowingFile => {
    const known = growing.get(bucket)
    if (known) return known
    const stem = toStem(options.since(), options, bucket.part)
    const file = new GrowingFile(disk, 'sealed', `${stem}.${bucket.encoder.extension}${extension}`)
    growing.set(bucket, file)
    made.push(file)
    return file
  }
  const append = async (bucket: Bucket, file: GrowingFile): Promise<void> => {
    const bytes = bucket.encoder.take?.()
    if (!bytes) return
    await file.append(bytes)
    freeMemory(bytes)
  }
  const finish = async (bucket: Bucket): Promise<BucketFile> => {
    const file = toFile(bucket)
    const bytes = compress(bucket.encoder.finish())
    const { length, crc } = await file.finish(bytes)
    // Small ones share their memory with others.
    if (bytes.length === bytes.buffer.byteLength) freeMemory(bytes)
    growing.delete(bucket)
    return {
      name: file.name,
      directory: bucket.path,
      segment: options.segment,
      format,
      codec,
      kind: bucket.kind,
      length,
      crc,
      events: bucket.events,
      oldest: bucket.oldest,
      ...(options.envelope ? {} : { eventName: bucket.name }),
    }
  }
  return {
    relieveEvery: Math.min(mostRead, maxReadyBytes),
    relieve: async () => {
      // A codec packs a file whole.
      if (codec !== 'none') return
      let ready = sumReady(buckets())
      if (ready <= maxReadyBytes) return
      // Little is left, so that few writes are small.
      const keptBytes = maxReadyBytes / 2
      for (const bucket of [...buckets()].sort(byReadyBytes)) {
        if (ready <= keptBytes) return
        if (!growing.has(bucket) && growing.size >= maxOpenFiles) continue
        ready -= readyBytesOf(bucket)
        await append(bucket, toFile(bucket))
      }
    },
    finish: async () => {
      const files: BucketFile[] = []
      // The order of commits: files of one caller must not hold up those of all others.
      for (const bucket of inTurns([...buckets()], ({ caller }) => caller)) {
        // Events that no encoder accepts are set aside, which may leave a bucket empty.
        if (bucket.events > 0) files.push(await finish(bucket))
      }
      return files
    },
    discard: async () => {
      for (const file of made) await file.discard()
    },
  }
}

/** Of a segment, before encoders are looked at. */
const mostRead = 1 << 20

const readyBytesOf = ({ encoder }: Bucket): number => encoder.readyBytes ?? 0

const sumReady = (buckets: Iterable<Bucket>): number => {
  let sum = 0
  for (const bucket of buckets) sum += readyBytesOf(bucket)
  return sum
}

const byReadyBytes = (a: Bucket, b: Bucket): number => readyBytesOf(b) - readyBytesOf(a)
