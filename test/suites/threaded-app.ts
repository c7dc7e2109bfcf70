import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createRpcClient, type RpcClient } from '../../admin/client/rpc-client.ts'
import { createApp } from '../../src/app/app.ts'
import type { App } from '../../src/app/app-type.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { EdgeStart } from '../../src/edges/edge-wire.ts'
import { toTransferred } from '../../src/edges/edge-worker.ts'
import type { Logger } from '../../src/log/log.ts'
import { silentLogger } from '../../src/log/log.ts'

/** A server in this process, whose edge threads a test can end. */
export type ThreadedApp = {
  readonly app: App
  readonly directory: string
  /** Edge threads, in the order they were started. */
  readonly workers: readonly Worker[]
  readonly urls: Readonly<Record<string, string>>
  readonly rpc: RpcClient
  /** Reads the settings again, with these. */
  set(...settings: readonly string[]): void
  close(): Promise<void>
}

const module = new URL('../../src/edges/edge-thread.ts', import.meta.url).href

/** How an edge thread can end without being asked. */
export const endsOfThread = [
  'with what it took',
  'with what it handed over',
  'terminate',
  'exception',
  'memory',
] as const
export type EndOfThread = (typeof endsOfThread)[number]

/** What a thread does to itself when a message on a channel of its number asks for it; then the real thread. */
const mortal = `
  const { MessagePort, threadId } = require('node:worker_threads')
  const { postMessage } = MessagePort.prototype
  const atHandOver = end => {
    MessagePort.prototype.postMessage = function (message, ...rest) {
      const post = () => postMessage.call(this, message, ...rest)
      if (message.ranges?.length > 0) end(post)
      else post()
    }
  }
  const ends = {
    'with what it took': () => atHandOver(() => process.exit(3)),
    'with what it handed over': () => atHandOver(post => { post(); process.exit(3) }),
    exception: () => { throw new Error('a bug') },
    memory: () => { for (const kept = []; ; ) kept.push(Array(1e5).fill({})) },
  }
  const channel = new BroadcastChannel('end of thread ' + threadId)
  channel.onmessage = ({ data }) => setImmediate(ends[data])
  channel.unref()
  import(${JSON.stringify(module)})`

/** An edge thread that {@link endThread} can end. */
export const startEdgeThread = (workerData: EdgeStart): Worker =>
  new Worker(mortal, {
    eval: true,
    workerData,
    transferList: toTransferred(workerData),
    resourceLimits: { maxOldGenerationSizeMb: 96 },
  })

/** Ends it, in the middle of what it does; resolves when it has ended. */
export const endThread = async (worker: Worker, how: EndOfThread): Promise<void> => {
  if (how === 'terminate') return void (await worker.terminate())
  const ended = new Promise(resolve => worker.once('exit', resolve))
  const channel = new BroadcastChannel(`end of thread ${worker.threadId}`)
  channel.postMessage(how)
  channel.close()
  await ended
}

/** @param threads 1: this one takes the connections */
export const openThreadedApp = async (
  threads: number,
  settings: readonly string[] = [],
  { token, logger = silentLogger }: { readonly token?: string; readonly logger?: Logger } = {},
): Promise<ThreadedApp> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-edges-test-'))
  const own = ['server.port=0', 'admin.port=0', 'collector.scribe.port=0', `data.dir=${directory}`]
  const all = [...own, 'collector.diskspool.min-free-bytes=0', `server.threads=${threads}`, ...settings]
  let changed: readonly string[] = []
  const read = () =>
    loadConfig({
      argv: [...all, ...changed].flatMap(setting => ['--set', setting]),
      env: {},
      cwd: '/nowhere',
      readFile: path => {
        throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })
      },
    })
  const workers: Worker[] = []
  const app = await createApp({
    settings: read().settings,
    readSettings: read,
    logger,
    startEdgeThread: start => {
      const worker = startEdgeThread(start)
      workers.push(worker)
      return worker
    },
  })
  const urls = Object.fromEntries((await app.start()).map(({ name, url }) => [name, url]))
  return {
    app,
    directory,
    workers,
    urls,
    rpc: createRpcClient({ url: urls['admin'] ?? '', ...(token === undefined ? {} : { token }) }),
    set: (...next) => {
      changed = next
    },
    close: async () => {
      await app.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
