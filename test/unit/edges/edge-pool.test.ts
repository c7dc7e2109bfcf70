import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createEdgePool, type EdgePoolOptions } from '../../../src/edges/edge-pool.ts'
import type { EdgeStart, EdgeState } from '../../../src/edges/edge-wire.ts'
import { type EdgeWorker, startEdgeWorker } from '../../../src/edges/edge-worker.ts'
import { silentLogger } from '../../../src/log/log.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A pool of threads that are nothing but promises. */
const start = async (count: number, options: Partial<EdgePoolOptions> = {}) => {
  const onLost = vi.fn()
  const error = vi.fn()
  const pool = createEdgePool({
    count,
    // It is not used.
    state: {} as EdgeState,
    logger: { ...silentLogger, error },
    onEnd: () => {},
    isSameCode: async () => true,
    onLost,
    ...options,
  })
  const threads: { readonly row: number; readonly listen: () => void; readonly end: (why: string) => void }[] = []
  const open = (row: number): EdgeWorker => {
    const listening = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<string>()
    listening.promise.catch(() => {})
    const end = (why: string): void => {
      listening.reject(new Error(why))
      ended.resolve(why)
    }
    threads.push({ row, listen: () => listening.resolve(), end })
    return {
      listening: listening.promise,
      ended: ended.promise,
      set: () => {},
      inForce: async () => {},
      drain: () => {},
      end,
    }
  }
  const starting = pool.start(open)
  for (const { listen } of threads) listen()
  await starting
  const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)
  await pass(0)
  return { pool, threads, pass, onLost, error }
}

describe('no thread that can start', () => {
  test('is retried, ever more rarely, and then the server ends', async () => {
    const { pool, threads, pass, onLost, error } = await start(1)
    threads[0]?.end('a bug')
    await pass(0)
    const waits: number[] = []
    for (let failed = 0; failed < 8; failed++) {
      expect(onLost).not.toHaveBeenCalled()
      expect(threads).toHaveLength(2 + failed)
      threads.at(-1)?.end('no room')
      await pass(0)
      let waited = 0
      for (; threads.length < 3 + failed && waited < 20_000; waited += 500) await pass(500)
      waits.push(waited)
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 20_000])
    expect(onLost).toHaveBeenCalledTimes(1)
    expect(error.mock.lastCall).toEqual([
      { thread: 1, reason: 'no room' },
      'no edge thread can start (8 attempts): the server exits to be restarted',
    ])
    expect(pool.figures).toMatchObject({ living: 0, ended: 9, lastEnd: 'no room', isReplacing: true })
  })

  test('of several is counted over all of them, and the server ends once', async () => {
    const { threads, pass, onLost } = await start(3)
    const endAll = async (): Promise<void> => {
      for (const { end } of threads) end('no room')
      await pass(10_000)
    }
    await endAll()
    for (let i = 0; i < 7; i++) await endAll()
    expect(onLost).not.toHaveBeenCalled()
    await endAll()
    expect(onLost).toHaveBeenCalledTimes(1)
    const { length } = threads
    await pass(60_000)
    expect(threads).toHaveLength(length)
  })

  test('is retried endlessly while another one works', async () => {
    const { threads, pass, onLost } = await start(2)
    const failFirst = async (): Promise<void> => {
      for (const { row, end } of threads) if (row === 1) end('no room')
      await pass(10_000)
    }
    for (let i = 0; i < 40; i++) await failFirst()
    expect(threads).toHaveLength(2 + 40)
    threads[1]?.end('a bug')
    await pass(0)
    await failFirst()
    expect(onLost).not.toHaveBeenCalled()
  })

  test('counts from the last one that could', async () => {
    const { threads, pass, onLost } = await start(1)
    for (let i = 0; i < 30; i++) {
      threads.at(-1)?.end('no room')
      await pass(10_000)
      if (i % 5 === 0) threads.at(-1)?.listen()
      await pass(0)
    }
    expect(onLost).not.toHaveBeenCalled()
  })
})

test('a thread that ends while the code is looked at is not counted as living', async () => {
  const looked = Promise.withResolvers<boolean>()
  let looks = 0
  const isSameCode = async (): Promise<boolean> => (++looks === 2 ? looked.promise : true)
  const { pool, threads, pass } = await start(1, { isSameCode })
  threads[0]?.end('a bug')
  await pass(0)
  threads[1]?.listen()
  await pass(0)
  threads[1]?.end('another one')
  await pass(0)
  looked.resolve(true)
  await pass(0)
  expect(pool.figures).toMatchObject({ living: 0, ended: 2 })
})

test('none starts when the server drains while the code is looked at', async () => {
  const looked = Promise.withResolvers<boolean>()
  const { pool, threads, pass, onLost } = await start(1, { isSameCode: () => looked.promise })
  threads[0]?.end('a bug')
  await pass(0)
  pool.drain()
  looked.resolve(false)
  await pass(60_000)
  expect(threads).toHaveLength(1)
  expect(onLost).not.toHaveBeenCalled()
})

test('a thread that takes turns, and no connections, is ended', async () => {
  vi.useRealTimers()
  const code = `const { parentPort } = require('node:worker_threads')
    parentPort.on('message', () => {})
    setInterval(() => parentPort.postMessage({ kind: 'present' }), 5)`
  const worker = startEdgeWorker({
    // That code does not look at it.
    start: {} as EdgeStart,
    logger: silentLogger,
    maxSilenceMs: 50,
    startThread: () => new Worker(code, { eval: true }),
  })
  onTestFinished(() => worker.end('the test is over'))
  await expect(worker.listening).rejects.toThrow('it took no connections within 300 ms of its start')
  expect(await worker.ended).toBe('it took no connections within 300 ms of its start')
})
