// node-only: worker threads
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { siblingModule } from '../../runtime/module-url.ts'
import type { RegisteredField } from '../parquet/event-schema.ts'
import { noTable, type TableOf, tableAway } from '../parquet/table-columns.ts'
import type { SealResult } from './seal.ts'
import type { SealReply, SealTask } from './seal-thread.ts'
import type { Sealing } from './sealing.ts'

/** Garbage is most of what the thread makes: a nursery larger than this would take memory, and no less time. */
const resourceLimits = { maxYoungGenerationSizeMb: 12 }

/** A thread that seals; one call at a time. */
export type Sealer = Sealing & { close(): Promise<void> }

/** What a schema registry knows of an event type, at once; undefined when nothing. */
export type LookUpFields = (eventName: string) => readonly RegisteredField[] | undefined

export type SealerOptions = {
  readonly directory: string
  /** What a schema registry knows of an event type. @default nothing */
  readonly lookUp?: LookUpFields
  /** What is known of the table of an event type. @default no table */
  readonly tableOf?: TableOf
  /** Called when the thread ends although the sealer was not closed. */
  readonly onEnd?: (reason: Error) => void
  /** Starts a thread. @default the module beside this one */
  readonly start?: (directory: string) => Worker
}

/** The thread starts with the first segment; should it end, busy or idle, another one takes its place. */
export const createSealer = ({
  directory,
  lookUp = () => undefined,
  tableOf = noTable,
  onEnd = () => {},
  start = startThread,
}: SealerOptions): Sealer => {
  let thread: Thread | undefined
  let isClosed = false

  const open = (): Thread => {
    const worker = start(directory)
    const ended = Promise.withResolvers<never>()
    // There may be no waiter.
    ended.promise.catch(() => {})
    const opened: Thread = { worker, ended: ended.promise, hasAnswered: false, isFailing: false }
    let cause: unknown
    worker.on('error', error => {
      cause = error
      opened.isFailing = true
    })
    worker.on('exit', code => {
      const why = cause instanceof Error ? `: ${cause.message}` : ` with code ${code}`
      const reason = new Error(`The sealing thread ended${why}`, { cause })
      ended.reject(reason)
      if (thread === opened) thread = undefined
      if (isClosed) return
      onEnd(reason)
      // One that never worked is started again when it is needed.
      if (opened.hasAnswered) thread ??= open()
    })
    return opened
  }
  const run = async (task: SealTask): Promise<SealResult | undefined> => {
    if (isClosed) throw new Error('The sealing thread has ended: it is closed')
    thread ??= open()
    const used = thread
    const over = new AbortController()
    try {
      tell(used.worker, task)
      const result = await Promise.race([hear(used.worker, { lookUp, tableOf }, over.signal), used.ended])
      used.hasAnswered = true
      return result
    } catch (error) {
      // It ends in a moment: until then it must not be asked again.
      if (used.isFailing) await used.ended
      throw error
    } finally {
      over.abort()
    }
  }
  return {
    atOnce: 1,
    seal: async request => {
      const result = await run({ request })
      if (!result) throw new Error('The sealing thread told nothing of a segment')
      return result
    },
    forget: async eventName => void (await run({ forget: eventName })),
    close: async () => {
      isClosed = true
      await thread?.worker.terminate()
    },
  }
}

type Thread = { readonly worker: Worker; readonly ended: Promise<never>; hasAnswered: boolean; isFailing: boolean }

const startThread = (directory: string): Worker =>
  new Worker(siblingModule(import.meta.url, 'seal-thread'), { name: 'seal', workerData: directory, resourceLimits })

/** Answers what the thread asks until it is done. */
const hear = async (
  worker: Worker,
  { lookUp, tableOf }: { readonly lookUp: LookUpFields; readonly tableOf: TableOf },
  signal: AbortSignal,
): Promise<SealResult | undefined> => {
  for (;;) {
    const [reply] = (await once(worker, 'message', { signal })) as [SealReply]
    if ('result' in reply) return reply.result
    if ('error' in reply) throw Object.assign(new Error(reply.error), { code: reply.code })
    if ('wantedTable' in reply) {
      const known = await tableOf(reply.wantedTable, reply.columns).catch(toAway)
      tell(worker, { tableOf: reply.wantedTable, known })
      continue
    }
    tell(worker, { fieldsOf: reply.wanted, fields: lookUp(reply.wanted) })
  }
}

const tell = (worker: Worker, task: SealTask): void => worker.postMessage(task)

const toAway = (error: unknown): { readonly away: string } => {
  if ((error as NodeJS.ErrnoException).code === tableAway) return { away: (error as Error).message }
  throw error
}
