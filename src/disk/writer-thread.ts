// node-only: runs in a worker thread
/**
 * Writes the log. Its calls are synchronous on purpose: on this thread nothing else waits, and an `fdatasync` never
 * queues behind other work of Node's thread pool.
 */
import { closeSync, fdatasyncSync, fstatSync, openSync, writeSync } from 'node:fs'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { createCallee } from './hand-over.ts'
import { restoreFile } from './restore-file.ts'
import {
  failure,
  instead,
  type WriterData,
  type WriterFailure,
  type WriterMessage,
  type WriterNews,
} from './writer-calls.ts'

type OpenFile = { fd: number; readonly path: string; length: number; failed: Error | undefined }

const { memory, port } = workerData as WriterData
const files = new Map<number, OpenFile>()
const memories = new Map<number, ArrayBufferLike>()

const run = ([number = 0, place = 0, start = 0, end = 0]: Float64Array): number => {
  if (place === instead.message) return runMessage(number)
  if (place === instead.sync) return change(number, ({ fd }) => fdatasyncSync(fd))
  return change(number, file => {
    const known = memories.get(place)
    if (!known) throw new Error(`Memory ${place} is not known`)
    append(file, new Uint8Array(known, start, end - start))
  })
}

const runMessage = (number: number): number => {
  const message: WriterMessage | undefined = receiveMessageOnPort(port)?.message
  switch (message?.op) {
    case 'create':
      files.set(number, { fd: openSync(message.path, 'ax+'), path: message.path, length: 0, failed: undefined })
      return 0
    case 'append':
      if (message.number !== undefined) memories.set(message.number, message.bytes.buffer)
      return change(number, file => append(file, message.bytes))
    case 'close': {
      const { fd, length } = toOpen(number)
      files.delete(number)
      closeSync(fd)
      return length
    }
    default:
      throw new Error('A call came without its message')
  }
}

/** A sync that follows a failed append must not make the half of it look safe. */
const change = (number: number, call: (file: OpenFile) => void): number => {
  const file = toOpen(number)
  if (file.failed !== undefined) throw file.failed
  try {
    call(file)
  } catch (error) {
    file.failed = error as Error
    throw error
  }
  return file.length
}

const toOpen = (number: number): OpenFile => {
  const file = files.get(number)
  if (!file) throw new Error(`File ${number} is not open`)
  return file
}

const append = (file: OpenFile, bytes: Uint8Array): void => {
  // Deleting an open file must lose neither what was acknowledged, nor what is acknowledged from now on.
  if (fstatSync(file.fd).nlink === 0) {
    const { fd, path } = restoreFile(file)
    file.fd = fd
    parentPort?.postMessage({ restored: path, bytes: file.length } satisfies WriterNews)
  }
  for (let done = 0; done < bytes.length; ) done += writeSync(file.fd, bytes, done)
  file.length += bytes.length
}

const answer = (call: Float64Array): number => {
  try {
    return run(call)
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    port.postMessage({ message, ...(code === undefined ? {} : { code }) } satisfies WriterFailure)
    return failure
  }
}

const serve = createCallee(memory)
for (;;) serve(answer)
