import { isDeepStrictEqual } from 'node:util'
import { FormatError } from '../../errors.ts'
import { parseJson, stringifyJson } from '../../formats/json.ts'
import { createSmileWriter } from '../../formats/smile/writer.ts'
import type { Batch, EventHead } from '../batch.ts'
import { parseGranularity } from '../bucket.ts'
import type { BucketFile } from '../files/bucket-file.ts'
import { localPath } from '../files/spool-paths.ts'
import { toOwnKey } from '../own-key.ts'
import type { FoundRow } from '../parquet/read-rows.ts'
import { bucketRows } from './bucket-events.ts'
import type { OfflineSpool } from './offline.ts'
import { toReplayKey } from './replay-key.ts'
import type { SegmentBuilder } from './segment-writer.ts'

/** Events that are appended together. */
const maxBatchEvents = 1_000

/** What is asked of the spool. */
type ReplayedInto = {
  readonly disk: Pick<OfflineSpool['disk'], 'read'>
  readonly keys: Pick<OfflineSpool['keys'], 'has'>
}

/** What a batch has of its events. */
type Rows = Pick<Batch, 'format' | 'body' | 'events'>

/**
 * Appends the events of a quarantined file whose table is gone to the spool again: their next files are made for the table that is
 * there then. Called again, it leaves out what was appended.
 * @returns how many events were appended
 * @throws FormatError
 */
export const replayFile = async (
  { disk, keys }: ReplayedInto,
  writer: Pick<SegmentBuilder, 'append'>,
  file: BucketFile,
): Promise<number> => {
  const bytes = await disk.read(localPath(file.name, 'quarantined'))
  // All that is in it is read before any of it is appended.
  const all = await Array.fromAsync(batches(bucketRows(bytes, file), file))
  let events = 0
  for (const [number, rows] of all.entries()) {
    const key = toOwnKey(`replay:${file.name}:${number}`)
    if (keys.has(key)) continue
    await writer.append({ api: undefined, ...rows, ...toReplayKey(key, rows.events) }, file.oldest)
    events += rows.events.length
  }
  return events
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
