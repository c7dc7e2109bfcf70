// node-only: runs as a child process
/** The process of a pass over the tables: its own file systems and catalog, made of the same settings. */
import { tmpdir } from 'node:os'
import { createClusterTokens } from '../../cluster-tokens/cluster-tokens.ts'
import { mergeTables } from '../../compaction/hourly/merge-tables.ts'
import type { PassNews, PassOrder } from '../../compaction/hourly/news.ts'
import { clustersOf } from '../../config/clusters.ts'
import type { Settings } from '../../config/table.ts'
import { createNameSpace, locateClusters } from '../../filesystem/name-space.ts'
import { createSendingLogger } from '../../log/log-line.ts'
import { pauseBeforeTry } from '../../runtime/pause-before-try.ts'
import { lowerOwnPriority, offerToBeKilledFirst } from '../../runtime/step-back.ts'
import { toCatalogSettings } from '../../spool/to-spool-settings.ts'
import { openCatalog } from '../../tables/open-catalog.ts'

const lowest = 19

const tell = (news: PassNews, then?: () => void): void => {
  if (process.connected) process.send?.(news, () => then?.())
}

const run = async ({ setup: settings, ...scope }: PassOrder<Settings>): Promise<void> => {
  const logger = createSendingLogger(line => tell({ kind: 'log', ...line }))
  const located = await locateClusters(clustersOf(settings))
  const tokens = await createClusterTokens(located, logger)
  const fileSystem = await createNameSpace(located, tokens.of, logger)
  const directory = settings['collector.event-output-directory']
  await mergeTables({
    fileSystem,
    catalog: openCatalog(fileSystem, directory, toCatalogSettings(settings)),
    directory,
    ...scope,
    temporaryDirectory: tmpdir(),
    now: Date.now,
    random: Math.random,
    pause: pauseBeforeTry,
    tell,
  })
}

lowerOwnPriority(lowest)
offerToBeKilledFirst()
// A terminal or a service manager sends them to all processes; the server ends this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
// The server is gone. An exit would wait for calls of the file system that do not return.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.once('message', (message: unknown) => {
  // The server's word, of the same version.
  void run(message as PassOrder<Settings>)
    .catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      tell({ kind: 'failed', table: undefined, hour: undefined, reason })
    })
    .finally(() => tell({ kind: 'done' }, () => process.kill(process.pid, 'SIGKILL')))
})
