import { isRecord } from '../is-record.ts'
import { path } from './path-setting.ts'
import { restCatalogRows } from './rest-catalog-rows.ts'
import { choice, Expected, flag, integer, list, live, type RawValue, type Setting, size, toText } from './setting.ts'

/** How long rows stay, by event type: whole days; `*` is all other types. */
export type Retention = Readonly<Record<string, number | 'forever'>>

const toDays = integer(undefined, { sentence: '', min: 1, max: 36_500 }).parse
const toPairs = list(toText, [], { sentence: '' }).parse

/** A map in YAML, or `type=days` with commas between. */
const parseRetention = (raw: RawValue): Retention => {
  const given = isRecord(raw) ? Object.entries(raw) : toPairs(raw).map(splitPair)
  const days = given.map(([type, value]) => [type, value === 'forever' ? value : toDaysOf(value)] as const)
  if (new Set(days.map(([type]) => type)).size < days.length) throw new Expected('each event type once')
  return Object.fromEntries(days)
}

const form = 'event types with whole days from 1 to 36500, or forever, such as Order=30,*=365'

/** A name may have a `=`. */
const splitPair = (pair: string): readonly [type: string, days: string] => {
  const [, type, days] = /^(.*\S)\s*=\s*([^=\s]+)$/s.exec(pair) ?? []
  if (type === undefined || days === undefined) throw new Expected(form)
  return [type, days]
}

const toDaysOf = (raw: RawValue): number => {
  try {
    return toDays(raw) ?? 0
  } catch {
    throw new Expected(form)
  }
}

const retention = (words: Pick<Setting<unknown>, 'sentence' | 'unit'>): Setting<Retention> => ({
  type: 'map',
  default: {},
  parse: parseRetention,
  ...words,
})

/** What event files are like, and where they go. */
export const outputRows = {
  'collector.event-output-directory': path('/events', { sentence: 'Where event files go in the file system.' }),
  'collector.output.format': live(
    choice(['native', 'sequencefile', 'jsonl', 'parquet'], 'native', {
      sentence:
        '`native` writes .smile and .thrift files; values of `sequencefile` hold no date; `parquet` has a column for each field.',
    }),
  ),
  'collector.output.compression': live(
    choice(['none', 'gzip', 'deflate', 'zstd', 'lzf'], 'none', {
      sentence:
        'Compression of event files. Sequence files name the codec in their header (`deflate`, also without compression, is DefaultCodec; `lzf` has no codec). Parquet is compressed inside with `zstd`, also without compression, or `gzip`.',
    }),
  ),
  'collector.output.layout': live(
    choice(['dated', 'hive'], 'dated', {
      sentence:
        '`dated`: event files in `<type>/yyyy/MM/dd/HH`; `hive`: in `<type>/dt=yyyy-MM-dd/hour=HH`, whatever the granularity, for tables with partitions.',
    }),
  ),
  'collector.output.table': live(
    choice(['none', 'iceberg'], 'none', {
      sentence:
        '`iceberg`: the files of each event type are an Apache Iceberg table, `<event-output-directory>/<type>`, partitioned by the hour of `eventDate`. Needs `collector.output.format: parquet`.',
    }),
  ),
  ...restCatalogRows,
  'collector.output.snapshot-seconds': live(
    integer(60, {
      sentence: 'Least time between two snapshots of a table; files wait for the next one.',
      unit: 'seconds',
      min: 1,
      max: 86_400,
    }),
  ),
  'collector.output.keep-snapshots-hours': live(
    integer(5, {
      sentence:
        'How old snapshots of a table get before the collector forgets them, and deletes the files that only they have. The last 10, and those with a tag, stay; `0`: all do.',
      unit: 'hours',
      min: 0,
      max: 87_600,
    }),
  ),
  'collector.compaction.mode': live(
    choice(['off', 'hourly'], 'off', {
      sentence:
        '`hourly`: once an hour a process of low priority makes one file of the files of each closed hour of the tables. Needs `collector.output.table: iceberg`.',
    }),
  ),
  'collector.compaction.after-minutes': live(
    integer(10, {
      sentence: 'How long after its end an hour is closed, and the files of all closed hours are merged.',
      unit: 'minutes',
      min: 0,
      max: 1_440,
    }),
  ),
  'collector.compaction.target-bytes': live(
    size(512 * 2 ** 20, {
      sentence:
        'Size of these files: an hour with more becomes several. Files of three quarters of it stay as they are.',
      min: 2 ** 20,
      max: 64 * 2 ** 30,
    }),
  ),
  'collector.retention': live(
    retention({
      sentence:
        'How long rows of tables stay, by event type: `{Order: 30, "*": 365}`, or `Order=30,*=365`; `*` is all other types, `forever` keeps one. Older hours are removed once an hour. Needs `collector.output.table: iceberg`.',
      unit: 'days',
    }),
  ),
  'collector.output.envelope': live(
    flag(true, {
      sentence:
        'With `jsonl`: lines are `{"eventName":…,"payload":{…}}`; `false`: the payload itself, with `eventName` in front.',
    }),
  ),
} as const
