import type { Collector } from '../collector/collector.ts'
import { sumCounters } from '../collector/counters.ts'
import type { RefusedFigures } from '../collector/refused/refused-keeper.ts'
import type { FixedSettings } from '../config/table.ts'
import { loadContract } from '../contract/load.ts'
import { type BoundOperation, bindService } from '../contract/service.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import type { Reads } from '../gateway/reads.ts'
import type { Logger } from '../log/log.ts'
import { createRefusedDesk, type RefusedDesk } from '../refused/refused-desk.ts'
import { createRefusedFiles } from '../refused/refused-files.ts'
import { eventIdsOf, type RefusedRecord, replayKeyOf } from '../refused/refused-record.ts'
import { createReplayer } from '../refused/replayer.ts'
import { eventIdBytes } from '../spool/event-ids.ts'
import type { Spool } from '../spool/spool.ts'

/** What refused events are found and sent in again with. */
export type RefusedServiceOptions = {
  readonly collector: Collector
  readonly spool: Spool
  readonly reads: Reads
  readonly fileSystem: FileSystem
  readonly settings: FixedSettings
  readonly logger: Pick<Logger, 'error'>
}

/** Refused events, as the management sees and steers them. */
export const createRefusedService = (parts: RefusedServiceOptions): RefusedService => {
  const { collector, spool, reads, fileSystem, settings, logger } = parts
  const onMistake = (error: unknown, id: string): void =>
    logger.error({ err: error, id }, 'a refused event could not be replayed')
  // The contract is loaded when the first one is sent in again.
  let replay: ReturnType<typeof createReplayer> | undefined
  const desk = createRefusedDesk({
    files: createRefusedFiles(reads, fileSystem),
    root: settings['collector.event-output-directory'],
    replay: async record => {
      if (await isRepeated(spool, record)) return { id: record.id, accepted: 0, outcome: 'before', detail: '' }
      replay ??= createReplayer(bindReplays(collector), onMistake)
      return replay(record)
    },
    isIn: record => isKept(spool, record) || areKept(spool, eventIdsOf(record)),
    waitingByType: () => spool.stats().waitingByType,
    nowMs: () => performance.now(),
    timeout: ms => AbortSignal.timeout(ms),
  })
  return { ...desk, figures: collector.refused, replayed: () => sumCounters(collector.counters, 'replayed') }
}

type Keys = Pick<Spool, 'recall'>

/** Whether it is in by a key: its own, or that of its whole request. All senders share keys, so one may be of something else. */
const isKept = (spool: Keys, record: RefusedRecord): boolean => {
  const { requestKey, fingerprint } = record
  return [replayKeyOf(record), requestKey ?? ''].some(key => {
    const known = key === '' ? undefined : spool.recall(key)
    return known?.isKept === true && (fingerprint === undefined || known.matches(fingerprint))
  })
}

/** Whether the sender of one event has repeated the whole request, which has a key of its own: then nothing of it is missing. */
const isRepeated = async (spool: Keys, { requestKey, fingerprint, position }: RefusedRecord): Promise<boolean> => {
  if (requestKey === undefined || fingerprint === undefined || position === undefined) return false
  const known = spool.recall(requestKey)
  if (known === undefined || !known.matches(fingerprint)) return false
  return known.outcome.then(
    () => true,
    () => false,
  )
}

/** Whether all of these events are in, because their sender sent them again or another row of them was replayed. */
const areKept = (spool: Pick<Spool, 'recallIds'>, eventIds: Uint8Array | undefined): boolean =>
  eventIds !== undefined && spool.recallIds(eventIds).kept.length === eventIds.length / eventIdBytes

/** The desk of refused events, with its figures. */
export type RefusedService = RefusedDesk & { readonly figures: RefusedFigures; readonly replayed: () => number }

/** The ways in for events, as the contract has them, but without a look at who calls. */
const bindReplays = ({ handlers, replayHandlers }: Collector): readonly BoundOperation[] => {
  const { getEventV1, getEventV2, postEvent } = handlers
  return bindService(loadContract(), {
    tags: ['events', 'doors'],
    handlers: { getEventV1, getEventV2, postEvent, ...replayHandlers },
    guardOf: () => ({ authorize: undefined }),
  })
}
