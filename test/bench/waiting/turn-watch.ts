/**
 * Loaded into the server with `--import`: prints the longest turn of the event loop since the last time, in ms, on SIGUSR2.
 * What keeps a turn from ending keeps the next timer waiting; collections of garbage count as well.
 */
import { isMainThread } from 'node:worker_threads'

const tickMs = 1
let last = performance.now()
let longest = 0

if (isMainThread) {
  setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - tickMs)
    last = now
  }, tickMs).unref()
  process.on('SIGUSR2', () => {
    console.log(`${turnLine}${longest.toFixed(1)}`)
    longest = 0
  })
}

/** What stands before the figure. */
export const turnLine = 'longest turn of the event loop: '
