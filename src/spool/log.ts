import { SluiceError } from '../errors.ts'
import type { Batch, EventHead } from './batch.ts'
import { bucketKey } from './bucket.ts'
import type { AppendFile, Disk } from './disk/disk.ts'
import { frameHeaderBytes, sealFrame, toFrame } from './framing.ts'
import { encodeBatch, frameType } from './record.ts'

/** What a 202 stands for: synced to disk, handed to the operating system, or taken into memory. */
export type Ack = 'fsync' | 'written' | 'memory'

/** Size of one buffer that requests are gathered in; a larger request gets one of its own. */
const groupBytes = 1 << 20

/** Buffers kept for reuse. */
const maxSpareGroups = 8

/** Most buckets of one segment: each becomes a file of its own. */
const maxBucketsPerSegment = 10_000

/** A closed segment, ready to be sealed. */
export type ClosedSegment = {
  readonly number: number
  /** After a failed write: the last acknowledged offset. Nothing beyond it may ever be read. */
  readonly end?: number
}

export type LogOptions = {
  readonly disk: Disk
  readonly collectorId: string
  /** Number of the first segment; larger than any that was ever used. */
  readonly firstSegment: number
  readonly ack: Ack
  readonly maxSegmentBytes: number
  readonly maxSegmentEvents: number
  readonly now: () => number
  /** Takes a segment that is full, old or broken. Its promise holds intake back: a failed segment's end must be safe. */
  readonly onClosed: (segment: ClosedSegment, events: number) => Promise<void>
  readonly onSync?: (ms: number) => void
}

