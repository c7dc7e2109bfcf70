// node-only: worker threads
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { siblingModule } from '../module-url.ts'
import type { SealRequest, SealResult } from './seal.ts'
import type { SealReply } from './seal-thread.ts'

/** A thread that seals one segment at a time. */
export type Sealer = {
  seal(request: SealRequest): Promise<SealResult>
  close(): Promise<void>
}

/** The thread starts with the first segment, and a new one takes over should it die. */
export const createSealer = (directory: string): Sealer => {
  let worker: Worker | undefined
  return {
    seal: async request => {
      worker ??= new Worker(siblingModule(import.meta.url, 'seal-thread'), { workerData: directory })
      const ended = new AbortController()
      try {
        worker.postMessage(request)
        const [reply]: [SealReply] = await Promise.race([
          once(worker, 'message', { signal: ended.signal }) as Promise<[SealReply]>,
          once(worker, 'exit', { signal: ended.signal }).then(([code]): never => {
            throw new Error(`The sealing thread ended with code ${code}`)
          }),
        ])
        if ('error' in reply) throw Object.assign(new Error(reply.error), { code: reply.code })
        return reply.result
      } catch (error) {
        const broken = worker
        worker = undefined
        await broken.terminate()
        throw error
      } finally {
        ended.abort()
      }
    },
    close: async () => {
      await worker?.terminate()
    },
  }
}
