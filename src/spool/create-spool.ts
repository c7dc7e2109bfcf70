import { createTimings } from '../figures/timings.ts'
import { startInterval } from '../runtime/timers.ts'
import { createAppender, drainedText } from './appender.ts'
import { createClose } from './close-spool.ts'
import { createCommitting } from './commit/committing.ts'
import { createLeftBelow } from './commit/left-below.ts'
import { type Destination, toDestination } from './directory/destination.ts'
import { createDestinationNote } from './directory/note-destination.ts'
import { createDrainDesk } from './drain/drain-desk.ts'
import { toTemporaryRoot } from './files/target-path.ts'
import { createSpoolGate } from './gate.ts'
import { createHeartbeat } from './heartbeat/heartbeat.ts'
import { createSpaceWatch } from './heartbeat/space-watch.ts'
import { createStages } from './heartbeat/stages.ts'
import { guardDisk } from './invariants/guard-disk.ts'
import { createInvariants, type Invariants } from './invariants/invariants.ts'
import type { KeyLimits } from './keys/key-store.ts'
import { createUndecided } from './keys/undecided.ts'
import { toLanes } from './lanes.ts'
import { createBrokenEnds } from './log/broken-ends.ts'
import { openLog } from './open-log.ts'
import { createQuarantineDesk } from './quarantine/quarantine-desk.ts'
import { recoverSpool } from './recovery/recovery.ts'
import type { SegmentRequest } from './seal/pending-segment.ts'
import { createSealEverything } from './seal/seal-everything.ts'
import { createSealQueue } from './seal/seal-queue.ts'
import type { Spool } from './spool.ts'
import type { SpoolOptions } from './spool-options.ts'
import type { SpoolSettings } from './spool-settings.ts'
import { toStats } from './stats/to-stats.ts'
import { openTableDesk, type TableDesk } from './tables/table-desk.ts'
import { viewAside } from './takeover/aside.ts'
import { countSetAside } from './takeover/set-aside.ts'
import { readKeys, takeKeys } from './takeover/take-keys.ts'

const heartbeatMs = 250

const brokenText = 'the spool found an internal contradiction and stops; the next start recovers from the disk'

