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
}

/** A bucket file that is being filled. */
export type Bucket = RowHolder & {
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
  isReadyFor(batch: Pick<Batch, 'events'>): boolean
  /** Gets ready what the events of a batch need before they are added. */
  prepare(batch: Pick<Batch, 'events'>): Promise<void>
  /** Adds an event whole, or throws and adds nothing. @param bytes its length as it came, roughly @param caller who sent it */
  add(event: DecodedEvent, keptAt: number, bytes: number, caller: number): void
  /** After each event: writes what encoders hold too much of. What it throws is not an event's fault. */
  packFull(): void
  values(): Iterable<Bucket>
}

/** @param schemas of a format that has columns */
export const createBuckets = (
  { format, codec, layout, envelope, outputDirectory }: OutputOptions,
  schemas: SchemaStore | undefined,
  { maxHeldBytes }: BucketBounds = {},
): Buckets => {
  const root = outputDirectory === '/' ? '' : outputDirectory
  const prepared = new Set<string>()
  /** By what each event has at hand, and one for each file to be. */
  const byKey = new Map<string, Bucket>()
  const byFile = new Map<string, Bucket>()
  const lastOf = new Map<
    string,
    { readonly kind: Bucket['kind']; readonly head: BucketHead; readonly bucket: Bucket }
  >()
  const memory = new SealMemory()
  const held = createHeldRows(() => byFile.values(), maxHeldBytes)

  const toEncoder = ({ kind, head }: DecodedEvent): Encoder => {
    if (format !== 'parquet') return createEncoder(format, kind, { codec, envelope })
    const schema = schemas?.get(head.name)
    if (!schemas || !schema) throw new Error(`The columns of "${head.name}" are not prepared`)
    if (schema.refusal !== undefined) throw new Error(schema.refusal)
    const partitions = layout === 'hive' ? ['dt', 'hour'] : []
    return new ParquetEncoder({ schema, schemas, memory, codec: codec === 'gzip' ? 'gzip' : 'zstd', partitions })
  }

  /** Events of one directory become one file, whatever their granularity, and their kind where the format takes all. */
  const find = (event: DecodedEvent, keptAt: number, caller: number): Bucket => {
    const { kind } = event
    const head = toHead(event.head, layout)
    // Often that of the event of its name before.
    const last = lastOf.get(head.name)
    if (last && last.kind === kind && isSameBucket(last.head, head)) return last.bucket
    const key = bucketKey(kind, head)
    const known = byKey.get(key)
    if (known) {
      lastOf.set(head.name, { kind, head, bucket: known })
      return known
    }
    const path = `${root}/${bucketPath(head, layout)}`
    const file = mixesKinds(format) ? path : `${kind} ${path}`
    const bucket = byFile.get(file) ?? {
      name: head.name,
      path,
      kind,
      caller,
      encoder: toEncoder(event),
      events: 0,
      oldest: keptAt,
      held: 0,
    }
    byKey.set(key, bucket)
    byFile.set(file, bucket)
    return bucket
  }

  return {
    isReadyFor: ({ events }) => !schemas || events.every(({ name }) => prepared.has(name)),
    prepare: async ({ events }) => {
      for (const { name } of events) {
        if (prepared.has(name)) continue
        await schemas?.prepare(name, eventLayout(name, layout) === 'iceberg')
        prepared.add(name)
      }
    },
    add: (event, keptAt, bytes, caller) => {
      const bucket = find(event, keptAt, caller)
      bucket.encoder.add(event)
      bucket.events++
      held.add(bucket, event instanceof SentEvent ? bytes : objectWeight * bytes)
    },
    packFull: () => held.packFull(),
    values: () => byFile.values(),
  }
}

/** The files of a table are by the hour of each event. */
const toHead = (head: BucketHead, layout: OutputLayout): BucketHead =>
  eventLayout(head.name, layout) === 'iceberg' && head.granularity !== 'HOURLY'
    ? { ...head, granularity: 'HOURLY' }
    : head
