import { FormatError } from '../../errors.ts'
import { stringifyJson } from '../../formats/json.ts'
import type { EventHead } from '../batch.ts'
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

/**
 * Appends the events of a quarantined file whose table is gone to the spool again: their next files are made for the table that is
 * there then. Called again, it leaves out what was appended.
 * @returns how many events were appended
 * @throws FormatError
 */
export const replayFile = async (
  { disk, keys }: Pick<OfflineSpool, 'disk' | 'keys'>,
  writer: SegmentBuilder,
  file: BucketFile,
): Promise<number> => {
  const bytes = await disk.read(localPath(file.name, 'quarantined'))
  const all: { readonly number: number; readonly rows: FoundRow[] }[] = []
  let rows: FoundRow[] = []
  // All that is in it is read before any of it is appended.
  for await (const row of bucketRows(bytes, file)) {
    if (rows.length === 0) all.push({ number: all.length, rows })
    if (rows.push(row) === maxBatchEvents) rows = []
  }
  let events = 0
  for (const { number, rows } of all) {
    const key = toOwnKey(`replay:${file.name}:${number}`)
    if (keys.has(key)) continue
    const body = new TextEncoder().encode(stringifyJson(rows))
    const heads = rows.map((row, index) => toHead(row, index, file))
    await writer.append(
      { api: undefined, format: 'json', events: heads, body, ...toReplayKey(key, heads) },
      file.oldest,
    )
    events += rows.length
  }
  return events
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
