import { SluiceError } from '../errors.ts'
import { createTimings } from '../timings.ts'
import { createAppender, drainedText } from './appender.ts'
import { createBrokenEnds } from './broken-ends.ts'
import { createDrainDesk } from './drain-desk.ts'
import { hasPassed } from './due.ts'
import { createFlusher } from './flusher.ts'
import { createHeartbeat } from './heartbeat.ts'
import { isCarrying } from './ledger-state.ts'
import { createLog } from './log.ts'
import { createQuarantineDesk } from './quarantine-desk.ts'
import { noteClosed, recoverSpool } from './recovery.ts'
import { createSealQueue, type SealQueueRequest } from './seal-queue.ts'
import { createSpaceWatch } from './space-watch.ts'
import type { FlushReport, Spool } from './spool.ts'
import type { SpoolOptions } from './spool-options.ts'
import { toStats } from './to-stats.ts'

const heartbeatMs = 250

/** How long a stop waits for the file system to take what is left; the rest is taken at the next start. */
const closeFlushMs = 10_000

/** Opens the spool, recovers what an earlier run left, and goes on from there. */
export const createSpool = async (options: SpoolOptions): Promise<Spool> => {
  const { disk, fileSystem, settings, log, now = Date.now, random = Math.random } = options
  const { outputDirectory } = settings
  const { collectorId, ledger, keys, schemas, segments, nextSegment } = await recoverSpool(
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
    get keepCommittedMs() {
      return settings.keepCommittedMs
    },
  })
  const request = (): SealQueueRequest => ({
    collectorId,
    outputDirectory,
    format: settings.outputFormat,
    codec: settings.outputCodec,
    layout: settings.outputLayout,
    envelope: settings.outputEnvelope,
  })
  const sealQueue = createSealQueue({ disk, ledger, keys, schemas, sealing: options.sealing, request, now, log })
  for (const { events, hasKnownKeys, ...segment } of segments) sealQueue.add(segment, events, hasKnownKeys)
  const space = createSpaceWatch(disk, settings, log, () => flusher.reap(true))
  const syncTimes = createTimings()
  const ends = createBrokenEnds(disk, ledger, log)
  let closing = false

  /** Where nothing can be committed, more files would only wait: the segment grows until it is full, or files go again. */
  const mayRoll = (): boolean => state.flushEnabled && !flusher.isStuck

  const events = createLog({
    disk,
    collectorId,
    firstSegment: nextSegment,
    ack: settings.ack,
    get maxSegmentBytes() {
      return settings.maxSegmentBytes
    },
    get maxSegmentEvents() {
      return settings.maxUncommittedEvents
    },
    get rollEveryMs() {
      return settings.flushIntervalMs
    },
    mayRoll,
    now,
    onSync: ms => syncTimes.record(ms),
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
        await ends.add(segment, end)
      }
      void sealQueue.run()
    },
  })

  const sealEverything = async (): Promise<void> => {
    await events.roll()
    // A pass that is under way may have looked at the queue before the segment joined it.
    await sealQueue.run()
    if (sealQueue.length > 0) await sealQueue.run()
  }

  const recover = async (): Promise<void> => {
    await ends.note()
    // What opens a segment again is for events only.
    if (!state.drained) await events.recover()
  }

  /** Ends the open segment when a flush is due, or it is old enough. */
  const rollDue = async (): Promise<void> => {
    await events.rollDue()
    const since = events.openSince
    if (since > 0 && hasPassed(now(), since, settings.maxUncommittedMs)) await events.roll()
  }

  const sealDue = async (): Promise<void> => {
    if (state.drained) await rollLast()
    else if (mayRoll()) await rollDue()
    if (sealQueue.length > 0) await sealQueue.run()
  }

  /** Nothing will come behind the open segment. */
  const rollLast = async (): Promise<void> => {
    if (events.openSince > 0) await events.roll()
  }

  /** In a lane of its own: what is sealed goes up although more is being sealed. */
  const commitDue = async (): Promise<void> => {
    if (isCarrying(state) && waiting.files > 0 && flusher.isDue) await flusher.flush()
  }

  const heart = createHeartbeat(
    [
      [() => space.check()],
      [recover],
      [sealDue],
      [
        commitDue,
        async () => {
          if (isCarrying(state)) await flusher.clean()
        },
      ],
      [() => flusher.reap(false)],
      [async () => flusher.remind()],
    ],
    log,
  )
  const stopHeartbeat = (options.heartbeat ?? everyMs(heartbeatMs))(() => heart.beat())
  await space.check()

  const appender = createAppender({
    log: events,
    keys,
    now,
    waitsForDisk: settings.ack !== 'memory',
    isClosing: () => closing,
    isDrained: () => state.drained,
    space,
  })
  const desk = createQuarantineDesk({ disk, ledger }, flusher.inTurn)
  const refuseClosing = (): void => {
    if (closing) throw new SluiceError('draining', 'The server is shutting down')
  }
  const parts = { collectorId, state, keys, log: events, sealQueue, space, flusher, syncTimes, settings }
  const drainDesk = createDrainDesk({ collectorId, disk, ledger, log: events, sealQueue, flusher })
  if (state.drained) log.warn({ collectorId }, `the spool is ${drainedText}: no events are taken`)
  return {
    append: appender.append,
    recall: appender.recall,
    stats: () =>
      toStats(parts, {
        now: now(),
        refusal: appender.refusal(),
        droppedEvents: appender.counts.dropped,
        ignoredEvents: appender.counts.ignored,
      }),
    schemas,
    forgetSchema: async eventName => {
      refuseClosing()
      return await sealQueue.forget(eventName)
    },
    quarantine: {
      ...desk,
      release: async names => {
        refuseClosing()
        return await desk.release(names)
      },
      remove: async names => {
        refuseClosing()
        return await desk.remove(names)
      },
    },
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
    drain: async () => {
      refuseClosing()
      await drainDesk.drain()
    },
    undoDrain: async () => {
      refuseClosing()
      await drainDesk.undo()
    },
    drainStatus: () => drainDesk.status(),
    close: async () => {
      if (closing) return
      closing = true
      stopHeartbeat()
      // A pass under way counts as well: it may have a large backlog before it.
      const giveUp = setTimeout(() => flusher.abort(), closeFlushMs)
      await heart.stop()
      await sealEverything()
      if (isCarrying(state) && waiting.files > 0) await flusher.flush()
      if (state.drained && waiting.files === 0) await flusher.leave()
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
