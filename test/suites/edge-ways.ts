import { loadConfig } from '../../src/config/config.ts'
import { createEdgeThreads, type EdgeThreads, type EdgeThreadsOptions } from '../../src/edges/edge-threads.ts'
import { type ConnectionBudget, createConnectionBudget } from '../../src/http/edge/connection-budget.ts'
import { createEdge, type Edge, type EdgeOptions } from '../../src/http/edge/node.ts'
import { createSharedCounts } from '../../src/http/edge/shared-counts.ts'
import { defaultEdgeLimits } from '../../src/http/limits.ts'
import { noTypes } from '../../src/rows/registrar/registrar.ts'

const { settings } = loadConfig({ argv: [], env: {}, cwd: '/nowhere', readFile: () => '' })

/** Opens an edge. @param threads that take its connections, and hand all of them on; 0: it takes them itself */
export const openEdgeBehind = async (threads: number, options: EdgeOptions): Promise<Edge> =>
  threads === 0 ? createEdge(options) : (await openThreaded(threads, options)).edge

/** The same with its threads. */
export const openThreaded = async (
  count: number,
  options: EdgeOptions,
  more: Partial<EdgeThreadsOptions> = {},
): Promise<{ readonly edge: Edge; readonly threads: EdgeThreads; readonly budget: ConnectionBudget }> => {
  const { lane: _, name, logger, tls, hstsSeconds = 0, onAccess } = options
  const limits = { ...defaultEdgeLimits, ...options.limits }
  const counts = createSharedCounts(count)
  const budget = createConnectionBudget(more.maxOpenFiles, logger, counts)
  const state = { settings, tokens: [], schemas: noTypes, filters: undefined, certificate: tls?.current() }
  const own = {
    name,
    logger,
    state,
    hstsSeconds,
    onAccess,
    limits,
    counts,
    count,
    maxOpenFiles: undefined,
    scribe: undefined,
  }
  const threads = createEdgeThreads({ ...own, ...more })
  tls?.onChange(certificate => threads.set({ certificate }))
  const onDrain = (): void => {
    options.onDrain?.()
    threads.startDraining()
  }
  const edge = await createEdge({ ...options, lane: undefined, budget, front: threads.front, onDrain })
  return { edge, threads, budget }
}
