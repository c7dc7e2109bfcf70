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

const module = new URL('../../src/edges/edge-thread.ts', import.meta.url)

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
  const startEdgeThread = (workerData: EdgeStart): Worker => {
    const worker = new Worker(module, { workerData, transferList: toTransferred(workerData) })
    workers.push(worker)
    return worker
  }
  const app = await createApp({ settings: read().settings, readSettings: read, logger, startEdgeThread })
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
