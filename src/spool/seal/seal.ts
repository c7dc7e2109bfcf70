import type { Disk } from '../../disk/disk.ts'
import { writeSynced } from '../../disk/write-synced.ts'
import type { KeptIdentity } from '../batch.ts'
import { decodeEvents } from '../events/decode-events.ts'
import { createSentEvents } from '../events/sent-events.ts'
import type { BucketFile } from '../files/bucket-file.ts'
import type { Damage } from '../ledger/damage-list.ts'
import { encodeSealedList, sealedListPath } from '../ledger/sealed-list.ts'
import type { SchemaNews, SchemaStore } from '../parquet/schema-store.ts'
import type { KeptBatch } from '../segment/record.ts'
import { segmentPath } from '../segment/segment-files.ts'
import { readSegment, type SegmentPart, streamSegment } from '../segment/segment-reader.ts'
import type { SegmentRecord } from '../segment/segment-record.ts'
import { addEvents } from './add-events.ts'
import type { BucketBounds } from './bucket-bounds.ts'
import { type BucketFiles, createBucketFiles, toStem } from './bucket-files.ts'
import { type Buckets, createBuckets, type KnownBuckets, type OutputOptions } from './buckets.ts'
import type { AsidePart, FirstSeal } from './first-seal.ts'
import { settleTables } from './settle-tables.ts'
import { keepPiece, toUnreadPart, type UnreadPart, withhold } from './unread.ts'

export type SealRequest = OutputOptions & {
  readonly segment: number
  /** Nothing beyond this offset is read: a write failed there. */
  readonly end: number | undefined
  /** As many events are known to be in it; undefined when that is not known. */
  readonly events: number | undefined
  readonly collectorId: string
  /** Whether its idempotency keys and ids of events are wanted: only if it was never read before. */
  readonly withKeys: boolean
  /**
   * Of the columns of event types that are remembered: grows with each change of them; a segment that brings new ones makes
   * the next one of it. Undefined where this is the only one that seals.
   */
  readonly edition?: number
  /** Whether events are read as values before they are taken, also those that could be taken as they were sent. */
  readonly asValues?: boolean
  /** Whether segments before it are still being sealed: then it learns no columns, and fails where it would. */
  readonly isAhead?: boolean
  /** Where it was sealed before. */
  readonly first?: FirstSeal | undefined
}

export type SealResult = {
  readonly files: readonly BucketFile[]
  readonly keys: readonly KeptIdentity[]
  readonly damage: readonly Damage[]
  /** Columns of event types that are new, and what they could not hold. */
  readonly schemas?: readonly SchemaNews[]
  /** Whether columns are remembered that were not before. */
  readonly hasLearned?: boolean
}

/** Code of the error when the segment's file is not there. */
export const segmentGone = 'SEGMENT_GONE'

/**
 * Reads a segment once, in order, and writes its events as one file per bucket, synced. Nothing is decided twice: the
 * log has the name, date and granularity of each event. What cannot be read or encoded is kept in quarantine. The
 * ledger does not change until the caller notes the result. A repeated call starts afresh, and the files get the same
 * names whenever and wherever the segment is sealed: so no event gets into the file system twice, not even when a copy
 * of the spool is sealed elsewhere.
 */
export const writeSegment = async (
  disk: Disk,
  request: SealRequest,
  schemas: SchemaStore | undefined,
  bounds: BucketBounds = {},
): Promise<SealResult> => {
  const reading: Reading = { since: undefined, read: 0, keys: [], damage: [] }
  const buckets = createBuckets(request, schemas, bounds, toKnown(request, reading))
  const { format, codec, envelope, segment, collectorId } = request
  const facts = { format, codec, envelope, segment, collectorId, ...bounds }
  const growing = createBucketFiles({ ...facts, disk, buckets: () => buckets.values(), since: () => reading.since })
  try {
    await fillBuckets(disk, request, buckets, reading, growing)
    if (schemas?.tables.isUsed) await settleTables(buckets, schemas)
    const files = await growing.finish()
    // Before a file can be committed: none may have other columns than those that are remembered.
    const hasLearned = await schemas?.save()
    if (files.length > 0) {
      await disk.fsyncDir('sealed')
      await writeSynced(disk, sealedListPath(segment), encodeSealedList(files))
      await disk.fsyncDir('lists')
    }
    const { keys, damage } = reading
    if (damage.length > 0) await disk.fsyncDir('_quarantine')
    return { files, keys, damage, ...(schemas ? { schemas: schemas.takeNews(), hasLearned: hasLearned === true } : {}) }
  } catch (error) {
    await growing.discard()
    throw error
  }
}

/** What is found in a segment while it is read. */
type Reading = {
  /** When its first event was kept. */
  since: number | undefined
  /** Events. */
  read: number
  readonly keys: KeptIdentity[]
  readonly damage: Damage[]
}