type Waiter = {
  readonly end: number
  readonly events: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** What one output file will be made of; `kind` tells `.smile` from `.thrift`. */
export type OpenBucket = { readonly head: EventHead; readonly kind: 'smile' | 'thrift'; events: number }

/** Requests that share one write and one sync. */
type Group = { readonly bytes: Uint8Array; length: number; readonly waiters: Waiter[] }

type Segment = {
  readonly number: number
  readonly file: AppendFile
  readonly openedAt: number
  /** Bytes handed to the file, and the offset up to which requests were acknowledged. */
  length: number
  ackedEnd: number
  events: number
  synced: boolean
}

/**
 * The append-only log: many requests share one `fdatasync`, and a lone one does not wait for company. While a group
 * is being synced the next one gathers.
 */
export type Log = {
  /** Resolves when the batch is as safe as `ack` says; rejects with `unavailable`, and then it was not kept. */
  append(batch: Batch): Promise<void>
  /** Closes the current segment if it holds anything; resolves when it is handed on. */
  roll(): Promise<void>
  /** Tries to write again after a failure; resolves to whether the log takes batches. */
  recover(): Promise<boolean>
  readonly failed: unknown
  readonly queuedEvents: number
  readonly queuedBytes: number
  readonly writtenEvents: number
  readonly writtenBytes: number
  readonly erroredEvents: number
  /** Events in the open segment, and when its first one came (0 when it is empty). */
  readonly openEvents: number
  readonly openSince: number
  /** The buckets of the open segment, with the events that wait in them. */
  readonly openBuckets: Iterable<OpenBucket>
}

export const createLog = (options: LogOptions): Log => {
  const { disk, ack, now } = options
  const stats = { queuedEvents: 0, queuedBytes: 0, writtenEvents: 0, writtenBytes: 0, erroredEvents: 0 }
  const spare: Group['bytes'][] = []
  let groups: Group[] = []
  let segment: Segment | undefined
  let nextNumber = options.firstSegment
  let buckets = new Map<string, OpenBucket>()
  let failed: unknown
  let rollWanted = false
  let running: Promise<void> | undefined

  const open = async (): Promise<Segment> => {
    const number = nextNumber++
    const file = await disk.create(segmentPath(number))
    try {
      const header = toFrame(frameType.segment, new TextEncoder().encode(`${options.collectorId} ${number}`))
      const length = await file.append(header)
      // The entry must be as safe as what is written behind it.
      if (ack === 'fsync') await disk.fsyncDir('log')
      return { number, file, openedAt: now(), length, ackedEnd: length, events: 0, synced: false }
    } catch (error) {
      // Tried again and again while the disk is full: neither the file nor its descriptor may stay.
      await file.close().catch(() => {})
      await disk.unlink(segmentPath(number)).catch(() => {})
      throw error
    }
  }

  /** Hands the current segment on. A broken one ends at its last acknowledged byte. */
  const retire = async (broken: boolean): Promise<void> => {
    const old = segment
    segment = undefined
    buckets = new Map()
    if (!old) return
    let isWhole = !broken
    if (isWhole && !old.synced) {
      await old.file.fdatasync().catch(error => {
        isWhole = false
        failed = error
      })
    }
    await old.file.close().catch(() => {})
    await options.onClosed({ number: old.number, ...(isWhole ? {} : { end: old.ackedEnd }) }, old.events)
  }

  const write = async (batch: readonly Group[]): Promise<void> => {
    segment ??= await open()
    const current = segment
    current.synced = false
    const started = performance.now()
    const appends = batch.map(group => current.file.append(group.bytes.subarray(0, group.length)))
    // Sent behind the appends without waiting for them: the file runs its calls in order, and fails after a failure.
    const receipt = ack === 'fsync' ? current.file.fdatasync() : appends[appends.length - 1]
    const [safe] = await Promise.all([receipt, ...appends])
    if (ack === 'fsync') options.onSync?.(performance.now() - started)
    current.synced = ack === 'fsync'
    let start = current.length
    const written = batch.reduce((end, group) => end + group.length, start)
    // All or none: a request that was answered must not be counted again as failed.
    if (safe === undefined || safe < written) throw new Error(`Segment ${current.number}: ${written} is not safe yet`)
    for (const group of batch) {
      for (const waiter of group.waiters) {
        current.ackedEnd = start + waiter.end
        current.events += waiter.events
        stats.queuedEvents -= waiter.events
        stats.writtenEvents += waiter.events
        waiter.resolve()
      }
      start += group.length
      stats.queuedBytes -= group.length
      stats.writtenBytes += group.length
      recycle(group)
    }
    current.length = start
  }

  const recycle = (group: Group): void => {
    if (group.bytes.length === groupBytes && spare.length < maxSpareGroups) spare.push(group.bytes)
  }

  const rejectAll = (batch: readonly Group[], error: unknown): void => {
    const refusal = new SluiceError('unavailable', 'The spool could not be written; nothing of the request was kept', {
      cause: error,
    })
    for (const group of batch) {
      stats.queuedBytes -= group.length
      for (const waiter of group.waiters) {
        stats.queuedEvents -= waiter.events
        stats.erroredEvents += waiter.events
        waiter.reject(refusal)
      }
    }
  }

  /** A failed write or sync is never repeated: what the disk then holds is unknown (R5). The segment ends here. */
  const breakOff = async (batch: readonly Group[], error: unknown): Promise<void> => {
    failed = error
    try {
      // First the segment's end is made safe: a client that hears 503 may send the same again.
      await retire(true)
    } finally {
      rejectAll([...batch, ...groups.splice(0)], error)
    }
  }

  const run = async (): Promise<void> => {
    while (groups.length > 0 || rollWanted) {
      const batch = groups
      groups = []
      try {
        if (batch.length > 0) await write(batch)
      } catch (error) {
        rollWanted = false
        await breakOff(batch, error).catch(cause => {
          failed = cause
        })
        continue
      }
      if (!rollWanted && !isFull()) continue
      rollWanted = false
      // The requests are answered: a segment that cannot be handed on yet is no failure of theirs.
      await retire(false).catch(cause => {
        failed = cause
      })
    }
    running = undefined
  }

  const isFull = (): boolean =>
    segment !== undefined && (segment.length >= options.maxSegmentBytes || segment.events >= options.maxSegmentEvents)

  /** Runs after the I/O callbacks of this turn, so that requests which arrived together share a group. */
  const start = (): Promise<void> => {
    running ??= new Promise<void>(resolve => setImmediate(resolve)).then(run)
    return running
  }

  const claimBuckets = (batch: Batch): void => {
    const kind = batch.format === 'thrift' ? 'thrift' : 'smile'
    const fresh = new Map<string, OpenBucket>()
    const counted: OpenBucket[] = []
    let last: OpenBucket | undefined
    let lastKey = ''
    for (const head of batch.events) {
      const key = bucketKey(kind, head)
      if (last === undefined || key !== lastKey) {
        lastKey = key
        last = buckets.get(key) ?? fresh.get(key)
        if (last === undefined) {
          last = { head, kind, events: 0 }
          fresh.set(key, last)
        }
      }
      counted.push(last)
    }
    if (fresh.size > maxBucketsPerSegment) {
      throw new SluiceError('too-large', `The request has events for ${fresh.size} buckets; at most 10000 are allowed`)
    }
    if (buckets.size + fresh.size > maxBucketsPerSegment) {
      rollWanted = true
      void start()
      throw new SluiceError('overloaded', 'Too many different event types and dates at once; try again in a moment')
    }
    for (const [key, bucket] of fresh) buckets.set(key, bucket)
    for (const bucket of counted) bucket.events++
  }

  return {
    append: batch => {
      if (failed !== undefined) {
        throw new SluiceError('unavailable', 'The spool cannot be written', { cause: failed })
      }
      claimBuckets(batch)
      const record = encodeBatch(batch, now())
      const size = frameHeaderBytes + record.byteLength
      let group = groups.at(-1)
      if (!group || group.bytes.length - group.length < size) {
        // Shared memory, so that the thread which writes it needs no copy.
        const bytes = size > groupBytes ? sharedBytes(size) : (spare.pop() ?? sharedBytes(groupBytes))
        group = { bytes, length: 0, waiters: [] }
        groups.push(group)
      }
      record.write(group.bytes, group.length + frameHeaderBytes)
      sealFrame(group.bytes, group.length, group.length + size, frameType.batch)
      group.length += size
      const end = group.length
      const { waiters } = group
      const events = batch.events.length
      stats.queuedEvents += events
      stats.queuedBytes += size
      return new Promise<void>((resolve, reject) => {
        waiters.push({ end, events, resolve, reject })
        if (ack === 'memory') resolve()
        void start()
      })
    },
    roll: async () => {
      rollWanted = true
      await start()
    },
    recover: async () => {
      if (failed === undefined) return true
      try {
        segment ??= await open()
        failed = undefined
      } catch (error) {
        failed = error
      }
      return failed === undefined
    },
    get failed() {
      return failed
    },
    get queuedEvents() {
      return stats.queuedEvents
    },
    get queuedBytes() {
      return stats.queuedBytes
    },
    get writtenEvents() {
      return stats.writtenEvents
    },
    get writtenBytes() {
      return stats.writtenBytes
    },
    get erroredEvents() {
      return stats.erroredEvents
    },
    get openEvents() {
      return segment?.events ?? 0
    },
    get openSince() {
      return segment && segment.events > 0 ? segment.openedAt : 0
    },
    get openBuckets() {
      return buckets.values()
    },
  }
}

/** Where a segment stands on the disk; names sort by number. */
export const segmentPath = (number: number): string => `log/${String(number).padStart(10, '0')}.log`

/** The number of a segment's file name; undefined for any other name. */
export const parseSegmentName = (name: string): number | undefined =>
  /^\d{10}\.log$/.test(name) ? Number(name.slice(0, 10)) : undefined

const sharedBytes = (length: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(length))
