import { createGatewayFigures, type GatewayFigures } from '../gateway/figures.ts'
import type { Reads } from '../gateway/reads.ts'
import { createReaders } from '../readers/readers.ts'
import { siblingModule } from '../runtime/module-url.ts'
import type { Shared } from './shared.ts'

/** What looks into files: for the gateway, and for the management, which finds refused events there. */
export type ReadsService = {
  readonly reads: Reads
  readonly figures: GatewayFigures
  readonly close: () => Promise<void>
}

/** What looks into files, in processes of their own or, where there are to be none, here. */
export const startReads = async (shared: Shared): Promise<ReadsService> => {
  const { settings, logger, tokensOf } = shared
  const figures = createGatewayFigures()
  if (settings['gateway.readers'] === 0) {
    // What knows the formats is loaded only where it works.
    const { createLocalReads } = await import('./local-reads.ts')
    const onUpstream = (ms: number): void => figures.recordUpstream(ms)
    return { figures, reads: await createLocalReads({ ...shared, onUpstream }), close: async () => {} }
  }
  const memoryMb = Math.floor(settings['gateway.reader-memory-bytes'] / 2 ** 20)
  const readers = createReaders({
    module: siblingModule(import.meta.url, 'reader-process'),
    setup: settings,
    count: settings['gateway.readers'],
    limits: { residentMb: memoryMb, heapMb: Math.floor(memoryMb / 2), silenceMs: readerSilenceMs },
    logger,
    figures,
    tokensOf,
  })
  // A module that cannot be used is reported at once, and not to the first reader.
  const modules = [...settings['io.row.serializations'], ...settings['io.serializations']]
  if (modules.length > 0 && settings.services.includes('gateway')) {
    await readers.start().catch(async error => {
      await readers.close()
      throw error
    })
  }
  return { figures, reads: readers, close: () => readers.close() }
}

/** How long a reader may compute without taking a turn, in ms. All that is bounded by budgets takes a tenth at most. */
const readerSilenceMs = 5_000
