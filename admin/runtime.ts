import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { RuntimeFigures } from './catalog/server.ts'

/** How often the event loop is looked at, in ms; a delay is what comes on top. */
const resolutionMs = 20

/** Looks at the process. */
export type RuntimeProbe = {
  figures(): RuntimeFigures
  /** Ends the period that delays are taken from. */
  tick(): void
  close(): void
}

type Delays = { readonly meanMs: number; readonly maxMs: number; readonly p99Ms: number; readonly utilization: number }

/** Starts to look. */
export const createRuntimeProbe = (): RuntimeProbe => {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  let since = performance.eventLoopUtilization()
  let last: Delays | undefined
  const measure = (): Delays => ({
    meanMs: toDelayMs(histogram.mean),
    maxMs: toDelayMs(histogram.max),
    p99Ms: toDelayMs(histogram.percentile(99)),
    utilization: performance.eventLoopUtilization(since).utilization,
  })
  return {
    figures() {
      const memory = process.memoryUsage()
      const cpu = process.cpuUsage()
      const delays = last ?? measure()
      return {
        uptimeSeconds: process.uptime(),
        residentBytes: memory.rss,
        heapUsedBytes: memory.heapUsed,
        heapTotalBytes: memory.heapTotal,
        externalBytes: memory.external,
        arrayBufferBytes: memory.arrayBuffers,
        cpuUserMs: cpu.user / 1_000,
        cpuSystemMs: cpu.system / 1_000,
        eventLoopMeanMs: delays.meanMs,
        eventLoopMaxMs: delays.maxMs,
        eventLoopP99Ms: delays.p99Ms,
        eventLoopUtilization: delays.utilization,
      }
    },
    tick() {
      last = measure()
      histogram.reset()
      since = performance.eventLoopUtilization()
    },
    close: () => void histogram.disable(),
  }
}

/** The histogram holds the whole time between two looks, in ns; nothing yet is NaN there. */
const toDelayMs = (ns: number): number => (ns > 0 ? Math.max(0, ns / 1e6 - resolutionMs) : 0)
