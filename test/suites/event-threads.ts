import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'
import { type Collector, type CollectorOptions, createCollector } from '../../src/collector/collector.ts'
import type { CollectorSettings } from '../../src/collector/settings.ts'
import type { ExpectedField } from '../../src/collector/validation/field-schema.ts'
import { createEventDesk, type EventDesk } from '../../src/edges/event-desk.ts'
import type { RemoteDoorStart } from '../../src/edges/event-messages.ts'
import type { Batch } from '../../src/spool/batch.ts'
import type { Spool } from '../../src/spool/spool.ts'
import type { CallInit } from '../unit/collector/fakes.ts'

/** What a thread of a test is made of; the settings have no functions. */
export type EventThreadOptions = {
  readonly settings?: Partial<Omit<CollectorSettings, 'clientAddress'>>
  /** Of event types, where events are compared with their schemas. */
  readonly fields?: Readonly<Record<string, readonly ExpectedField[]>>
  readonly refusesMismatches?: boolean
}

export type EventThreadData = EventThreadOptions & { readonly port: MessagePort; readonly start: RemoteDoorStart }

export type AskedOfThread = {
  readonly id: number
  readonly kind: 'get' | 'post'
  /** Target or body. */
  readonly text: string | Uint8Array
  readonly init?: CallInit & { query?: string; type?: string }
  readonly spinMs?: number
}

export type ThreadAnswer = {
  readonly id: number
  /** 0 where there is no answer; the body is the name of the error then. */
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

/** A thread that takes events, as a client sees it. */
export type EventThread = {
  post(body: string | Uint8Array, init?: AskedOfThread['init'], spinMs?: number): Promise<ThreadAnswer>
  get(target: string, init?: CallInit, spinMs?: number): Promise<ThreadAnswer>
  /** Ends it at once. */
  kill(): Promise<void>
}

/** A collector over a spool, whose events come in by threads. */
export type EventThreads = {
  readonly collector: Collector
  readonly forwarded: { readonly batch: Batch; readonly traceparent: string | undefined }[]
  readonly threads: readonly EventThread[]
}

/** Starts so many threads on a spool; they end with the test. */
export const startEventThreads = (
  spool: Spool,
  count: number,
  options: EventThreadOptions = {},
  collectorOptions: Partial<CollectorOptions> = {},
): EventThreads => {
  const collector = createCollector({ spool, edgeThreads: count, ...collectorOptions })
  const forwarded: { batch: Batch; traceparent: string | undefined }[] = []
  const desk = createEventDesk({
    spool,
    collector,
    forward: (batch, context) => void forwarded.push({ batch, traceparent: context?.traceparent }),
  })
  const threads = Array.from({ length: count }, (_, i) => startThread(desk, i + 1, options))
  return { collector, forwarded, threads }
}

const startThread = (desk: EventDesk, row: number, options: EventThreadOptions): EventThread => {
  const { port1, port2: port } = new MessageChannel()
  const { start, disconnect } = desk.connect(port1, row)
  const worker = new Worker(new URL('./event-thread.ts', import.meta.url), {
    workerData: { ...options, port, start } satisfies EventThreadData,
    transferList: [port],
  })
  const asked = new Map<number, (answer: ThreadAnswer) => void>()
  worker.on('message', (answer: ThreadAnswer) => {
    asked.get(answer.id)?.(answer)
    asked.delete(answer.id)
  })
  const ended = new Promise<void>(resolve => {
    worker.once('exit', () => {
      disconnect()
      resolve()
    })
  })
  onTestFinished(async () => void (await worker.terminate()))
  let lastId = 0
  const ask = (asking: Omit<AskedOfThread, 'id'>): Promise<ThreadAnswer> =>
    new Promise(resolve => {
      asked.set(++lastId, resolve)
      worker.postMessage({ id: lastId, ...asking })
    })
  return {
    post: (text, init = {}, spinMs = 0) => ask({ kind: 'post', text, init, spinMs }),
    get: (text, init = {}, spinMs = 0) => ask({ kind: 'get', text, init, spinMs }),
    kill: async () => {
      await worker.terminate()
      await ended
    },
  }
}
