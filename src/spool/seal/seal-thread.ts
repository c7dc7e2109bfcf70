// node-only: runs in a worker thread
/** Seals segments: splitting, encoding and compressing happen here, off the thread that answers requests. */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { createNodeDisk } from '../../disk/node-disk.ts'
import type { StructKind } from '../../formats/parquet/kind.ts'
import type { RegisteredField } from '../parquet/event-schema.ts'
import { type KnownTable, type TableOf, tableAway } from '../parquet/table-columns.ts'
import type { SealRequest, SealResult } from './seal.ts'
import { createSealing } from './sealing.ts'

/** As `nice` counts: 0 is usual, 19 the lowest. */
const sealPriority = 10

/** What the thread is asked: a segment to seal, an event type to forget, or what it wanted to know of one: its fields, or its table. */
export type SealTask =
  | { readonly request: SealRequest }
  | { readonly forget: string }
  | { readonly fieldsOf: string; readonly fields: readonly RegisteredField[] | undefined }
  | { readonly tableOf: string; readonly known: KnownTable | { readonly away: string } }

/** What it says: that it is done, and how a segment was sealed; or the event type whose fields or table it wants to know. */
export type SealReply =
  | { readonly result: SealResult | undefined }
  | { readonly error: string; readonly code?: string }
  | { readonly wanted: string }
  | { readonly wantedTable: string; readonly columns: StructKind | undefined }

// Answering comes first where both want the same core. On Linux this concerns this thread alone.
if (process.platform === 'linux') setPriority(0, sealPriority)

const reply = (message: SealReply): void => parentPort?.postMessage(message)

/** Waiters for the fields of an event type. */
const waiting = new Map<string, (fields: readonly RegisteredField[] | undefined) => void>()

/** Waiters for the state of a table. */
const waitingForTable = new Map<string, (known: KnownTable | { readonly away: string }) => void>()

const tableOf: TableOf = async (eventName, columns) => {
  reply({ wantedTable: eventName, columns })
  const known = await new Promise<KnownTable | { readonly away: string }>(resolve => {
    waitingForTable.set(eventName, resolve)
  })
  if ('away' in known) throw Object.assign(new Error(known.away), { code: tableAway })
  return known
}

const { seal, forget } = createSealing(
  createNodeDisk({ directory: String(workerData) }),
  async eventName => {
    reply({ wanted: eventName })
    return await new Promise(resolve => waiting.set(eventName, resolve))
  },
  {},
  tableOf,
)

parentPort?.on('message', (task: SealTask) => {
  if ('fieldsOf' in task) {
    waiting.get(task.fieldsOf)?.(task.fields)
    waiting.delete(task.fieldsOf)
    return
  }
  if ('tableOf' in task) {
    waitingForTable.get(task.tableOf)?.(task.known)
    waitingForTable.delete(task.tableOf)
    return
  }
  const done: Promise<SealResult | undefined> =
    'forget' in task ? forget(task.forget).then(() => undefined) : seal(task.request)
  done.then(
    result => reply({ result }),
    ({ message, code }: NodeJS.ErrnoException) => reply({ error: message, ...(code === undefined ? {} : { code }) }),
  )
})
