import { expect, test } from 'vitest'
import { readThreadCpu } from '../../../bench/for-good/thread-cpu.ts'
import { hasProc } from '../../../bench/proc.ts'

test.skipIf(!hasProc)('CPU of a process is that of its main thread and of the others', () => {
  const { main, sealing, others } = readThreadCpu(process.pid)
  const { user, system } = process.cpuUsage()
  expect(sealing).toBe(0)
  expect(main).toBeGreaterThan(0)
  // Counted in hundredths, for each thread.
  expect(main + others).toBeLessThanOrEqual((user + system) / 1e6 + 0.5)
})
