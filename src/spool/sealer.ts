// node-only: worker threads
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { siblingModule } from '../module-url.ts'
import type { RegisteredField } from './parquet/event-schema.ts'
import type { Sealing, SealResult } from './seal.ts'
import type { SealReply, SealTask } from './seal-thread.ts'

/** Garbage is most of what the thread makes: a nursery larger than this would take memory, and no less time. */
const resourceLimits = { maxYoungGenerationSizeMb: 12 }

/** A thread that seals; one call at a time. */
export type Sealer = Sealing & { close(): Promise<void> }

/** What a schema registry knows of an event type, at once; undefined when nothing. */
export type LookUpFields = (eventName: string) => readonly RegisteredField[] | undefined

/** The thread starts with the first segment, and a new one takes over should it die. */
export const createSealer = (directory: string, lookUp: LookUpFields): Sealer => {
  let worker: Worker | undefined
  const run = async (task: SealTask): Promise<SealResult | undefined> => {
    worker ??= new Worker(siblingModule(import.meta.url, 'seal-thread'), { workerData: directory, resourceLimits })
    const ended = new AbortController()
    try {
      tell(worker, task)
      return await Promise.race([
        hear(worker, lookUp, ended.signal),
        once(worker, 'exit', { signal: ended.signal }).then(([code]): never => {
          throw new Error(`The sealing thread ended with code ${code}`)
        }),
      ])
    } catch (error) {
      const broken = worker
      worker = undefined
      await broken.terminate()
      throw error
    } finally {
      ended.abort()
    }
  }
  return {
    seal: async request => {
      const result = await run({ request })
      if (!result) throw new Error('The sealing thread told nothing of a segment')
      return result
    },
    forget: async eventName => void (await run({ forget: eventName })),
    close: async () => {
      await worker?.terminate()
    },
  }
}

/** Answers what the thread asks until it is done. */
const hear = async (worker: Worker, lookUp: LookUpFields, signal: AbortSignal): Promise<SealResult | undefined> => {
  for (;;) {
    const [reply] = (await once(worker, 'message', { signal })) as [SealReply]
    if ('result' in reply) return reply.result
    if ('error' in reply) throw Object.assign(new Error(reply.error), { code: reply.code })
    tell(worker, { fieldsOf: reply.wanted, fields: lookUp(reply.wanted) })
  }
}

const tell = (worker: Worker, task: SealTask): void => worker.postMessage(task)