/** Opens the spool, recovers what an earlier run left, and continues from there. */
export const createSpool = async (options: SpoolOptions): Promise<Spool> => {
  const { fileSystem, settings, log, replica, now = Date.now, random = Math.random } = options
  const invariants = toInvariants(options)
  const { invariant } = invariants
  const disk = guardDisk(replica?.replicate(options.disk) ?? options.disk, invariants)
  const { outputDirectory, flushEnabled, ack } = settings()
  // Of collectors that are taken over, and of our own spools that were set aside.
  const hasOthers = ack === 'replicated' || (await countSetAside(disk)) > 0
  const keyLimits: KeyLimits = { ...settings(), hasOthers }
  const recovered = await recoverSpool(disk, flushEnabled, log, keyLimits, invariant)
  const { collectorId, ledger, keys, schemas, again, nextSegment: firstSegment } = recovered
  const { state } = ledger
  const noteDestination = await createDestinationNote(disk, () => destinationOf(options), log)
  const stages = createStages({ log, now, url: fileSystem.url, waiting: () => state.files.figures.waiting })
  const { temporaryDirectory = `${toTemporaryRoot(outputDirectory)}/${collectorId}` } = options
  const common = { disk, ledger, keys, now, log, invariant, replica, isUnmade: again.isUnmade }
  const ofFiles = { fileSystem, temporaryDirectory, random, stages, settings, collectorId, tables: toDesk(options) }
  const committing = createCommitting({ ...common, ...ofFiles })
  const { flusher, moves, reap } = committing
  const request = (segment: number): SegmentRequest => ({ collectorId, ...toRequest(settings()), ...again.as(segment) })
  const sealQueue = createSealQueue({ ...common, schemas, sealing: options.sealing, request, outage: stages.sealing })
  for (const { events, bytes, since = now(), hasKnownKeys, ...segment } of recovered.segments)
    sealQueue.add(segment, { events, bytes, since }, hasKnownKeys)
  const space = createSpaceWatch(disk, settings, log, () => reap(true), now)
  const syncTimes = createTimings()
  const onSync = (ms: number): void => syncTimes.record(ms)
  const ends = createBrokenEnds(disk, ledger, log)
  const gate = createSpoolGate(invariants)

  /** Where nothing can be committed, more files would only wait: the segment grows until it is full, or files go again. */
  const mayRoll = (): boolean => state.flushEnabled && !flusher.isStuck && (replica?.isInStep ?? true)

  const opened = { collectorId, firstSegment, ack, mark: options.mark, settings, mayRoll, onSync }
  const events = openLog({ ...common, ...opened, sealQueue, ends, outage: stages.log })
  const parts = { ...committing, collectorId, state, keys, replica, log: events, sealQueue, space, stages, settings }
  const heart = createHeartbeat(toLanes({ ...parts, now, ends, mayRoll, noteDestination }))
  const stopHeartbeat = (options.heartbeat ?? everyMs(heartbeatMs))(async () => {
    if (!invariants.broken) await heart.beat()
  })
  await space.check()
  await replica?.begin(collectorId)

  const undecided = createUndecided()
  const { figures, ...ways } = createAppender({
    log: events,
    keys,
    undecided,
    now,
    waitsForDisk: ack !== 'memory',
    gate,
    replica,
    isDrained: () => state.drained,
    outage: stages.log,
    space,
  })
  const drainDesk = createDrainDesk({ ...parts, disk, ledger, invariants, aside: () => viewAside(disk) })
  const sealEverything = createSealEverything(events, sealQueue)
  if (state.drained) log.warn({ collectorId }, `the spool is ${drainedText}: no events are taken`)
  return {
    ...ways,
    mark: events.mark,
    takeKeys: gate.guard(other => takeKeys(keys, other, keyLimits, log)),
    suspendKeys: async other => undecided.add(await readKeys(other, keyLimits, log)),
    stats: () => toStats({ ...parts, syncTimes }, { now: now(), ...figures() }),
    get durability() {
      return replica?.durability ?? 'full'
    },
    schemas,
    forgetSchema: gate.guard(name => sealQueue.forget(name)),
    quarantine: createQuarantineDesk({ disk, ledger }, moves.inTurn, () => gate.check()),
    disableFlush: () => ledger.append({ type: 'flush', enabled: false }),
    enableFlush: () => ledger.append({ type: 'flush', enabled: true }),
    processLeftBelowFiles: createLeftBelow({ ...parts, now, sealEverything }),
    drain: gate.guard(() => drainDesk.drain()),
    undoDrain: gate.guard(() => drainDesk.undo()),
    drainStatus: () => drainDesk.status(),
    close: createClose({ ...common, ...committing, gate, invariants, stopHeartbeat, heart, sealEverything }),
  }
}

const destinationOf = ({ settings, fileSystem, urlOf }: SpoolOptions): Destination => {
  const url = urlOf?.(settings().outputDirectory) ?? fileSystem.url
  return toDestination(settings(), url, url !== fileSystem.url)
}

const toDesk = (options: SpoolOptions): TableDesk => options.tables ?? openTableDesk(options)

const toInvariants = ({ log, onBroken }: SpoolOptions): Invariants =>
  createInvariants(broken => {
    log.error({ invariant: broken.invariant, ...broken.figures, err: broken }, brokenText)
    onBroken?.()
  })

const toRequest = (settings: SpoolSettings): Omit<SegmentRequest, 'collectorId'> => {
  const { outputDirectory, outputFormat: format, outputCodec: codec, outputLayout: layout } = settings
  return { outputDirectory, format, codec, layout, envelope: settings.outputEnvelope, eventIds: settings.eventIdColumn }
}

const everyMs =
  (ms: number) =>
  (beat: () => Promise<void>): (() => void) => {
    const timer = startInterval(() => void beat(), ms)
    return () => clearInterval(timer)
  }
