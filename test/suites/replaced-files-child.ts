/** The server, in a copy of its files: ends the edge thread whose number it is sent. */
import { Worker } from 'node:worker_threads'
import { createApp } from '../../src/app/app.ts'
import { run } from '../../src/app/run.ts'
import { toTransferred } from '../../src/edges/edge-worker.ts'

const workers: Worker[] = []
process.on('message', (number: number) => void workers[number]?.terminate())
process.channel?.unref()
await run(options =>
  createApp({
    ...options,
    startEdgeThread: workerData => {
      const module = new URL('../../src/edges/edge-thread.ts', import.meta.url)
      const worker = new Worker(module, { workerData, transferList: toTransferred(workerData) })
      workers.push(worker)
      return worker
    },
  }),
)
