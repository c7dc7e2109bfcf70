import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { readThreadCpu } from '../../../bench/for-good/thread-cpu.ts'
import { hasProc } from '../../../bench/proc.ts'

const some: number = expect.toSatisfy((seconds: number) => seconds > 0)

test.skipIf(!hasProc)(
  'CPU of a process is that of its main thread, of those with a name, and of the others',
  async () => {
    const busy =
      'const end = Date.now() + 60; while (Date.now() < end); require("node:worker_threads").parentPort.once("message", () => {})'
    const [edge, seal] = ['edge', 'seal'].map(name => new Worker(busy, { eval: true, name }))
    await expect.poll(() => readThreadCpu(process.pid)).toMatchObject({ edges: some, sealing: some })
    const { main, edges, sealing, others } = readThreadCpu(process.pid)
    const { user, system } = process.cpuUsage()
    await Promise.all([edge?.terminate(), seal?.terminate()])
    expect(main).toBeGreaterThan(0)
    // Counted in hundredths, for each thread.
    expect(main + edges + sealing + others).toBeLessThanOrEqual((user + system) / 1e6 + 0.5)
  },
)
