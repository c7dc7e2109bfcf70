/** Loaded into a server before it: writes, when asked by a signal, how long the longest turn of its event loop was. */
import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()

process.on('SIGUSR2', () => {
  const longest = delay.max / 1e6
  delay.reset()
  const file = process.env['SLUICE_TEST_TURNS']
  if (file) writeFileSync(file, String(longest))
})
