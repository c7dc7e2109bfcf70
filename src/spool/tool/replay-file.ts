import { isDeepStrictEqual } from 'node:util'
import { FormatError } from '../../errors.ts'
import { parseJson, stringifyJson } from '../../formats/json.ts'
import { createSmileWriter } from '../../formats/smile/writer.ts'
import type { Batch, EventHead } from '../batch.ts'
import { bucketPath, parseGranularity } from '../bucket.ts'
import type { BucketFile } from '../files/bucket-file.ts'
import { localPath } from '../files/spool-paths.ts'
import { toOwnKey } from '../own-key.ts'
import type { FoundRow } from '../parquet/read-rows.ts'
import type { KeptBatch, RecordBatch } from '../segment/record.ts'
import { segmentPath } from '../segment/segment-files.ts'
import { readSegment } from '../segment/segment-reader.ts'
import { bucketRows } from './bucket-events.ts'
import type { OfflineSpool } from './offline.ts'
import { pickEvents } from './pick-events.ts'
import { toReplayKey } from './replay-key.ts'
import type { SegmentBuilder } from './segment-writer.ts'

/** Events that are appended together. */
const maxBatchEvents = 1_000

/** What is asked of the spool. */
type ReplayedInto = {
  readonly disk: Pick<OfflineSpool['disk'], 'read'>
  readonly keys: Pick<OfflineSpool['keys'], 'has'>
  readonly readCopy: OfflineSpool['readCopy']
}

/** What a batch has of its events. */
type Rows = Pick<Batch, 'format' | 'body' | 'events'>

/** A batch as it is appended. */
type KeptRows = Omit<RecordBatch, 'idempotency'> & Pick<KeptBatch, 'keptAt'>

/**
 * Appends the events of a quarantined file whose table is gone to the spool again: their next files are made for the table that is
 * there then. Called again, it leaves out what was appended.
 * @returns how many events were appended
 * @throws FormatError
 */
export const replayFile = async (
  spool: ReplayedInto,
  writer: Pick<SegmentBuilder, 'append'>,
  file: BucketFile,
): Promise<number> => {
  const toKey = (number: number): string => toOwnKey(`replay:${file.name}:${number}`)
  // They are published together, from wherever they were read.
  if (spool.keys.has(toKey(0))) return 0
  // All that is in it is read before any of it is appended.
  const all = await readBatches(spool, file)
  let events = 0
  for (const [number, { keptAt, ...batch }] of all.entries()) {
    await writer.append({ ...batch, ...toReplayKey(toKey(number), batch.events) }, keptAt)
    events += batch.events.length
  }
  return events
}

/** What is in a file: where it is not here, as its segment has it in HDFS. */
const readBatches = async ({ disk, readCopy }: ReplayedInto, file: BucketFile): Promise<readonly KeptRows[]> => {
  try {
    const bytes = await disk.read(localPath(file.name, 'quarantined'))
    const rows = await Array.fromAsync(batches(bucketRows(bytes, file), file))
    return rows.map(one => ({ ...one, api: undefined, keptAt: file.oldest }))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const log = await readCopy(file.segment)
    if (!log) throw error
    return pickFile(log, file)
  }
}

/** The events of a file of a table in the log of its segment. @throws FormatError where these are not as many as the file had */
const pickFile = (log: Uint8Array, { directory, segment, events }: BucketFile): readonly KeptRows[] => {
  const picked: KeptRows[] = []
  for (const part of readSegment(log, segmentPath(segment))) {
    if (part.kind !== 'record') continue
    const batch = pickEvents(part.batch(), head => directory.endsWith(`/${bucketPath(head, 'iceberg')}`))
    if (batch.events.length > 0) picked.push(batch)
  }
  const found = picked.reduce((sum, batch) => sum + batch.events.length, 0)
  if (found === events) return picked
  throw new FormatError('segment', 0, `its log in HDFS has ${found} of its events, expected ${events}`)
}

/** Rows as bodies of Smile, which has binary, each double, and integers apart from doubles. */
async function* batches(rows: AsyncIterable<FoundRow>, file: BucketFile): AsyncGenerator<Rows> {
  let writer = createSmileWriter()
  let events: EventHead[] = []
  const take = (): Rows => {
    writer.endArray()
    const batch = { format: 'smile', events, body: writer.take() } as const
    writer = createSmileWriter()
    events = []
    return batch
  }
  for await (const row of rows) {
    if (events.length === 0) writer.startArray()
    const head = toHead(row, events.length, file)
    try {
      writer.write(row)
      events.push(head)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      if (events.length > 0) yield take()
      else writer = createSmileWriter()
      yield toJson(row, { ...head, index: 0 }, error)
    }
    if (events.length === maxBatchEvents) yield take()
  }
  if (events.length > 0) yield take()
}

/** A row that Smile cannot hold, such as one with half of a surrogate pair. @throws FormatError `reason` where JSON would change it */
const toJson = (row: FoundRow, head: EventHead, reason: FormatError): Rows => {
  const text = stringifyJson(row)
  if (!isDeepStrictEqual(parseJson(text), row)) throw reason
  return { format: 'json', events: [head], body: new TextEncoder().encode(text) }
}

const toHead = ({ eventName, payload }: FoundRow, index: number, { oldest }: BucketFile): EventHead => {
  if (typeof eventName !== 'string') throw new FormatError('parquet', 0, 'expected rows with the name of their event')
  const { eventDate: date, eventGranularity: granularity } = payload
  return {
    index,
    name: eventName,
    date: typeof date === 'number' || typeof date === 'bigint' ? Number(date) : oldest,
    granularity: (typeof granularity === 'string' && parseGranularity(granularity)) || 'HOURLY',
  }
}
