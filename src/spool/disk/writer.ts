// node-only: worker threads
import { Worker } from 'node:worker_threads'
import { siblingModule } from '../../module-url.ts'
import type { AppendFile } from './disk.ts'
import type { WriterReply, WriterRequest } from './writer-thread.ts'

type Unsent<T> = T extends unknown ? Omit<T, 'id'> : never

/** A thread that does nothing but append to the log and sync it. */
export type Writer = {
  /** Creates a file for appending at an absolute path; rejects when it exists. */
  create(path: string): Promise<AppendFile>
  close(): Promise<void>
}

export const createWriter = (): Writer => {
  const worker = new Worker(siblingModule(import.meta.url, 'writer-thread'))
  // Idle, the thread must not keep the process alive: the server's sockets and timers decide that.
  worker.unref()
  const waiting = new Map<number, { resolve: (length: number) => void; reject: (error: Error) => void }>()
  let unsent: WriterRequest[] = []
  let nextId = 0
  let nextFile = 0
  let dead: Error | undefined

  worker.on('message', (replies: readonly WriterReply[]) => {
    for (const reply of replies) {
      const call = waiting.get(reply.id)
      waiting.delete(reply.id)
      if ('length' in reply) call?.resolve(reply.length)
      else call?.reject(Object.assign(new Error(reply.error.message), { code: reply.error.code }))
    }
    if (waiting.size === 0) worker.unref()
  })
  const post = (): void => {
    const requests = unsent
    unsent = []
    worker.postMessage(requests)
  }
  const fail = (error: Error): void => {
    dead = error
    for (const call of waiting.values()) call.reject(error)
    waiting.clear()
  }
  worker.on('error', fail)
  worker.on('exit', code => fail(new Error(`The log's writer thread ended with code ${code}`)))

  const send = (request: Unsent<WriterRequest>): Promise<number> =>
    new Promise((resolve, reject) => {
      if (dead) return reject(dead)
      const id = nextId++
      if (waiting.size === 0) worker.ref()
      waiting.set(id, { resolve, reject })
      if (unsent.push({ ...request, id }) === 1) queueMicrotask(post)
    })

  return {
    create: async path => {
      const file = nextFile++
      await send({ op: 'create', file, path })
      return {
        append: bytes => send({ op: 'append', file, bytes }),
        fdatasync: () => send({ op: 'fdatasync', file }),
        close: async () => void (await send({ op: 'close', file })),
      }
    },
    close: async () => {
      await worker.terminate()
    },
  }
}
