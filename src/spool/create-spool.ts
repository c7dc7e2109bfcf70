import { SluiceError } from '../errors.ts'
import type { Batch, Outcome } from './batch.ts'
import { bucketPath } from './bucket.ts'
import { hasPassed, isDue } from './due.ts'
import { createFlusher } from './flusher.ts'
import type { FileRecord } from './ledger-state.ts'
import { type ClosedSegment, createLog, type OpenBucket, segmentPath } from './log.ts'
import { recoverSpool } from './recovery.ts'
import type { SealResult } from './seal.ts'
import type { FlushReport, KnownKey, Spool, SpoolStats } from './spool.ts'
import type { SpoolOptions } from './spool-options.ts'
import { unsealedName } from './spool-paths.ts'

const heartbeatMs = 250

/** Default low-space mark: a twentieth of the disk, but no more than this. */
const maxDefaultFreeBytes = 5e9

/** A segment that cannot be read after so many attempts is set aside, so that the ones behind it can go on. */
const maxSealAttempts = 5
const sealRetryMs = 1_000

/** How long a stop waits for the file system to take what is left; the rest is taken at the next start. */
const closeFlushMs = 10_000

const maxSyncSamples = 1_024

/** Entries of the health report's list; the rest is in the sums. */
const maxLocalFiles = 1_000

/** A segment on its way to be sealed; `result` once it is, until the ledger knows. */
type Pending = {
  readonly segment: ClosedSegment
  readonly events: number
  attempts: number
  result?: SealResult
}

