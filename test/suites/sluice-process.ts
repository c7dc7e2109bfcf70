import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createNodeDisk } from '../../src/disk/node-disk.ts'
import { readLedger } from '../../src/spool/ledger/ledger.ts'
import type { FoundEvent } from '../foreign/found-event.ts'
import { readEvents } from '../foreign/read-events.ts'
import { listTree, type Store } from '../foreign/store.ts'
import { bundled } from './bundle.ts'
import {
  type CrashRequestOptions,
  maxEvents,
  type RequestKind,
  requestKinds,
  toCrashRequest,
} from './crash-requests.ts'
import { type ClientLedger, createClientLedger, type Verdict } from './ledger-of-client.ts'
import { findEvents } from './marks.ts'
import { ownPort } from './own-port.ts'
import { nodeOptions } from './start-command.ts'

export type SluiceOptions = {
  /** Settings beyond those of {@link createSluice}, as `key=value`. */
  readonly settings?: readonly string[]
  /** Directory in the file system where the events go. @default /events */
  readonly outputDirectory?: string
  /** Home of its data, left behind by `close`. @default a temporary one, removed */
  readonly directory?: string
  /** Variables of its environment beyond those of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** What the events of its load carry besides their numbers. @default nothing */
  readonly toExtra?: CrashRequestOptions['toExtra']
  /** Takes what it prints, a line at a time. */
  readonly onLine?: (line: string) => void
  /** It ended by itself after it had been ready. */
  readonly onCrash?: (code: number | null, signal: NodeJS.Signals | null) => void
}

/** The server as people run it, on a spool and ports of its own, that can be ended the hard way and started again. */
export type Sluice = {
  readonly directory: string
  /** Resolves when it listens. */
  start(): Promise<void>
  /** `kill -9`. */
  kill(): Promise<void>
  /** SIGSTOP, SIGCONT: nothing of it runs, or it continues. */
  pause(): void
  resume(): void
  /** Its listeners' URLs by their names; undefined while it is not ready. */
  readonly urls: () => Readonly<Record<string, string>> | undefined
  /** How it has said that HDFS is spoken to, each change of it: {@link ownProtocol} alone where nothing else was needed. */
  readonly ways: readonly string[]
  /** SIGTERM; resolves to the exit code once it has drained. */
  drain(): Promise<number | null>
  readonly client: ClientLedger
  /** Sends events over this many connections until the returned function is called; continues through kills. */
  load(connections: number): { stop(): Promise<void> }
  /** Resolves when this many more events have been acknowledged. */
  acknowledged(more: number): Promise<void>
  /** The outcome of everything, by what others read in the file system; to be asked when the server has drained. */
  reckon(store: Store): Promise<Reckoning>
  /** Files in our temporary directory. */
  leftOver(store: Store): Promise<readonly string[]>
  /** Ends what runs and removes what was made. */
  close(): Promise<void>
}

export type Reckoning = Verdict & {
  readonly files: number
  /** Events in the file system, and what the spool's ledger says of it. */
  readonly found: number
  readonly flushedByLedger: number
  /** Files that the ledger still has to commit, or has set aside. */
  readonly waiting: number
  /** As {@link Sluice.leftOver} says. */
  readonly leftOver: readonly string[]
}

/** What a server says of HDFS that it speaks to by HDFS' own protocol, for names and bytes. */
export const ownProtocol = 'its own protocol'

/** Small segments, so that sealing and committing never stop while events arrive. */
const defaultSettings = [
  'server.port=0',
  'admin.port=0',
  'collector.scribe.port=0',
  'log.format=json',
  'collector.output.format=jsonl',
  'collector.diskspool.max-segment-bytes=65536',
  'collector.diskspool.flush-interval-seconds=1',
  'collector.diskspool.keep-committed-seconds=1',
  'collector.diskspool.min-free-bytes=0',
]

/** Between two requests of a connection: the machine is for the server, which may be starting, and not for the load. */
const restMs = 5

/** Lines of output that the message of a failed start can draw from. */
const maxKeptLines = 1_000

