/**
 * Loaded into a server before it: writes, when asked by a signal, how long the longest turn of its event loop was: in CPU
 * time of its thread, so that it says the same on a busy machine. Looking costs a core, so it is for measuring only.
 */
import { writeFileSync } from 'node:fs'

let before = process.threadCpuUsage()
let longest = 0

const look = (): void => {
  const now = process.threadCpuUsage()
  longest = Math.max(longest, now.user + now.system - before.user - before.system)
  before = now
  setImmediate(look)
}
look()

process.on('SIGUSR2', () => {
  const file = process.env['SLUICE_TEST_TURNS']
  if (file) writeFileSync(file, String(longest / 1_000))
  longest = 0
})