/** What is known of its files where it was sealed before. */
const toKnown = ({ first, ...request }: SealRequest, reading: Pick<Reading, 'since'>): KnownBuckets | undefined => {
  if (!first) return undefined
  const refused = new Map(first.refused)
  return {
    refusalOf: eventName => refused.get(eventName),
    fateOf: part => {
      const isOf = (name: string): boolean => name.startsWith(`${toStem(reading.since, request, part)}.`)
      if (first.placed.some(isOf)) return 'placed'
      return first.due.some(isOf) ? 'due' : undefined
    },
  }
}

const fillBuckets = async (
  disk: Disk,
  request: SealRequest,
  buckets: Buckets,
  reading: Reading,
  files: Pick<BucketFiles, 'relieveEvery' | 'relieve'>,
): Promise<void> => {
  const decode = keepsBytes(request) ? createSentEvents() : decodeEvents
  const { keys, damage } = reading
  const unread: UnreadPart[] = []
  let relievedAt = 0
  for await (const parts of streamParts(disk, request)) {
    for (const part of parts) {
      const batch = part.kind === 'record' ? readBatch(part) : toReason(part)
      const events = 'body' in batch ? batch.events.length : part.kind === 'withheld' ? part.events : 1
      const aside = request.first?.aside.find(one => isIn(part, one))
      if (aside?.isSettled) {
        reading.read += events
        continue
      }
      if (aside || !('body' in batch)) {
        unread.push(toUnreadPart(part, events, aside?.reason ?? ('reason' in batch ? batch.reason : '')))
        continue
      }
      reading.since ??= batch.keptAt
      reading.read += events
      if (!buckets.isReadyFor(batch)) await buckets.prepare(batch)
      if (request.withKeys) noteIdentity(batch, keys)
      const settled = request.first?.settled.find(([start]) => start === part.start)?.[1]
      const bad = addEvents(decode, batch, buckets, part.kind === 'record' ? part.caller : 0, settled)
      if (bad) damage.push(await keepPiece(disk, request.segment, part, bad))
      if (part.end - relievedAt < files.relieveEvery) continue
      relievedAt = part.end
      await files.relieve()
    }
  }
  const missing = request.events === undefined ? undefined : request.events - reading.read
  damage.push(...(await withhold(disk, request.segment, unread, missing)))
}

const isIn = ({ start }: Pick<SegmentPart, 'start'>, part: AsidePart): boolean =>
  start >= part.start && start < part.end

/** Whether events of JSON are taken as they were sent. */
const keepsBytes = ({ format, asValues = false }: SealRequest): boolean =>
  !asValues && (format === 'jsonl' || format === 'parquet')

/** What may be read of a segment. */
const streamParts = (disk: Disk, { segment, end }: SealRequest): AsyncIterable<Iterable<SegmentPart>> => {
  const path = segmentPath(segment)
  const readFrom = async (start: number): Promise<Uint8Array> => {
    const rest = await disk.read(path, start).catch((error: unknown) => throwUnreadable(segment, error))
    return end === undefined ? rest : rest.subarray(0, Math.max(0, end - start))
  }
  return streamSegment(streamUpTo(disk, segment, end), readFrom, path)
}

/** So much of a segment is read at a time. */
const pieceBytes = 1 << 20

async function* streamUpTo(disk: Disk, segment: number, end: number | undefined): AsyncGenerator<Uint8Array> {
  let left = end ?? Number.MAX_SAFE_INTEGER
  try {
    for await (const piece of disk.stream(segmentPath(segment), new Uint8Array(pieceBytes))) {
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
 * The idempotency keys, ids of events, and the number of events of a segment that is not sealed yet; withheld parts
 * count as far as they can be read.
 * @throws UnknownFormat
 */
export const scanSegment = (
  bytes: Uint8Array,
  path: string,
): { readonly keys: KeptIdentity[]; readonly events: number } => {
  const keys: KeptIdentity[] = []
  let events = 0
  for (const part of readSegment(bytes, path)) {
    if (part.kind === 'withheld') {
      events += part.events
      continue
    }
    const batch = readBatch(part)
    events += 'body' in batch ? batch.events.length : 1
    if ('body' in batch) noteIdentity(batch, keys)
  }
  return { keys, events }
}

/** @returns why, for a record of another version: its CRC fitted */
const readBatch = (record: SegmentRecord): KeptBatch | { readonly reason: string } => {
  try {
    return record.batch()
  } catch (error) {
    return { reason: (error as Error).message }
  }
}

const toReason = ({ start, end, isTorn }: Extract<SegmentPart, { kind: 'withheld' }>): { readonly reason: string } => {
  if (isTorn) return { reason: `The segment ends in the middle of a record, from byte ${start} of ${end} on` }
  return { reason: `The segment is damaged from byte ${start} to ${end}` }
}

const noteIdentity = ({ idempotency, eventIds, keptAt: at }: KeptBatch, keys: KeptIdentity[]): void => {
  // A copy: the originals are among all the bytes that were read.
  if (idempotency ?? eventIds) keys.push({ idempotency, eventIds: eventIds?.slice(), at })
}
