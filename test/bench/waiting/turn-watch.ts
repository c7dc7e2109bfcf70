/**
 * Loaded into the server with `--import`: on SIGUSR2 it prints the turns of the event loop since the last time.
 * Processor time of the thread shows what a turn took, also on a machine that does other work; collections of garbage
 * count as well.
 */
import { isMainThread } from 'node:worker_threads'

/** A turn that events would notice, in ms. */
const longMs = 50
const tickMs = 1

/** The prefix of the figures, which are JSON. */
export const turnLine = 'turns of the event loop: '

/** Since the last time: how many turns took longer than 50 ms, and the longest; processor time, in ms. */
export type Turns = { readonly long: number; readonly longest: number; readonly elapsed: number }

if (isMainThread) {
  let last = performance.now()
  let lastCpu = process.threadCpuUsage()
  let turns = { long: 0, longest: 0, elapsed: 0 }
  setInterval(() => {
    const elapsed = performance.now() - last - tickMs
    const { user, system } = process.threadCpuUsage(lastCpu)
    const ms = Math.min(elapsed, (user + system) / 1_000)
    turns = {
      long: turns.long + (ms > longMs ? 1 : 0),
      longest: Math.max(turns.longest, ms),
      elapsed: Math.max(turns.elapsed, elapsed),
    }
    last = performance.now()
    lastCpu = process.threadCpuUsage()
  }, tickMs).unref()
  process.on('SIGUSR2', () => {
    console.log(`${turnLine}${JSON.stringify(turns)}`)
    turns = { long: 0, longest: 0, elapsed: 0 }
  })
}
