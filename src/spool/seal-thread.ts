// node-only: runs in a worker thread
/** Seals segments: splitting, encoding and compressing happen here, off the thread that answers requests. */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { createNodeDisk } from './disk/node-disk.ts'
import { type SealRequest, type SealResult, sealSegment } from './seal.ts'

/** As `nice` counts: 0 is usual, 19 the lowest. */
const sealPriority = 10

export type SealReply = { readonly result: SealResult } | { readonly error: string; readonly code?: string }

// Answering comes first where both want the same core. On Linux this concerns this thread alone.
if (process.platform === 'linux') setPriority(0, sealPriority)

const disk = createNodeDisk({ directory: String(workerData) })

parentPort?.on('message', (request: SealRequest) => {
  const reply = (message: SealReply): void => parentPort?.postMessage(message)
  sealSegment(disk, request).then(
    result => reply({ result }),
    ({ message, code }: NodeJS.ErrnoException) => reply({ error: message, ...(code === undefined ? {} : { code }) }),
  )
})
