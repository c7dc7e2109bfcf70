import { crc32 } from 'node:zlib'
import { outputCodecs } from '../codecs/codecs.ts'
import type { KeptKey } from './batch.ts'
import { maxEventDate } from './bucket.ts'
import type { BucketFile } from './bucket-file.ts'
import { type Bucket, type Buckets, createBuckets, type OutputOptions } from './buckets.ts'
import type { Damage } from './damage-list.ts'
import { type DecodedEvent, decodeEvents } from './decode-events.ts'
import type { Disk } from './disk/disk.ts'
import { packsItself } from './encoders.ts'
import { readFormat, streamFormat } from './format-header.ts'
import { isTornFrame, toFrame } from './framing.ts'
import type { FieldsOf } from './parquet/event-schema.ts'
import { openSchemaStore, type SchemaNews, type SchemaStore } from './parquet/schema-store.ts'
import { decodeBatch, frameType, type KeptBatch } from './record.ts'
import { encodeSealedList, sealedListPath } from './sealed-list.ts'
import { segmentPath } from './segment-files.ts'
import { writeSynced } from './write-synced.ts'

export type SealRequest = OutputOptions & {
  readonly segment: number
  /** Nothing beyond this offset is read: a write failed there. */
  readonly end: number | undefined
  readonly collectorId: string
  /** Whether its idempotency keys are wanted: only where nobody could read it before. */
  readonly withKeys: boolean
}

export type SealResult = {
  readonly files: readonly BucketFile[]
  readonly keys: readonly KeptKey[]
  readonly damage: readonly Damage[]
  /** Columns of event types that are new, and what they could not hold. */
  readonly schemas?: readonly SchemaNews[]
}

/** Code of the error when the segment's file is not there. */
export const segmentGone = 'SEGMENT_GONE'

/** Turns a segment into bucket files; see {@link createSealing}. */
export type Seal = (request: SealRequest) => Promise<SealResult>

/** What is done with segments, and what of them is remembered: one call at a time. */
export type Sealing = {
  readonly seal: Seal
  /** Forgets the columns that the files of an event type have had: the next ones learn them anew. */
  readonly forget: (eventName: string) => Promise<void>
}

/**
 * Seals the segments of a disk.
 * @param fieldsOf what a schema registry knows of an event type @default nothing
 */
export const createSealing = (disk: Disk, fieldsOf: FieldsOf = async () => undefined): Sealing => {
  let schemas: Promise<SchemaStore> | undefined
  const open = (): Promise<SchemaStore> => {
    schemas ??= openSchemaStore(disk, fieldsOf)
    return schemas
  }
  const remembering = async <T>(task: Promise<T>): Promise<T> => {
    try {
      return await task
    } catch (error) {
      // What was learned meanwhile, and not remembered, is in no file.
      schemas = undefined
      throw error
    }
  }
  return {
    seal: request => remembering(sealSegment(disk, request, open)),
    forget: eventName => remembering(open().then(store => store.forget(eventName))),
  }
}

/**
 * Reads a segment once, in order, and writes its events as one file per bucket, synced. Nothing is decided twice: name,
 * date and granularity of each event stand in the log. What cannot be read or encoded is kept in quarantine. The
 * ledger knows nothing of it until the caller notes the result; called again, it starts afresh, and the files have the
 * same names, whoever seals the segment and whenever: so nothing of it gets into the file system twice, not even when a
 * copy of the spool is sealed elsewhere.
 */
