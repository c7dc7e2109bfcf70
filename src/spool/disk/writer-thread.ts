// node-only: runs in a worker thread
/**
 * Writes the log. Its calls are synchronous on purpose: on this thread nothing else waits, and an `fdatasync` never
 * queues behind other work of Node's thread pool.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

export type WriterRequest =
  | { readonly id: number; readonly op: 'create'; readonly file: number; readonly path: string }
  | { readonly id: number; readonly op: 'append'; readonly file: number; readonly bytes: Uint8Array }
  | { readonly id: number; readonly op: 'fdatasync' | 'close'; readonly file: number }

export type WriterReply = { readonly id: number } & (
  | { readonly length: number }
  | { readonly error: { readonly message: string; readonly code?: string } }
)

type OpenFile = { readonly fd: number; length: number; failed: Error | undefined }

const files = new Map<number, OpenFile>()

const run = (request: WriterRequest): number => {
  if (request.op === 'create') {
    files.set(request.file, { fd: openSync(request.path, 'ax'), length: 0, failed: undefined })
    return 0
  }
  const file = files.get(request.file)
  if (!file) throw new Error(`File ${request.file} is not open`)
  if (request.op === 'close') {
    files.delete(request.file)
    closeSync(file.fd)
    return file.length
  }
  // A sync that follows a failed append must not make the half of it look safe.
  if (file.failed !== undefined) throw file.failed
  try {
    if (request.op === 'append') {
      for (let done = 0; done < request.bytes.length; ) done += writeSync(file.fd, request.bytes, done)
    } else fdatasyncSync(file.fd)
  } catch (error) {
    file.failed = error as Error
    throw error
  }
  if (request.op === 'append') file.length += request.bytes.length
  return file.length
}

const answer = (request: WriterRequest): WriterReply => {
  try {
    return { id: request.id, length: run(request) }
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return { id: request.id, error: { message, ...(code === undefined ? {} : { code }) } }
  }
}

// Requests that were made together travel together, and so do their replies: a message costs more than a small write.
parentPort?.on('message', (requests: readonly WriterRequest[]) => parentPort?.postMessage(requests.map(answer)))
