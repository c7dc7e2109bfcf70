/** The server, with controls for a test that do not exist from outside: see {@link ChildWord}. */
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { createApp } from '../../src/app/app.ts'
import { run } from '../../src/app/run.ts'
import { toTransferred } from '../../src/edges/edge-worker.ts'

/**
 * - `end`: an edge thread ends;
 * - `break`: from now on none can start, and time goes a hundred times as fast;
 * - `hold`: the main thread does nothing until a file is there.
 */
export type ChildWord =
  | { readonly do: 'end'; readonly thread: number }
  | { readonly do: 'break' }
  | { readonly do: 'hold'; readonly until: string }

const workers: Worker[] = []
let isBroken = false
process.on('message', (word: ChildWord) => {
  if (word.do === 'end') void workers[word.thread]?.terminate()
  else if (word.do === 'hold') hold(word.until)
  else {
    isBroken = true
    hurry()
  }
})
process.channel?.unref()
await run(options =>
  createApp({
    ...options,
    startEdgeThread: workerData => {
      const module = new URL('../../src/edges/edge-thread.ts', import.meta.url)
      const worker = isBroken
        ? new Worker('throw new Error("broken")', { eval: true })
        : new Worker(module, { workerData, transferList: toTransferred(workerData) })
      workers.push(worker)
      return worker
    },
  }),
)

function hold(until: string): void {
  const never = new Int32Array(new SharedArrayBuffer(4))
  process.send?.('held')
  while (!existsSync(until)) Atomics.wait(never, 0, 0, 5)
}

function hurry(): void {
  const { setTimeout } = globalThis
  const faster = (callback: () => void, ms = 0): NodeJS.Timeout => setTimeout(callback, ms / 100)
  Object.assign(globalThis, { setTimeout: faster })
}