const sealSegment = async (
  disk: Disk,
  request: SealRequest,
  openSchemas: () => Promise<SchemaStore>,
): Promise<SealResult> => {
  const schemas = request.format === 'parquet' ? await openSchemas() : undefined
  const buckets = createBuckets(request, schemas)
  const keys: KeptKey[] = []
  const damage: Damage[] = []
  let since: number | undefined
  const path = segmentPath(request.segment)
  const frames = streamFormat(readSegment(disk, request), path, 'segment')
  let next = await frames.next()
  for (; !next.done; next = await frames.next()) {
    for (const { type, payload, start } of next.value.frames) {
      if (type !== frameType.batch) continue
      const batch = readBatch(payload)
      if ('body' in batch) since ??= batch.keptAt
      if ('body' in batch && !buckets.isReadyFor(batch)) await buckets.prepare(batch)
      if ('body' in batch && request.withKeys) noteKey(batch, keys)
      const bad = 'body' in batch ? addEvents(batch, buckets) : batch
      if (bad) damage.push(await setAside(disk, request.segment, toFrame(type, payload), start, bad))
    }
  }
  const { end = Number.MAX_SAFE_INTEGER } = request
  const all = await disk.read(path, next.value).catch((error: unknown) => throwUnreadable(request.segment, error))
  const rest = all.subarray(0, end - next.value)
  if (rest.length > 0) {
    const torn = isTornFrame(rest)
    const what = torn ? 'ends in the middle of a record,' : 'is damaged'
    const reason = `The segment ${what} from byte ${next.value} of ${next.value + rest.length} on`
    damage.push(await setAside(disk, request.segment, rest, next.value, { events: 0, reason, torn }))
  }
  const files: BucketFile[] = []
  for (const bucket of buckets.values()) {
    // Events that no encoder takes are set aside above; a bucket may have none left.
    if (bucket.events > 0)
      files.push(
        await writeBucket(
          disk,
          request,
          bucket,
          `${stamp(since)}-${request.collectorId}-${request.segment}-${files.length}`,
        ),
      )
  }
  if (files.length > 0) {
    // Before anybody can commit a file: none may have other columns than those that are remembered.
    await schemas?.save()
    await disk.fsyncDir('sealed')
    await writeSynced(disk, sealedListPath(request.segment), encodeSealedList(files))
    await disk.fsyncDir('lists')
  }
  if (damage.length > 0) await disk.fsyncDir('_quarantine')
  return { files, keys, damage, ...(schemas ? { schemas: schemas.takeNews() } : {}) }
}

/** What may be read of a segment, in pieces. */
async function* readSegment(disk: Disk, { segment, end }: SealRequest): AsyncGenerator<Uint8Array> {
  let left = end ?? Number.MAX_SAFE_INTEGER
  try {
    for await (const piece of disk.stream(segmentPath(segment))) {
      yield piece.subarray(0, left)
      left -= piece.length
      if (left <= 0) return
    }
  } catch (error) {
    throwUnreadable(segment, error)
  }
}

const throwUnreadable = (segment: number, cause: unknown): never => {
  const { message, code } = cause as NodeJS.ErrnoException
  // Not with the code of the cause: unlike a failed write, this is about the segment itself.
  const error = new Error(`Segment ${segment} cannot be read: ${message}`, { cause })
  throw code === 'ENOENT' ? Object.assign(error, { code: segmentGone }) : error
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

type Bad = Pick<Damage, 'events' | 'reason' | 'torn'>

const readBatch = (payload: Uint8Array): KeptBatch | Bad => {
  try {
    return decodeBatch(payload)
  } catch (error) {
    return { events: 0, reason: (error as Error).message }
  }
}

/** What an event cannot be read or taken for is its own fault; what fails while a file is written is the seal's. */
const addEvents = (batch: KeptBatch, buckets: Buckets): Bad | undefined => {
  const bytes = batch.body.length / batch.events.length
  let failures = 0
  let reason = ''
  const note = (events: number, why: string): void => {
    failures += events
    reason = why
  }
  for (const event of decodable(batch, note)) {
    try {
      buckets.add(event, batch.keptAt, bytes)
    } catch (error) {
      note(1, `Event ${event.head.index}: ${(error as Error).message}`)
    }
    buckets.packFull()
  }
  return failures > 0 ? { events: failures, reason } : undefined
}

/** The events of a batch up to the first one that cannot be read. */
function* decodable(batch: KeptBatch, note: (events: number, why: string) => void): Generator<DecodedEvent> {
  let done = 0
  try {
    for (const event of decodeEvents(batch)) {
      yield event
      done++
    }
  } catch (error) {
    note(batch.events.length - done, (error as Error).message)
  }
}

const noteKey = ({ idempotency, keptAt }: KeptBatch, keys: KeptKey[]): void => {
  if (idempotency) keys.push({ ...idempotency, at: keptAt })
}

const writeBucket = async (disk: Disk, request: SealRequest, bucket: Bucket, stem: string): Promise<BucketFile> => {
  const codec = packsItself(request.format) ? 'none' : request.codec
  const { extension, compress } = outputCodecs[codec]
  const bytes = compress(bucket.encoder.finish())
  const name = `${stem}.${bucket.encoder.extension}${extension}`
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
    ...(request.envelope ? {} : { eventName: bucket.name }),
  }
}

const setAside = async (disk: Disk, segment: number, bytes: Uint8Array, offset: number, bad: Bad): Promise<Damage> => {
  const file = `segment-${segment}-${offset}.damaged`
  await writeSynced(disk, `_quarantine/${file}`, bytes)
  return { file, bytes: bytes.length, ...bad }
}

/** `yyyyMMddTHHmmss.SSSZ` in UTC: sorts by time. Whatever the record holds, the segment gets a name. */
const stamp = (ms = 0): string => new Date(ms >= 0 && ms <= maxEventDate ? ms : 0).toISOString().replaceAll(/[-:]/g, '')
