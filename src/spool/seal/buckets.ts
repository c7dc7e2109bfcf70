import type { CodecName } from '../../codecs/codecs.ts'
import type { Batch } from '../batch.ts'
import { type BucketHead, bucketKey, bucketPath, eventLayout, isSameBucket, type OutputLayout } from '../bucket.ts'
import type { DecodedEvent } from '../events/decode-events.ts'
import { createEncoder, type Encoder, mixesKinds } from '../events/encoders.ts'
import { SentEvent } from '../events/sent-events.ts'
import type { BucketFile, OutputFormat } from '../files/bucket-file.ts'
import { ParquetEncoder } from '../parquet/parquet-encoder.ts'
import type { SchemaStore } from '../parquet/schema-store.ts'
import { SealMemory } from '../parquet/seal-memory.ts'
import { tableAway } from '../parquet/table-columns.ts'
import type { BucketBounds } from './bucket-bounds.ts'
import { createHeldRows, objectWeight, type RowHolder } from './held-rows.ts'

/** What event files are like, and where they go. */
export type OutputOptions = {
  readonly outputDirectory: string
  readonly format: OutputFormat
  readonly codec: CodecName
  readonly layout: OutputLayout
  /** Whether lines of `jsonl` have an envelope. */
  readonly envelope: boolean
  /** Whether tables get the ids of events. @default false */
  readonly eventIds?: boolean
}

/** The table of an event takes nothing. */
export class TableRefuses extends Error {
  override readonly name = 'TableRefuses'
}

/** What is known of a segment that was sealed before. */
export type KnownBuckets = {
  /** Why the table of a type refused it then; undefined where it did not. */
  readonly refusalOf: (eventName: string) => string | undefined
  /** The fate of the file with a number: it is at its place, or has to be made again; undefined where neither is so. */
  readonly fateOf: (part: number) => 'placed' | 'due' | undefined
}

/** A bucket file that is being filled. */
export type Bucket = RowHolder & {
  /**
   * In the order of their first events, those that a table refuses counted: whether one does, and more events after
   * them, as in another copy of the spool, change no name.
   */
  readonly part: number
  readonly name: string
  readonly path: string
  readonly kind: BucketFile['kind']
  /** The number of who sent its first event. */
  readonly caller: number
  events: number
  oldest: number
}

/** The bucket files of a segment while they are filled. */
export type Buckets = {
  /** Whether ids of events are of use. */
  readonly takesIds: boolean
  isReadyFor(batch: Pick<Batch, 'events'>): boolean
  /** Gets ready what the events of a batch need before they are added. */
  prepare(batch: Pick<Batch, 'events'>): Promise<void>
  /**
   * Adds an event whole, or throws and adds nothing. @param bytes its length as sent, roughly @param caller who sent it
   * @param id in base64url
   */
  add(event: DecodedEvent, keptAt: number, bytes: number, caller: number, id?: string): void
  /** After each event: writes what encoders hold too much of. What it throws is not an event's fault. */
  packFull(): void
  values(): Iterable<Bucket>
}

/** Of events that go to no file: their table takes none, or has the file of these already. */
type Closed = { readonly refusal: string | undefined }

