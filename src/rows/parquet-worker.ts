// node-only: worker threads
import { Worker } from 'node:worker_threads'
import type { AsyncBuffer } from 'hyparquet'
import { FormatError, LimitError } from '../errors.ts'
import { siblingModule } from '../module-url.ts'
import type { ParquetBytes, ParquetReply, ParquetTask } from './parquet-thread.ts'

/** What a file may make the thread take. */
export type ParquetLimits = {
  readonly maxHeapMb: number
  /** How long it may compute without a word; a step takes some seconds at most. */
  readonly maxSilenceMs: number
}

const defaultLimits: ParquetLimits = { maxHeapMb: 512, maxSilenceMs: 20_000 }

/** A thread that decodes Parquet, one task after another; what it takes in memory and time is bounded. */
export type ParquetWorker = {
  /**
   * Gives the answer to a task; bytes of the file are read here.
   * @throws FormatError damage, or more memory or time than a file may take; whatever reading the file throws
   */
  ask(task: ParquetTask, file: AsyncBuffer): Promise<ParquetReply>
  /** False once a task took too much or was left half done: what the thread is at is not known then. */
  readonly isUsable: boolean
  /** Lets go of what it remembers of a file. */
  forget(): void
  close(): Promise<void>
}

/** Starts a thread, which does not keep the process alive while it has nothing to do. */
export const createParquetWorker = (limits: Partial<ParquetLimits> = {}): ParquetWorker => {
  const { maxHeapMb, maxSilenceMs } = { ...defaultLimits, ...limits }
  const worker = new Worker(siblingModule(import.meta.url, 'parquet-thread'), {
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  })
  worker.unref()
  let asked: (PromiseWithResolvers<ParquetReply> & { readonly file: AsyncBuffer }) | undefined
  let timer: NodeJS.Timeout | undefined
  let reads = 0
  let isReady = false
  let isUsable = true
  /** What the file system said, which the thread is not told. */
  let failure: unknown

  const end = (): void => {
    clearTimeout(timer)
    asked = undefined
    worker.unref()
  }
  const fail = (error: Error, canGoOn = false): void => {
    isUsable &&= canGoOn
    asked?.reject(failure ?? error)
    end()
  }
  const watch = (): void => {
    clearTimeout(timer)
    // While it starts no file is to blame; while it waits for bytes the file system says when that takes too long.
    if (isReady && reads === 0 && asked)
      timer = setTimeout(() => fail(fault(`took more than ${maxSilenceMs} ms`)), maxSilenceMs)
  }
  const read = async ({ id, start, end: stop }: ParquetReply & { readonly kind: 'read' }): Promise<void> => {
    reads += 1
    watch()
    let bytes: ArrayBuffer | undefined
    try {
      bytes = await asked?.file.slice(start, stop)
    } catch (error) {
      failure ??= error
    }
    reads -= 1
    watch()
    worker.postMessage({ id, bytes } satisfies ParquetBytes, bytes ? [bytes] : [])
  }
  worker.on('message', (reply: ParquetReply) => {
    if (reply.kind === 'ready') {
      isReady = true
      watch()
    } else if (reply.kind === 'read') void read(reply)
    // Damage is nothing unusual; a read that is still under way belongs to a task that is over, though.
    else if (reply.kind === 'error') fail(toError(reply), reads === 0)
    else {
      asked?.resolve(reply)
      end()
    }
  })
  worker.on('error', (error: NodeJS.ErrnoException) => {
    const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    fail(fault(isMemory ? `took more than ${maxHeapMb} MB of memory` : error.message))
  })
  worker.on('exit', () => fail(fault('the thread that reads it ended')))

  return {
    ask: (task, file) => {
      failure = undefined
      asked = { ...Promise.withResolvers<ParquetReply>(), file }
      const { promise } = asked
      worker.ref()
      watch()
      worker.postMessage(task)
      return promise
    },
    get isUsable() {
      return isUsable
    },
    forget: () => worker.postMessage({ kind: 'forget' } satisfies ParquetTask),
    close: async () => {
      isUsable = false
      await worker.terminate()
    },
  }
}

const fault = (message: string): FormatError => new FormatError('parquet', 0, message)

/** Errors of the other thread come as their text; that of a limit is whole. */
const toError = ({ message, isLimit = false }: ParquetReply & { readonly kind: 'error' }): FormatError =>
  isLimit ? new LimitError('parquet', 0, message.slice('parquet: '.length, -' at byte 0'.length)) : fault(message)
