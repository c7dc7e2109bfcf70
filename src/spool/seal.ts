import { crc32 } from 'node:zlib'
import { type CodecName, outputCodecs } from '../codecs/codecs.ts'
import type { KeptKey } from './batch.ts'
import { bucketKey, bucketPath } from './bucket.ts'
import type { BucketFile, OutputFormat } from './bucket-file.ts'
import type { Damage } from './damage-list.ts'
import { decodeEvents } from './decode-events.ts'
import type { Disk } from './disk/disk.ts'
import { createEncoder, type Encoder, packsItself } from './encoders.ts'
import { readFormat } from './format-header.ts'
import type { Frame } from './framing.ts'
import { decodeBatch, frameType, type KeptBatch } from './record.ts'
import { encodeSealedList, sealedListPath } from './sealed-list.ts'
import { segmentPath } from './segment-files.ts'

export type SealRequest = {
  readonly segment: number
  /** Nothing beyond this offset is read: a write failed there. */
  readonly end: number | undefined
  readonly collectorId: string
  readonly sealedAt: number
  readonly outputDirectory: string
  readonly format: OutputFormat
  readonly codec: CodecName
  /** Whether its idempotency keys are wanted: only where nobody could read it before. */
  readonly withKeys: boolean
}

export type SealResult = {
  readonly files: readonly BucketFile[]
  readonly keys: readonly KeptKey[]
  readonly damage: readonly Damage[]
}

/** Code of the error when the segment's file is not there. */
export const segmentGone = 'SEGMENT_GONE'

type Bucket = {
  readonly path: string
  readonly kind: BucketFile['kind']
  readonly encoder: Encoder
  events: number
  oldest: number
}

/**
 * Reads a segment once, in order, and writes its events as one file per bucket, synced. Nothing is decided twice: name,
 * date and granularity of each event stand in the log. What cannot be read or encoded is kept in quarantine. The
 * ledger knows nothing of it until the caller notes the result; called again, it starts afresh.
 */
export const sealSegment = async (disk: Disk, request: SealRequest): Promise<SealResult> => {
  const all = await disk.read(segmentPath(request.segment)).catch(cause => {
    const { message, code } = cause as NodeJS.ErrnoException
    // Not with the code of the cause: unlike a failed write, this is about the segment itself.
    const error = new Error(`Segment ${request.segment} cannot be read: ${message}`, { cause })
    throw code === 'ENOENT' ? Object.assign(error, { code: segmentGone }) : error
  })
  const bytes = request.end === undefined ? all : all.subarray(0, request.end)
  const buckets = new Map<string, Bucket>()
  const keys: KeptKey[] = []
  const damage: Damage[] = []
  const frames = readFormat(bytes, segmentPath(request.segment), 'segment')
  let next = frames.next()
  for (; !next.done; next = frames.next()) {
    const frame = next.value
    if (frame.type !== frameType.batch) continue
    const bad = addBatch(frame, request, buckets, keys)
    if (bad)
      damage.push(await setAside(disk, request.segment, bytes.subarray(frame.start, frame.end), frame.start, bad))
  }
  if (next.value < bytes.length) {
    const reason = `The segment is damaged from byte ${next.value} of ${bytes.length} on`
    damage.push(await setAside(disk, request.segment, bytes.subarray(next.value), next.value, { events: 0, reason }))
  }
  const files: BucketFile[] = []
  for (const bucket of buckets.values()) {
    // Events that no encoder takes are set aside above; a bucket may have none left.
    if (bucket.events > 0) files.push(await writeBucket(disk, request, bucket, files.length))
  }
  if (files.length > 0) {
    await disk.fsyncDir('sealed')
    await writeSynced(disk, sealedListPath(request.segment), encodeSealedList(files))
    await disk.fsyncDir('lists')
  }
  if (damage.length > 0) await disk.fsyncDir('_quarantine')
  return { files, keys, damage }
}