/** @param schemas of a format that has columns @param known where it is sealed again */
export const createBuckets = (
  output: OutputOptions,
  schemas: SchemaStore | undefined,
  { maxHeldBytes }: BucketBounds = {},
  known?: KnownBuckets,
): Buckets => {
  const { format, layout, outputDirectory, eventIds = false } = output
  const root = outputDirectory === '/' ? '' : outputDirectory
  const prepared = new Set<string>()
  /** By what each event has at hand, and one for each file to be. */
  const byKey = new Map<string, Bucket | Closed>()
  const byFile = new Map<string, Bucket | Closed>()
  const lastOf = new Map<
    string,
    { readonly kind: Bucket['kind']; readonly head: BucketHead; readonly bucket: Bucket | Closed }
  >()
  const open = createOpening(output, schemas, known)
  const values = (): Iterable<Bucket> => byFile.values().filter(isOpen)
  const held = createHeldRows(values, maxHeldBytes)

  /** Events of one directory become one file, whatever their granularity, and their kind where the format takes all. */
  const find = (event: DecodedEvent, keptAt: number, caller: number): Bucket | Closed => {
    const { kind } = event
    const head = toHead(event.head, layout)
    // Often that of the event of its name before.
    const last = lastOf.get(head.name)
    if (last && last.kind === kind && isSameBucket(last.head, head)) return last.bucket
    const key = bucketKey(kind, head)
    const found = byKey.get(key)
    if (found) {
      lastOf.set(head.name, { kind, head, bucket: found })
      return found
    }
    const path = `${root}/${bucketPath(head, layout)}`
    const file = mixesKinds(format) ? path : `${kind} ${path}`
    const bucket = byFile.get(file) ?? open(event, { part: byFile.size, path, caller, oldest: keptAt })
    byKey.set(key, bucket)
    byFile.set(file, bucket)
    return bucket
  }

  return {
    takesIds: eventIds,
    isReadyFor: ({ events }) => !schemas || events.every(({ name }) => prepared.has(name)),
    prepare: async ({ events }) => {
      for (const { name } of events) {
        if (prepared.has(name)) continue
        await schemas?.prepare(name, eventLayout(name, layout) === 'iceberg', eventIds)
        prepared.add(name)
      }
    },
    add: (event, keptAt, bytes, caller, id) => {
      const bucket = find(event, keptAt, caller)
      if (!isOpen(bucket)) {
        if (bucket.refusal !== undefined) throw new TableRefuses(bucket.refusal)
        return
      }
      bucket.encoder.add(event, id)
      bucket.events++
      held.add(bucket, event instanceof SentEvent ? bytes : objectWeight * bytes)
    },
    packFull: () => held.packFull(),
    values,
  }
}

const isOpen = (bucket: Bucket | Closed): bucket is Bucket => 'encoder' in bucket

/** The files of a table are by the hour of each event. */
const toHead = (head: BucketHead, layout: OutputLayout): BucketHead =>
  eventLayout(head.name, layout) === 'iceberg' && head.granularity !== 'HOURLY'
    ? { ...head, granularity: 'HOURLY' }
    : head

/** Makes what opens the bucket of an event that is the first of it. */
const createOpening = (output: OutputOptions, schemas: SchemaStore | undefined, known: KnownBuckets | undefined) => {
  const { format, codec, layout, envelope } = output
  const memory = new SealMemory()

  const refusalOf = (eventName: string): string | undefined =>
    format === 'parquet' ? (known?.refusalOf(eventName) ?? schemas?.get(eventName)?.refusal) : undefined

  const openEncoder = ({ kind, head }: DecodedEvent): Encoder => {
    if (format !== 'parquet') return createEncoder(format, kind, { codec, envelope })
    const schema = schemas?.get(head.name)
    if (!schemas || !schema) throw new Error(`The columns of "${head.name}" are not prepared`)
    const partitions = layout === 'hive' ? ['dt', 'hour'] : []
    return new ParquetEncoder({ schema, schemas, memory, codec: codec === 'gzip' ? 'gzip' : 'zstd', partitions })
  }

  return (event: DecodedEvent, facts: Pick<Bucket, 'part' | 'path' | 'caller' | 'oldest'>): Bucket | Closed => {
    const { kind } = event
    const { name } = event.head
    const refusal = refusalOf(name)
    if (refusal === undefined) return { ...facts, name, kind, encoder: openEncoder(event), events: 0, held: 0 }
    // One that it refused the first time is in no file.
    const fate = known?.refusalOf(name) === undefined ? known?.fateOf(facts.part) : undefined
    if (fate === 'due') throw Object.assign(new Error(`A file has to be made again: ${refusal}`), { code: tableAway })
    return { refusal: fate === 'placed' ? undefined : refusal }
  }
}
