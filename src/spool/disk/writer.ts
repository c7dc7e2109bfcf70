// node-only: worker threads
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { siblingModule } from '../../module-url.ts'
import type { AppendFile } from './disk.ts'
import { type Call, createCaller, handOverBytes, maxCalls } from './hand-over.ts'
import { failure, instead, type WriterData, type WriterFailure, type WriterMessage } from './writer-calls.ts'

/** Shared memories that the thread knows by number: as many as are kept for reuse where requests gather. */
const maxMemories = 8

/** A larger one is hardly met again, and is not held on to. */
const maxMemoryBytes = 1 << 20

/** A thread that does nothing but append to the log and sync it. */
export type Writer = {
  /** Creates a file for appending at an absolute path; rejects when it exists. */
  create(path: string): Promise<AppendFile>
  close(): Promise<void>
}

type Asked = { readonly call: Call; readonly answer: PromiseWithResolvers<number> }

export const createWriter = (): Writer => {
  const memory = new SharedArrayBuffer(handOverBytes)
  const { port1: port, port2 } = new MessageChannel()
  const workerData: WriterData = { memory, port: port2 }
  const worker = new Worker(siblingModule(import.meta.url, 'writer-thread'), { workerData, transferList: [port2] })
  // Idle, the thread must not keep the process alive: the server's sockets and timers decide that.
  worker.unref()
  const handOver = createCaller(memory)
  const memories: ArrayBufferLike[] = []
  let nextMemory = 0
  let nextFile = 0
  /** Not answered yet, oldest first. */
  let asked: Asked[] = []
  let dead: Error | undefined

  const run = async (): Promise<void> => {
    worker.ref()
    while (asked.length > 0) {
      const answers = await handOver(asked.slice(0, maxCalls).map(({ call }) => call))
      for (const [i, { answer }] of asked.splice(0, answers.length).entries()) {
        const length = answers[i] ?? failure
        if (length !== failure) answer.resolve(length)
        else answer.reject(toError(receiveMessageOnPort(port)?.message))
      }
    }
    worker.unref()
  }
  const ask = (call: Call, message?: WriterMessage): Promise<number> => {
    if (dead) return Promise.reject(dead)
    if (message) port.postMessage(message)
    const answer = Promise.withResolvers<number>()
    // Calls that are made together travel together.
    if (asked.push({ call, answer }) === 1) queueMicrotask(() => void run())
    return answer.promise
  }
  const fail = (error: Error): void => {
    dead ??= error
    for (const { answer } of asked) answer.reject(dead)
    asked = []
  }
  worker.on('error', fail)
  worker.on('exit', code => fail(new Error(`The log's writer thread ended with code ${code}`)))

  /** Undefined for what is not to be kept. */
  const toNumber = (buffer: ArrayBufferLike): number | undefined => {
    if (!(buffer instanceof SharedArrayBuffer) || buffer.byteLength > maxMemoryBytes) return undefined
    const number = nextMemory++ % maxMemories
    memories[number] = buffer
    return number
  }
  const append = (file: number, bytes: Uint8Array): Promise<number> => {
    const { buffer, byteOffset, byteLength } = bytes
    const known = memories.indexOf(buffer)
    if (known !== -1) return ask([file, known, byteOffset, byteOffset + byteLength])
    return ask([file, instead.message, 0, 0], { op: 'append', bytes, number: toNumber(buffer) })
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
    close: async () => {
      await worker.terminate()
    },
  }
}

const toError = (told: WriterFailure | undefined): Error =>
  Object.assign(new Error(told?.message ?? 'The log could not be written'), { code: told?.code })
