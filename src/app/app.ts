import type { FixedSettings } from '../config/table.ts'
import { loadContract } from '../contract/load.ts'
import { sharesAddresses } from '../http/edge/listening-sockets.ts'
import { nextTurn } from '../runtime/next-turn.ts'
import type { App, AppOptions, AppParts, Listener } from './app-type.ts'
import { type CollectorService, createCollectorService } from './collector.ts'
import { createCompaction } from './compaction/compaction.ts'
import { createGatewayService } from './gateway.ts'
import { type OpenListeners, openListeners } from './listeners.ts'
import { createManagement } from './management.ts'
import { startReads } from './reads.ts'
import { createRoutes } from './routes.ts'
import { createShared, type Shared } from './shared.ts'

/**
 * Puts the server together: the one place that sees all its parts. The spool is open and recovered when this resolves;
 * `start` opens the listeners.
 * @throws SpoolLocked, FileSystemError, Error when a part cannot be opened; nothing stays open then
 */
export const createApp = async (options: AppOptions & AppParts): Promise<App> => {
  const shared = await createShared(options)
  try {
    return await assemble(shared, options)
  } catch (error) {
    await shared.close()
    throw error
  }
}

const assemble = async (shared: Shared, { settings, logger, ...parts }: AppOptions & AppParts): Promise<App> => {
  // While the spool waits for its thread and the disk. Errors of the contract are reported by the code that needs it.
  void nextTurn()
    .then(loadContract)
    .catch(() => {})
  let opened: OpenListeners | undefined
  const threads = () => opened?.threads?.figures
  const reading = await startReads(shared)
  let collector: CollectorService | undefined
  const gateway = settings.services.includes('gateway')
    ? await createGatewayService(shared, reading, path => collector?.eventsOf(path))
    : undefined
  const edgeThreads = await countEdgeThreads(settings)
  const collectorId = () => collector?.spool.stats().collectorId
  const compaction = settings.services.includes('collector')
    ? createCompaction({ ...shared, ...parts, collectorId })
    : undefined
  collector = settings.services.includes('collector')
    ? await createCollectorService({ ...parts, ...shared, compaction, reads: reading.reads, edgeThreads, threads })
    : undefined
  const listeners = (): readonly Listener[] => opened?.opened ?? []
  const { besideAdmin: fallback, lane, ...fetches } = createRoutes({ ...shared, collector, gateway, listeners })
  const { now, everyTick, startEdgeThread, watchCode, onBroken } = parts
  const management = createManagement({
    ...shared,
    collector,
    gateway,
    compaction,
    listeners,
    threads,
    fallback,
    now,
    everyTick,
  })

  const closeParts = async (): Promise<void> => {
    compaction?.stop()
    await collector?.close()
    await gateway?.close()
    await reading.close()
    management.close()
    await shared.close()
  }
  return {
    ...fetches,
    adminFetch: management.fetch,
    start: async () => {
      try {
        opened = await openListeners({
          ...shared,
          ...fetches,
          adminFetch: management.fetch,
          lane,
          collector,
          edgeThreads,
          startEdgeThread,
          watchCode,
          onBroken,
        })
      } catch (error) {
        await closeParts()
        throw error
      }
      compaction?.start()
      // With a collector its spool asks, and says it.
      if (!collector)
        void shared.fileSystem.probe().catch(error => logger.warn({ err: error }, 'the file system does not answer'))
      return opened.opened
    },
    reopenLogs: () => opened?.reopenLogs(),
    reload: () => shared.reload.reload(),
    close: async () => {
      compaction?.stop()
      collector?.startDraining()
      await opened?.close()
      await closeParts()
    },
  }
}

/** How many threads take connections beside this one, which takes none then. Without a collector they would have nothing to do. */
const countEdgeThreads = async ({ services, 'server.threads': count }: FixedSettings): Promise<number> => {
  if (count < 2 || !services.includes('collector')) return 0
  return (await sharesAddresses()) ? count : 0
}
