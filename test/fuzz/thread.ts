import { Worker } from 'node:worker_threads'
import { maxInputBytes } from './mutate.ts'

/** The task of a thread. */
export type ThreadTask = {
  readonly name: string
  readonly seed: number
  readonly cases: number
  /** After which it starts no more cases. */
  readonly seconds: number
  /** The number of the case and its length as 32-bit integers, then its bytes. */
  readonly shared: SharedArrayBuffer
}

/** What is wrong with an input. */
export type Fault = { readonly input: Uint8Array; readonly message: string }

/** What a thread says at its end: the number of cases, and the fault where there is one. */
export type ThreadAnswer = { readonly done: number; readonly fault: Fault | undefined }

/** Where the shared bytes of the input begin. */
export const inputStart = 8

const hangMs = 30_000
const watchMs = 250
const progressMs = 10_000
const maxHeapMb = 1_024
/** Of the whole process: buffers are not on the heap. */
const maxResidentBytes = 3 * 2 ** 30

/**
 * Runs a target in a thread of its own, so that a case which does not end, an exhausted heap and memory beyond a limit
 * are findings, too.
 */
export const runInThread = async (
  task: Omit<ThreadTask, 'shared'>,
  onProgress: (done: number) => void,
): Promise<ThreadAnswer> => {
  const shared = new SharedArrayBuffer(inputStart + maxInputBytes)
  const state = new Int32Array(shared, 0, 2)
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: { ...task, shared } satisfies ThreadTask,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  })
  const toFault = (message: string): ThreadAnswer => ({
    done: Atomics.load(state, 0),
    fault: { input: new Uint8Array(shared, inputStart, Atomics.load(state, 1)).slice(), message },
  })
  const answer = await watch(worker, () => Atomics.load(state, 0), onProgress)
  await worker.terminate()
  return typeof answer === 'string' ? toFault(answer) : answer
}

/** Waits for the answer of the thread, or says why there will be none. */
const watch = (
  worker: Worker,
  count: () => number,
  onProgress: (done: number) => void,
): Promise<ThreadAnswer | string> =>
  new Promise(resolve => {
    let last = -1
    let since = performance.now()
    let told = since
    const timer = setInterval(() => {
      const now = performance.now()
      const done = count()
      if (done !== last) since = now
      last = done
      if (now - told > progressMs) {
        told = now
        onProgress(done)
      }
      if (now - since > hangMs) settle(`The case took more than ${hangMs} ms`)
      const resident = process.memoryUsage.rss()
      if (resident > maxResidentBytes) settle(`The process grew to ${resident} bytes`)
    }, watchMs)
    const settle = (outcome: ThreadAnswer | string): void => {
      clearInterval(timer)
      resolve(outcome)
    }
    worker.on('message', (answer: ThreadAnswer) => settle(answer))
    worker.on('error', (error: unknown) => settle(error instanceof Error ? (error.stack ?? '') : String(error)))
    worker.on('exit', code => settle(`The thread ended with ${code}`))
  })
