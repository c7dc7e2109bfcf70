// node-only: runs in a worker thread
/** Seals segments: splitting, encoding and compressing happen here, off the thread that answers requests. */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { createNodeDisk } from '../../disk/node-disk.ts'
import type { RegisteredField } from '../parquet/event-schema.ts'
import type { SealRequest, SealResult } from './seal.ts'
import { createSealing } from './sealing.ts'

/** As `nice` counts: 0 is usual, 19 the lowest. */
const sealPriority = 10

/** What the thread is told: a segment to seal, an event type to forget, or the fields that it wanted to know of one. */
export type SealTask =
  | { readonly request: SealRequest }
  | { readonly forget: string }
  | { readonly fieldsOf: string; readonly fields: readonly RegisteredField[] | undefined }

/** What it says: that it is done, and how a segment was sealed; or the event type whose fields it wants to know. */
export type SealReply =
  | { readonly result: SealResult | undefined }
  | { readonly error: string; readonly code?: string }
  | { readonly wanted: string }

// Answering comes first where both want the same core. On Linux this concerns this thread alone.
if (process.platform === 'linux') setPriority(0, sealPriority)

const reply = (message: SealReply): void => parentPort?.postMessage(message)

/** Who waits for the fields of an event type. */
const waiting = new Map<string, (fields: readonly RegisteredField[] | undefined) => void>()

const { seal, forget } = createSealing(createNodeDisk({ directory: String(workerData) }), async eventName => {
  reply({ wanted: eventName })
  return await new Promise(resolve => waiting.set(eventName, resolve))
})

parentPort?.on('message', (task: SealTask) => {
  if ('fieldsOf' in task) {
    waiting.get(task.fieldsOf)?.(task.fields)
    waiting.delete(task.fieldsOf)
    return
  }
  const done: Promise<SealResult | undefined> =
    'forget' in task ? forget(task.forget).then(() => undefined) : seal(task.request)
  done.then(
    result => reply({ result }),
    ({ message, code }: NodeJS.ErrnoException) => reply({ error: message, ...(code === undefined ? {} : { code }) }),
  )
})