export const createSluice = async ({
  settings = [],
  outputDirectory = '/events',
  env = {},
  onLine = () => {},
  onCrash = () => {},
  ...options
}: SluiceOptions = {}): Promise<Sluice> => {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'sluice-crash-')))
  const client = createClientLedger()
  const requestOptions: CrashRequestOptions = options.toExtra ? { toExtra: options.toExtra } : {}
  const all = [
    ...defaultSettings,
    `data.dir=${directory}`,
    `collector.event-output-directory=${outputDirectory}`,
    ...settings,
  ]
  const ways: string[] = []
  let child: ChildProcess | undefined
  let listeners: Readonly<Record<string, string>> | undefined

  const start = async (): Promise<void> => {
    const port = await ownPort()
    const own = all.map(setting => (setting === 'server.port=0' ? `server.port=${port}` : setting))
    const args = [...nodeOptions, await bundled('src/main.ts'), ...own.flatMap(setting => ['--set', setting])]
    const started = spawn(process.execPath, args, {
      cwd: directory,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    const lines: string[] = []
    const { promise, resolve: listening, reject } = Promise.withResolvers<Readonly<Record<string, string>>>()
    const keep = (line: string): void => {
      onLine(line)
      const [, way] = /"msg":"hdfs:[^"]* is spoken to by ([^":]*)/.exec(line) ?? []
      if (way !== undefined) ways.push(way)
      lines.push(line)
      if (lines.length > maxKeptLines) lines.splice(0, lines.length / 2)
    }
    createInterface(started.stderr).on('line', keep)
    createInterface(started.stdout).on('line', line => {
      keep(line)
      if (/"msg":"sluice is ready"/.test(line)) listening(toUrls(line))
    })
    started.once('exit', (code, signal) => {
      reject(new Error(`The server ended with ${code ?? signal}:\n${lines.slice(-20).join('\n')}`))
      if (child !== started) return
      child = undefined
      if (listeners) onCrash(code, signal)
      listeners = undefined
    })
    const ready = await promise
    if (child === started) listeners = ready
  }

  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const ending = child
    child = undefined
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return ending?.exitCode ?? null
    const exit = once(ending, 'exit')
    ending.kill(signal)
    if (signal === 'SIGKILL') listeners = undefined
    const [code] = await exit
    listeners = undefined
    return code as number | null
  }

  /** One request; whatever happens to it, only a 202 counts. */
  const send = async (kind: RequestKind): Promise<void> => {
    const to = listeners?.['server']
    if (to === undefined) return
    const events = Array.from({ length: maxEvents(kind) }, () => client.issue())
    try {
      const response = await fetch(toCrashRequest(to, kind, events, requestOptions))
      await response.arrayBuffer()
      if (response.status === 202) client.acknowledge(...events)
    } catch {
      // The server is gone, or has ended the connection.
    }
  }

  const leftOver = (store: Store): Promise<readonly string[]> => listTree(store, `${outputDirectory}/_tmp`)

  return {
    directory,
    client,
    start,
    kill: async () => void (await end('SIGKILL')),
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    urls: () => listeners,
    ways,
    drain: () => end('SIGTERM'),
    load: connections => {
      let isOver = false
      const one = async (_: unknown, index: number): Promise<void> => {
        for (let i = index; !isOver; i++) {
          await send(requestKinds[i % requestKinds.length] ?? 'POST JSON')
          await pause(restMs)
        }
      }
      const all = Promise.all(Array.from({ length: connections }, one))
      return {
        stop: async () => {
          isOver = true
          await all
        },
      }
    },
    acknowledged: async more => {
      const want = client.acknowledged.size + more
      while (client.acknowledged.size < want) await pause(10)
    },
    reckon: async store => {
      const { files, events, unreadable } = await readEvents(store, outputDirectory)
      if (unreadable.length > 0) throw new Error(`Files that cannot be read: ${unreadable.join('; ')}`)
      const found = events.map(toNumber)
      const state = await readLedger(createNodeDisk({ directory: join(directory, '.diskpool') }))
      const records = [...state.files.values()]
      return {
        ...client.compare(found),
        files,
        found: found.length,
        flushedByLedger: state.flushedEvents,
        waiting: records.filter(record => record.state.at !== 'committed').length,
        leftOver: await leftOver(store),
      }
    },
    leftOver,
    close: async () => {
      await end('SIGKILL')
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The number that an event carries; NaN without one. */
const toNumber = ({ fields }: FoundEvent): number => {
  const text = JSON.stringify(fields, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  return findEvents(Buffer.from(text))[0] ?? Number.NaN
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/** The listeners in the line that says the server is ready. */
const toUrls = (line: string): Readonly<Record<string, string>> => {
  const fields = Object.entries(JSON.parse(line) as Readonly<Record<string, unknown>>)
  return Object.fromEntries(fields.flatMap(([name, url]) => (isUrl(url) ? [[name, url]] : [])))
}

const isUrl = (value: unknown): value is string => typeof value === 'string' && /^[a-z]+:\/\//.test(value)
