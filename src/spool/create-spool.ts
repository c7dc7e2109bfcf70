import { SluiceError } from '../errors.ts'
import type { Batch, Outcome } from './batch.ts'
import { hasPassed } from './due.ts'
import { createFlusher } from './flusher.ts'
import { createHeartbeat } from './heartbeat.ts'
import { createLog } from './log.ts'
import { noteClosed, recoverSpool } from './recovery.ts'
import { createSealQueue } from './seal-queue.ts'
import { segmentPath } from './segment-files.ts'
import { createSpaceWatch } from './space-watch.ts'
import type { FlushReport, KnownKey, Spool } from './spool.ts'
import type { SpoolOptions } from './spool-options.ts'
import { createSyncTimes } from './sync-times.ts'
import { toStats } from './to-stats.ts'

const heartbeatMs = 250

/** How long a stop waits for the file system to take what is left; the rest is taken at the next start. */
const closeFlushMs = 10_000

/** Opens the spool, recovers what an earlier run left, and goes on from there. */
export const createSpool = async (options: SpoolOptions): Promise<Spool> => {
  const { disk, fileSystem, settings, log, now = Date.now, random = Math.random } = options
  const { outputDirectory, outputFormat: format, outputCodec: codec } = settings
  const { collectorId, ledger, keys, segments, nextSegment } = await recoverSpool(
    disk,
    settings.flushEnabled,
    log,
    settings.maxKeys,
  )
  const { state } = ledger
  const { waiting } = state.files.figures
  const flusher = createFlusher({
    disk,
    ledger,
    fileSystem,
    temporaryDirectory: `${outputDirectory === '/' ? '' : outputDirectory}/_tmp/${collectorId}`,
    now,
    random,
    log,
    keepCommittedMs: settings.keepCommittedMs,
  })
  const request = { collectorId, outputDirectory, format, codec }
  const sealQueue = createSealQueue({ disk, ledger, keys, seal: options.seal, request, now, log })
  for (const { events, hasKnownKeys, ...segment } of segments) sealQueue.add(segment, events, hasKnownKeys)
  const space = createSpaceWatch(disk, settings.minFreeBytes, log, () => flusher.reap(true))
  const syncTimes = createSyncTimes()
  const inFlight = new Map<string, KnownKey>()
  const counts = { dropped: 0, ignored: 0 }
  /** Ends of broken segments that the ledger could not be told of: it must know before anything new is taken. */
  const unnotedEnds = new Map<number, number>()
  let lastFlush = now()
  let closing = false

  const events = createLog({
    disk,
    collectorId,
    firstSegment: nextSegment,
    ack: settings.ack,
    maxSegmentBytes: settings.maxSegmentBytes,
    maxSegmentEvents: settings.maxUncommittedEvents,
    now,
    onSync: ms => syncTimes.add(ms),
    // Nobody waits for it: it only tells whose file should be there.
    onOpened: segment => void ledger.append({ type: 'opened', segment }).catch(() => {}),
    onKey: key => {
      if (!keys.has(key.key)) keys.add(key)
    },
    onClosed: async (closed, { events: count }) => {
      const { number: segment, end } = closed
      sealQueue.add(closed, count, true)
      if (end === undefined) {
        // Nobody waits for it: a start reads the segments that the ledger does not know of.
        noteClosed(ledger, keys, segment, count).catch(() => {})
      } else {
        log.error({ segment, end }, 'a write to the spool failed; its segment ends here')
        unnotedEnds.set(segment, end)
        await noteEnds().catch(() => cutOff(segment, end))
      }
      void sealQueue.run()
    },
  })

  /** Where the ledger takes nothing, on a full disk for example: then the segment itself must not hold more. */
  const cutOff = async (segment: number, end: number): Promise<void> => {
    try {
      await disk.truncate(segmentPath(segment), end)
    } catch (error) {
      log.error({ segment, end, err: error }, 'what a failed write left cannot be cut off; its requests get no answer')
      throw error
    }
  }

  const noteEnds = async (): Promise<void> => {
    for (const [segment, end] of unnotedEnds) {
      await ledger.append({ type: 'end', segment, end })
      unnotedEnds.delete(segment)
    }
  }

  const sealEverything = async (): Promise<void> => {
    await events.roll()
    // A pass that is under way may have looked at the queue before the segment joined it.
    await sealQueue.run()
    if (sealQueue.length > 0) await sealQueue.run()
  }

  const recover = async (): Promise<void> => {
    await noteEnds()
    await events.recover()
  }

  /** Ends the open segment when it is old enough, or a flush is due. */
  const rollDue = async (): Promise<void> => {
    const since = events.openSince
    const isFlushDue = hasPassed(now(), lastFlush, settings.flushIntervalMs)
    if (isFlushDue) lastFlush = now()
    if (since > 0 && (isFlushDue || hasPassed(now(), since, settings.maxUncommittedMs))) await events.roll()
  }

  const sealDue = async (): Promise<void> => {
    // Where nothing can be committed, more files would only wait: the segment grows until it is full, or files go again.
    if (state.flushEnabled && !flusher.isStuck) await rollDue()
    if (sealQueue.length > 0) await sealQueue.run()
  }

  /** In a lane of its own: what is sealed goes up although more is being sealed. */
  const commitDue = async (): Promise<void> => {
    if (state.flushEnabled && waiting.files > 0 && flusher.isDue) await flusher.flush()
  }

  const heart = createHeartbeat(
    [
      [() => space.check()],
      [recover],
      [sealDue],
      [
        commitDue,
        async () => {
          if (state.flushEnabled) await flusher.clean()
        },
      ],
      [() => flusher.reap(false)],
      [async () => flusher.remind()],
    ],
    log,
  )
  const stopHeartbeat = (options.heartbeat ?? everyMs(heartbeatMs))(() => heart.beat())
  await space.check()

  /** @throws SluiceError while nothing is taken */
  const refuse = (batch: Batch): void => {
    if (closing) {
      counts.ignored += batch.events.length
      throw new SluiceError('draining', 'The server is shutting down')
    }
    if (space.refusal !== '') {
      counts.dropped += batch.events.length
      throw new SluiceError('overloaded', 'The disk of the spool is full', { headers: { 'retry-after': '10' } })
    }
  }

  /** Why nothing is taken now, for people. */
  const refusal = (): string => {
    if (closing) return 'shutting down'
    if (space.refusal !== '') return space.refusal
    return events.failed === undefined ? '' : `the spool cannot be written: ${(events.failed as Error).message}`
  }

  const appendKeyed = async (batch: Batch, key: NonNullable<Batch['idempotency']>): Promise<void> => {
    const kept = events.append(batch)
    const outcome: Promise<Outcome> = kept.then(() => key.outcome)
    // Nobody may be waiting for it: the request itself reports the failure.
    outcome.catch(() => {})
    inFlight.set(key.key, { matches: fingerprint => fingerprint === key.fingerprint, outcome })
    try {
      await kept
      // Whoever does not wait for the disk is answered before the log has it.
      if (settings.ack === 'memory') keys.add({ ...key, at: now() })
    } finally {
      inFlight.delete(key.key)
    }
  }

  const parts = { collectorId, state, keys, log: events, sealQueue, flusher, syncTimes, outputDirectory }
  return {
    append: batch => {
      try {
        refuse(batch)
        return batch.idempotency ? appendKeyed(batch, batch.idempotency) : events.append(batch)
      } catch (error) {
        return Promise.reject(error)
      }
    },
    recall: key => {
      const pending = inFlight.get(key)
      if (pending) return pending
      const known = keys.find(key)
      return known && { ...known, outcome: Promise.resolve(known.outcome) }
    },
    stats: () =>
      toStats(parts, {
        now: now(),
        refusal: refusal(),
        droppedEvents: counts.dropped,
        ignoredEvents: counts.ignored,
      }),
    disableFlush: () => ledger.append({ type: 'flush', enabled: false }),
    enableFlush: () => ledger.append({ type: 'flush', enabled: true }),
    processLeftBelowFiles: async (olderThanMs = 0): Promise<FlushReport> => {
      const leftBelow = { before: now() - olderThanMs }
      if (events.openSince <= leftBelow.before) await sealEverything()
      await flusher.requeue(leftBelow)
      // The pass under way, if any, may have started before; the second one takes what it did not see.
      const first = await flusher.flush(leftBelow)
      const second = waiting.files > 0 && first.failures === 0 ? await flusher.flush(leftBelow) : undefined
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
      // A pass under way counts as well: it may have a large backlog before it.
      const giveUp = setTimeout(() => flusher.abort(), closeFlushMs)
      await heart.stop()
      await sealEverything()
      if (state.flushEnabled && waiting.files > 0) await flusher.flush()
      clearTimeout(giveUp)
      if (waiting.files > 0) {
        const left = { files: waiting.files, events: waiting.events, bytes: waiting.bytes }
        log.warn(left, 'stopped with events that are not in the file system yet; the next start takes them there')
      }
      await keys.flush().catch(() => {})
      await keys.close()
      await ledger.close()
      await disk.close()
    },
  }
}

const everyMs =
  (ms: number) =>
  (beat: () => Promise<void>): (() => void) => {
    const timer = setInterval(() => void beat(), ms)
    return () => clearInterval(timer)
  }
