// node-only: worker threads
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { siblingModule } from '../runtime/module-url.ts'
import type { AppendFile } from './disk.ts'
import { createCaller, type HandedCall, handOverBytes, maxCalls } from './hand-over.ts'
import {
  failure,
  instead,
  type WriterData,
  type WriterFailure,
  type WriterMessage,
  type WriterNews,
} from './writer-calls.ts'

/** Shared memories that the thread knows by number: as many as are kept for reuse where requests gather, on five threads. */
const maxMemories = 40

/** A larger one is hardly met again, and is not held on to. */
const maxMemoryBytes = 1 << 20

/** A thread that does nothing but append to the log and sync it; another one takes its place should it end. */
export type Writer = {
  /**
   * Creates a file for appending at an absolute path; rejects when it exists. It ends with the thread that made it:
   * pending requests then fail as a failed write does, and are not retried.
   */
  create(path: string): Promise<AppendFile>
  close(): Promise<void>
}

export type WriterOptions = {
  /** Called when a thread ends although the writer was not closed. */
  readonly onEnd?: (reason: Error) => void
  /** A file was deleted while it was open, and is there again with all that it held. */
  readonly onRestored?: (news: WriterNews) => void
  /** Starts a thread. @default the module beside this one */
  readonly start?: (workerData: WriterData) => Worker
}

type Asked = { readonly call: HandedCall; readonly answer: PromiseWithResolvers<number> }

export const createWriter = ({
  onEnd = () => {},
  onRestored = () => {},
  start = startThread,
}: WriterOptions = {}): Writer => {
  let isClosed = false
  let thread: Thread | undefined

  const open = (): Thread => {
    const opened = createThread(start, onRestored, reason => {
      if (thread === opened) thread = undefined
      if (isClosed) return
      onEnd(reason)
      // At once, for requests wait; one that never worked is started again when it is needed.
      if (opened.hasAnswered) thread ??= open()
    })
    return opened
  }
  thread = open()
  return {
    create: async path => {
      if (isClosed) throw new Error('The writer has ended: it is closed')
      thread ??= open()
      return await thread.create(path)
    },
    close: async () => {
      isClosed = true
      await thread?.terminate()
    },
  }
}

type Thread = {
  create(path: string): Promise<AppendFile>
  terminate(): Promise<unknown>
  readonly hasAnswered: boolean
}

const startThread = (workerData: WriterData): Worker =>
  new Worker(siblingModule(import.meta.url, 'writer-thread'), {
    name: 'log',
    workerData,
    transferList: [workerData.port],
  })

const createThread = (
  start: (workerData: WriterData) => Worker,
  onRestored: (news: WriterNews) => void,
  onEnd: (reason: Error) => void,
): Thread => {
  const memory = new SharedArrayBuffer(handOverBytes)
  const { port1: port, port2 } = new MessageChannel()
  const worker = start({ memory, port: port2 })
  worker.on('message', onRestored)
  // Idle, the thread must not keep the process alive: the server's sockets and timers decide that.
  worker.unref()
  const handOver = createCaller(memory)
  const toNumber = createMemoryNumbers()
  let nextFile = 0
  /** Not answered yet, oldest first. */
  let asked: Asked[] = []
  let dead: Error | undefined
  let hasAnswered = false

  const run = async (): Promise<void> => {
    worker.ref()
    while (asked.length > 0) {
      const answers = await handOver(asked.slice(0, maxCalls).map(({ call }) => call))
      hasAnswered = true
      for (const [i, { answer }] of asked.splice(0, answers.length).entries()) {
        const length = answers[i] ?? failure
        if (length !== failure) answer.resolve(length)
        else answer.reject(toError(port))
      }
    }
    worker.unref()
  }
  const ask = (call: HandedCall, message?: WriterMessage): Promise<number> => {
    if (dead) return Promise.reject(dead)
    if (message) port.postMessage(message)
    const answer = Promise.withResolvers<number>()
    // Calls that are made together travel together.
    if (asked.push({ call, answer }) === 1) queueMicrotask(() => void run())
    return answer.promise
  }
  let cause: unknown
  worker.on('error', error => {
    cause = error
  })
  // Only now is it certain that it writes nothing any more.
  worker.on('exit', code => {
    const why = cause instanceof Error ? `: ${cause.message}` : ` with code ${code}`
    dead = new Error(`The log's writer thread ended${why}`, { cause })
    for (const { answer } of asked) answer.reject(dead)
    asked = []
    port.close()
    onEnd(dead)
  })

  const append = (file: number, bytes: Uint8Array): Promise<number> => {
    const { buffer, byteOffset, byteLength } = bytes
    const known = toNumber.find(buffer)
    if (known !== -1) return ask([file, known, byteOffset, byteOffset + byteLength])
    return ask([file, instead.message, 0, 0], { op: 'append', bytes, number: toNumber.add(buffer) })
  }
  return {
    create: async path => {
      const file = nextFile++
      await ask([file, instead.message, 0, 0], { op: 'create', path })
      return {
        append: bytes => append(file, bytes),
        fdatasync: () => ask([file, instead.sync, 0, 0]),
        close: async () => void (await ask([file, instead.message, 0, 0], { op: 'close' })),
      }
    },
    terminate: () => worker.terminate(),
    get hasAnswered() {
      return hasAnswered
    },
  }
}

/** The numbers by which a thread knows shared memories. */
const createMemoryNumbers = () => {
  const memories: ArrayBufferLike[] = []
  let next = 0
  return {
    /** -1 for one that it does not know. */
    find: (buffer: ArrayBufferLike): number => memories.indexOf(buffer),
    /** Undefined for what is not to be kept. */
    add: (buffer: ArrayBufferLike): number | undefined => {
      if (!(buffer instanceof SharedArrayBuffer) || buffer.byteLength > maxMemoryBytes) return undefined
      const number = next++ % maxMemories
      memories[number] = buffer
      return number
    },
  }
}

const toError = (port: MessagePort): Error => {
  const told: WriterFailure | undefined = receiveMessageOnPort(port)?.message
  return Object.assign(new Error(told?.message ?? 'The log could not be written'), { code: told?.code })
}
