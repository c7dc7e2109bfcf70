import { onTestFinished } from 'vitest'
import { createRpcClient, type RpcClient } from '../../admin/client/rpc-client.ts'
import { createApp } from '../../src/app/app.ts'
import type { AppParts, Fetch } from '../../src/app/app-type.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { Disk } from '../../src/disk/disk.ts'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import type { Logger } from '../../src/log/log.ts'
import { createMemoryFileSystem } from './memory-filesystem.ts'
import { beatTwice } from './spool.ts'
import { createTearingDisk } from './tearing-disk.ts'

/** The whole server for a test of its management: reached in memory, or through sockets. */
export type TestServer = {
  readonly rpc: RpcClient
  /** The management listener and the other one; paths are completed. */
  readonly admin: (path: string, init?: RequestInit) => Promise<Response>
  readonly server: (path: string, init?: RequestInit) => Promise<Response>
  readonly adminUrl: string
  readonly serverUrl: string
  /** Lines of the log: fields and message. */
  readonly log: readonly (Readonly<Record<string, unknown>> & { readonly msg: string })[]
  /** One heartbeat of the spool. */
  readonly beat: () => Promise<void>
  /** What the management's timer does every five seconds. */
  readonly tick: () => void
  /** Other settings than those of the start, as `key=value`, hold from now on. */
  readonly reload: (...set: readonly string[]) => void
  readonly clock: { ms: number }
  readonly close: () => Promise<void>
}

export type TestServerOptions = {
  /** Settings as `key=value`. */
  readonly set?: readonly string[]
  /** @default in memory */
  readonly transport?: 'fetch' | 'node'
  readonly disk?: Disk
  /** A spool on the disk of this machine, in place of one in memory: other collectors are watched, and threads seal. */
  readonly directory?: string
  readonly fileSystem?: FileSystem
  readonly token?: string
  readonly acceptTicket?: AppParts['acceptTicket']
  /** In place of what starts a process that merges files of tables. */
  readonly startPass?: AppParts['startPass']
  /** Who drives the management's clock. @default by `tick` */
  readonly ticks?: 'byTimer'
  /** What its clock shows first; ms. @default 2026-01-02T03:04:05Z */
  readonly startMs?: number
}

/** The same as {@link createTestServer}, until the test ends. */
export const startTestServer = async (options?: TestServerOptions): Promise<TestServer> => {
  const server = await createTestServer(options)
  onTestFinished(() => server.close())
  return server
}

/** Starts a server whose spool, file system and clock are in memory. */
export const createTestServer = async (options: TestServerOptions = {}): Promise<TestServer> => {
  const { set = [], transport = 'fetch', token, startMs = Date.UTC(2026, 0, 2, 3, 4, 5) } = options
  const lines: (Record<string, unknown> & { msg: string })[] = []
  const write = (fields: Readonly<Record<string, unknown>>, msg: string): void => void lines.push({ ...fields, msg })
  const logger: Logger = { debug: () => {}, info: write, warn: write, error: write }
  // The clock is that of this thread: others have one of their own.
  const place = options.directory === undefined ? [] : [`collector.diskspool.path=${options.directory}`]
  const own = ['server.port=0', 'admin.port=0', 'collector.scribe.port=0', 'server.threads=1', ...place]
  let given = set
  const readSettings = () =>
    loadConfig({
      argv: [...own, 'collector.diskspool.min-free-bytes=0', ...given].flatMap(one => ['--set', one]),
      env: {},
      cwd: '/nowhere',
      readFile: () => {
        throw Object.assign(new Error('no file'), { code: 'ENOENT' })
      },
    })
  const clock = { ms: startMs }
  let beat: () => Promise<void> = async () => {}
  let tick = (): void => {}
  const everyTick = (body: () => void) => {
    tick = body
    return () => {}
  }
  const app = await createApp({
    settings: readSettings().settings,
    readSettings,
    logger,
    fileSystem: options.fileSystem ?? createMemoryFileSystem(),
    ...(options.acceptTicket ? { acceptTicket: options.acceptTicket } : {}),
    ...(options.startPass ? { startPass: options.startPass } : {}),
    ...(options.directory === undefined ? { disk: options.disk ?? createTearingDisk() } : {}),
    now: () => clock.ms,
    random: () => 0.5,
    heartbeat: body => {
      beat = body
      return () => {}
    },
    ...(options.ticks === 'byTimer' ? {} : { everyTick }),
  })
  const listeners = transport === 'node' ? await app.start() : []
  const urlOf = (name: string): string => listeners.find(one => one.name === name)?.url ?? 'http://127.0.0.1'
  const sender =
    (base: string, handle: Fetch) =>
    async (path: string, init?: RequestInit): Promise<Response> => {
      const request = new Request(`${base}${path}`, init)
      return transport === 'node' ? fetch(request) : handle(request)
    }
  const admin = sender(urlOf('admin'), app.adminFetch)
  return {
    rpc: createRpcClient({
      url: urlOf('admin'),
      ...(transport === 'node' ? {} : { fetch: app.adminFetch }),
      ...(token === undefined ? {} : { token }),
    }),
    admin,
    server: sender(urlOf('server'), app.fetch),
    adminUrl: urlOf('admin'),
    serverUrl: urlOf('server'),
    log: lines,
    beat: () => beatTwice(beat),
    tick: () => tick(),
    reload: (...more) => {
      given = [...set, ...more]
      app.reload()
    },
    clock,
    close: () => app.close(),
  }
}

/** A JSON event posted; the status is 202 where it was taken. */
export const postJson = (server: TestServer, body: string): Promise<Response> =>
  server.server('/rest/1.0/event', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