/**
 * The idempotency keys and the number of events of a segment that is not sealed yet.
 * @throws UnknownFormat
 */
export const scanSegment = (bytes: Uint8Array, path: string): { readonly keys: KeptKey[]; readonly events: number } => {
  const keys: KeptKey[] = []
  let events = 0
  for (const frame of readFormat(bytes, path, 'segment')) {
    if (frame.type !== frameType.batch) continue
    let batch: KeptBatch
    try {
      batch = decodeBatch(frame.payload)
    } catch {
      // Of another version: sealing sets it aside and says so.
      continue
    }
    events += batch.events.length
    noteKey(batch, keys)
  }
  return { keys, events }
}

type Bad = { readonly events: number; readonly reason: string }

const addBatch = (
  frame: Frame,
  { format, codec, outputDirectory, withKeys }: SealRequest,
  buckets: Map<string, Bucket>,
  keys: KeptKey[],
): Bad | undefined => {
  let batch: KeptBatch
  try {
    batch = decodeBatch(frame.payload)
  } catch (error) {
    return { events: 0, reason: (error as Error).message }
  }
  if (withKeys) noteKey(batch, keys)
  let done = 0
  let reason = ''
  let failures = 0
  try {
    for (const event of decodeEvents(batch)) {
      try {
        const key = bucketKey(event.kind, event.head)
        let bucket = buckets.get(key)
        if (!bucket) {
          bucket = {
            path: `${outputDirectory === '/' ? '' : outputDirectory}/${bucketPath(event.head)}`,
            kind: event.kind,
            encoder: createEncoder(format, event.kind, codec),
            events: 0,
            oldest: batch.keptAt,
          }
          buckets.set(key, bucket)
        }
        bucket.encoder.add(event)
        bucket.events++
      } catch (error) {
        failures++
        reason = `Event ${event.head.index}: ${(error as Error).message}`
      }
      done++
    }
  } catch (error) {
    failures += batch.events.length - done
    reason = (error as Error).message
  }
  return failures > 0 ? { events: failures, reason } : undefined
}

const noteKey = ({ idempotency, keptAt }: KeptBatch, keys: KeptKey[]): void => {
  if (idempotency) keys.push({ ...idempotency, at: keptAt })
}

const writeBucket = async (disk: Disk, request: SealRequest, bucket: Bucket, part: number): Promise<BucketFile> => {
  const codec = packsItself(request.format) ? 'none' : request.codec
  const { extension, compress } = outputCodecs[codec]
  const bytes = compress(bucket.encoder.finish())
  const name = `${stamp(request.sealedAt)}-${request.collectorId}-${request.segment}-${part}.${bucket.encoder.extension}${extension}`
  await writeSynced(disk, `sealed/${name}`, bytes)
  return {
    name,
    directory: bucket.path,
    segment: request.segment,
    format: request.format,
    codec,
    kind: bucket.kind,
    length: bytes.length,
    crc: crc32(bytes),
    events: bucket.events,
    oldest: bucket.oldest,
  }
}

const setAside = async (disk: Disk, segment: number, bytes: Uint8Array, offset: number, bad: Bad): Promise<Damage> => {
  const file = `segment-${segment}-${offset}.damaged`
  await writeSynced(disk, `_quarantine/${file}`, bytes)
  return { file, bytes: bytes.length, ...bad }
}

/** Replaces what an earlier attempt left under the name. */
const writeSynced = async (disk: Disk, path: string, bytes: Uint8Array): Promise<void> => {
  await disk.unlink(path)
  const file = await disk.create(path)
  try {
    await file.append(bytes)
    await file.fdatasync()
  } catch (error) {
    // On a full disk a part of it would only be in the way.
    await disk.unlink(path).catch(() => {})
    throw error
  } finally {
    await file.close()
  }
}

/** `yyyyMMddTHHmmss.SSSZ` in UTC: sorts by time. */
const stamp = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:]/g, '')