/** Opens the spool, recovers what an earlier run left, and goes on from there. */
export const createSpool = async (options: SpoolOptions): Promise<Spool> => {
  const { disk, fileSystem, settings, log, now = Date.now, random = Math.random } = options
  const { collectorId, ledger, segments, nextSegment } = await recoverSpool(disk, settings.flushEnabled, log)
  const { state } = ledger
  const temporaryDirectory = `${settings.outputDirectory === '/' ? '' : settings.outputDirectory}/_tmp/${collectorId}`
  const flusher = createFlusher({
    disk,
    ledger,
    fileSystem,
    temporaryDirectory,
    now,
    random,
    log,
    keepCommittedMs: settings.keepCommittedMs,
  })
  const toSeal: Pending[] = segments.map(({ events, ...segment }) => ({ segment, events, attempts: 0 }))
  const inFlight = new Map<string, KnownKey>()
  const syncSamples: number[] = []
  const counts = { fsyncs: 0, dropped: 0, ignored: 0 }
  /** Ends of broken segments that the ledger could not be told of: it must know before anything new is taken. */
  const unnotedEnds = new Map<number, number>()
  let sealing: Promise<void> | undefined
  let sealRetryAt = 0
  let lastFlush = now()
  let closing = false
  let spaceRefusal = ''

  const events = createLog({
    disk,
    collectorId,
    firstSegment: nextSegment,
    ack: settings.ack,
    maxSegmentBytes: settings.maxSegmentBytes,
    maxSegmentEvents: settings.maxUncommittedEvents,
    now,
    onSync: ms => {
      if (syncSamples.length < maxSyncSamples) syncSamples.push(ms)
      else syncSamples[counts.fsyncs % maxSyncSamples] = ms
      counts.fsyncs++
    },
    onClosed: async (segment, count) => {
      toSeal.push({ segment, events: count, attempts: 0 })
      if (segment.end !== undefined) {
        log.error({ segment: segment.number, end: segment.end }, 'a write to the spool failed; its segment ends here')
        unnotedEnds.set(segment.number, segment.end)
        await noteEnds()
      }
      void seal()
    },
  })

  const noteEnds = async (): Promise<void> => {
    for (const [segment, end] of unnotedEnds) {
      await ledger.append({ type: 'end', segment, end })
      unnotedEnds.delete(segment)
    }
  }

  const sealOne = async (next: Pending): Promise<SealResult> => {
    const { segment } = next
    const end = segment.end
    try {
      return await options.seal({
        segment: segment.number,
        end,
        collectorId,
        sealedAt: now(),
        outputDirectory: settings.outputDirectory,
        format: settings.outputFormat,
        codec: settings.outputCodec,
      })
    } catch (error) {
      if (isPassing(error) || ++next.attempts < maxSealAttempts) throw error
      const file = unsealedName(segment.number)
      await disk.rename(segmentPath(segment.number), `_quarantine/${file}`)
      await disk.fsyncDir('_quarantine')
      const reason = `The segment could not be sealed: ${(error as Error).message}`
      return { files: [], keys: [], damage: [{ file, bytes: 0, events: next.events, reason }] }
    }
  }

  const sealAll = async (): Promise<void> => {
    for (let next = toSeal[0]; next && isDue(now(), sealRetryAt, sealRetryMs); next = toSeal[0]) {
      const { number } = next.segment
      try {
        next.result ??= await sealOne(next)
        const { files, keys, damage } = next.result
        await ledger.append({ type: 'sealed', segment: number, files, keys, damage })
        for (const { file, reason, ...size } of damage)
          log.error({ file, ...size, reason }, 'damage set aside in quarantine')
      } catch (error) {
        sealRetryAt = now() + sealRetryMs
        log.warn({ segment: number, err: error }, 'sealing failed, will be repeated')
        return
      }
      toSeal.shift()
      // Should this fail, the next start knows from the ledger that the segment is sealed.
      await disk
        .unlink(segmentPath(number))
        .catch((error: unknown) => log.warn({ segment: number, err: error }, 'a sealed segment could not be removed'))
    }
  }

  const seal = (): Promise<void> => {
    sealing ??= sealAll().finally(() => {
      sealing = undefined
    })
    return sealing
  }

  const sealEverything = async (): Promise<void> => {
    await events.roll()
    // A pass that is under way may have looked at the queue before the segment joined it.
    await seal()
    if (toSeal.length > 0) await seal()
  }

  const flush = async (): Promise<void> => {
    lastFlush = now()
    await sealEverything()
    if (state.flushEnabled && flusher.isDue) await flusher.flush()
  }

  const checkSpace = async (): Promise<void> => {
    const { freeBytes, totalBytes } = await disk.space()
    const mark = settings.minFreeBytes ?? Math.min(totalBytes / 20, maxDefaultFreeBytes)
    const refusal =
      freeBytes < mark
        ? `${disk.directory} has ${Math.round(freeBytes / 1e6)} MB free; ${Math.round(mark / 1e6)} MB are kept`
        : ''
    if (refusal !== '' && spaceRefusal === '') {
      log.warn({ freeBytes, mark }, 'disk space is low: new events are refused')
      await flusher.reap(true)
    } else if (refusal === '' && spaceRefusal !== '') log.info({ freeBytes, mark }, 'disk space is back')
    spaceRefusal = refusal
  }

  /** Everything that time brings. Steps are independent: one that fails must not hold up the others. */
  const beat = async (): Promise<void> => {
    const steps = [
      checkSpace,
      async () => {
        await noteEnds()
        await events.recover()
      },
      async () => {
        const since = events.openSince
        if (since > 0 && hasPassed(now(), since, settings.maxUncommittedMs)) await events.roll()
        if (toSeal.length > 0) await seal()
      },
      async () => {
        if (hasPassed(now(), lastFlush, settings.flushIntervalMs)) await flush()
        else if (state.flushEnabled && flusher.pending.length > 0 && flusher.isDue) await flusher.flush()
      },
      () => flusher.reap(false),
      async () => {
        if (state.flushEnabled) await flusher.clean()
      },
    ]
    for (const step of steps) {
      if (closing) return
      await step().catch((error: unknown) =>
        log.warn({ err: error }, 'the spool could not finish a step, will be repeated'),
      )
    }
  }

  let beating: Promise<void> | undefined
  const stopHeartbeat = (options.heartbeat ?? everyMs(heartbeatMs))(() => {
    beating ??= beat().finally(() => {
      beating = undefined
    })
    return beating
  })
  await checkSpace()

  const refuse = (batch: Batch): SluiceError | undefined => {
    if (closing) {
      counts.ignored += batch.events.length
      return new SluiceError('draining', 'The server is shutting down')
    }
    if (spaceRefusal !== '') {
      counts.dropped += batch.events.length
      return new SluiceError('overloaded', 'The disk of the spool is full', { headers: { 'retry-after': '10' } })
    }
    return undefined
  }

  const appendKeyed = async (batch: Batch, key: NonNullable<Batch['idempotency']>): Promise<void> => {
    const kept = events.append(batch)
    const outcome: Promise<Outcome> = kept.then(() => key.outcome)
    // Nobody may be waiting for it: the request itself reports the failure.
    outcome.catch(() => {})
    inFlight.set(key.key, { fingerprint: key.fingerprint, outcome })
    try {
      await kept
      state.keys.add({ ...key, at: now() })
    } finally {
      inFlight.delete(key.key)
    }
  }

  return {
    append: async batch => {
      const refusal = refuse(batch)
      if (refusal) throw refusal
      await (batch.idempotency ? appendKeyed(batch, batch.idempotency) : events.append(batch))
    },
    recall: key => {
      const pending = inFlight.get(key)
      if (pending) return pending
      const known = state.keys.find(key, now())
      return known && { fingerprint: known.fingerprint, outcome: Promise.resolve(known.outcome) }
    },
    stats: () => {
      const files = [...state.files.values()]
      const waiting = flusher.pending
      const quarantined = files.filter(file => file.state.at === 'quarantined')
      const unsealed = toSeal.reduce((sum, pending) => sum + pending.events, 0)
      const oldest = Math.min(...waiting.map(({ file }) => file.oldest), events.openSince || Number.POSITIVE_INFINITY)
      const refusal = closing
        ? 'shutting down'
        : spaceRefusal ||
          (events.failed === undefined ? '' : `the spool cannot be written: ${(events.failed as Error).message}`)
      return {
        collectorId,
        accepting: refusal === '',
        refusal,
        flushEnabled: state.flushEnabled,
        queuedEvents: events.queuedEvents,
        queuedBytes: events.queuedBytes,
        writtenEvents: events.writtenEvents,
        writtenBytes: events.writtenBytes,
        erroredEvents: events.erroredEvents,
        droppedEvents: counts.dropped,
        ignoredEvents: counts.ignored,
        pendingFiles: waiting.length,
        pendingEvents: sum(waiting.map(({ file }) => file.events)),
        pendingBytes: sum(waiting.map(({ file }) => file.length)),
        openEvents: events.openEvents + unsealed,
        quarantinedFiles: quarantined.length + state.damage.length,
        quarantinedEvents:
          sum(quarantined.map(({ file }) => file.events)) + sum(state.damage.map(damage => damage.events)),
        flushes: flusher.stats.flushes,
        flushedEvents: flusher.stats.flushedEvents,
        totalFlushedEvents: state.flushedEvents,
        flushErrors: flusher.stats.errors,
        flushRetries: flusher.stats.retries,
        lastFlushError: flusher.stats.lastError,
        oldestSeconds: Number.isFinite(oldest) ? Math.max(0, (now() - oldest) / 1_000) : 0,
        fsyncs: counts.fsyncs,
        fsyncMs: syncSamples,
        localFiles: localFiles(waiting, events.openBuckets, settings.outputDirectory),
      } satisfies SpoolStats
    },
    disableFlush: () => ledger.append({ type: 'flush', enabled: false }),
    enableFlush: () => ledger.append({ type: 'flush', enabled: true }),
    processLeftBelowFiles: async (): Promise<FlushReport> => {
      await sealEverything()
      await flusher.requeue()
      // The pass under way, if any, may have started before; the second one takes what it did not see.
      const first = await flusher.flush(true)
      const second = flusher.pending.length > 0 && first.failures === 0 ? await flusher.flush(true) : undefined
      return {
        files: first.files + (second?.files ?? 0),
        bytes: first.bytes + (second?.bytes ?? 0),
        failures: first.failures + (second?.failures ?? 0),
      }
    },
    close: async () => {
      if (closing) return
      closing = true
      stopHeartbeat()
      await beating
      await sealEverything()
      if (state.flushEnabled && flusher.pending.length > 0) {
        const giveUp = setTimeout(() => flusher.abort(), closeFlushMs)
        await flusher.flush()
        clearTimeout(giveUp)
      }
      await ledger.close()
      await disk.close()
    },
  }
}

/** An error of the disk that is written to says nothing of the segment: that waits, however long it lasts. */
const isPassing = (error: unknown): boolean => /^E[A-Z0-9]+$/.test((error as NodeJS.ErrnoException).code ?? '')

const everyMs =
  (ms: number) =>
  (beat: () => Promise<void>): (() => void) => {
    const timer = setInterval(() => void beat(), ms)
    return () => clearInterval(timer)
  }

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Events that wait, by bucket directory and file type: in the open segment and in sealed files. */
const localFiles = (
  waiting: readonly FileRecord[],
  open: Iterable<OpenBucket>,
  outputDirectory: string,
): ReadonlyMap<string, number> => {
  const files = new Map<string, number>()
  const add = (key: string, events: number): void => {
    if (files.size < maxLocalFiles || files.has(key)) files.set(key, (files.get(key) ?? 0) + events)
  }
  for (const { head, kind, events } of open) add(`${outputDirectory}/${bucketPath(head)}|${kind}`, events)
  for (const { file } of waiting) add(`${file.directory}|${file.kind}`, file.events)
  return files
}
