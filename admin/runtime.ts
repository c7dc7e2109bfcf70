import { monitorEventLoopDelay, performance } from 'node:perf_hooks'

/** How often the event loop is looked at, in ms; a delay is the excess over it. */
const resolutionMs = 20

/** How the process is; since the start unless said. */
export type RuntimeFigures = ReturnType<ReturnType<typeof createRuntimeProbe>['figures']>

/** Starts to look at the process. */
export const createRuntimeProbe = () => {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  let since = performance.eventLoopUtilization()
  const measure = () => ({
    // Delays of timers, and the share of time that the event loop was busy, 0 to 1.
    eventLoopMeanMs: toDelayMs(histogram.mean),
    eventLoopMaxMs: toDelayMs(histogram.max),
    eventLoopP99Ms: toDelayMs(histogram.percentile(99)),
    eventLoopUtilization: performance.eventLoopUtilization(since).utilization,
  })
  let last: ReturnType<typeof measure> | undefined
  let memory: NodeJS.MemoryUsage = { rss: 0, heapUsed: 0, heapTotal: 0, external: 0, arrayBuffers: 0 }
  const readMemory = (): NodeJS.MemoryUsage => {
    try {
      memory = process.memoryUsage()
    } catch {
      // It reads a file. Without a descriptor for that, what was known last is better than nothing.
    }
    return memory
  }
  return {
    figures: () => {
      const memory = readMemory()
      const cpu = process.cpuUsage()
      return {
        uptimeSeconds: process.uptime(),
        residentBytes: memory.rss,
        heapUsedBytes: memory.heapUsed,
        heapTotalBytes: memory.heapTotal,
        externalBytes: memory.external,
        arrayBufferBytes: memory.arrayBuffers,
        cpuUserMs: cpu.user / 1_000,
        cpuSystemMs: cpu.system / 1_000,
        ...(last ?? measure()),
      }
    },
    /** Ends the period that delays are taken from. */
    tick: () => {
      last = measure()
      histogram.reset()
      since = performance.eventLoopUtilization()
    },
    close: () => void histogram.disable(),
  }
}

/** The histogram holds the whole time between two looks, in ns; nothing yet is NaN there. */
const toDelayMs = (ns: number): number => (ns > 0 ? Math.max(0, ns / 1e6 - resolutionMs) : 0)
