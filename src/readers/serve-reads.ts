// node-only: runs as a child process
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { TokensOf } from '../filesystem/name-space.ts'
import type { ToBodyOptions } from '../gateway/context.ts'
import type { Read, Reads } from '../gateway/reads.ts'
import type { Logger } from '../log/log.ts'
import { createSendingLogger } from '../log/log-line.ts'
import { offerToBeKilledFirst } from '../runtime/step-back.ts'
import { startTimeout } from '../runtime/timers.ts'
import { inTraceOf } from '../tracing/current-trace.ts'
import { firstWindowBytes } from './answer.ts'
import { createFrameReader, type FrameKind, writeFrame } from './frames.ts'
import { createRemoteTokens } from './remote-tokens.ts'
import { isSuspect, type OpenedFile, toVersion } from './suspicion.ts'
import { printError, type ReaderNews, type ReaderStart, type ReaderWord, type ReadRequest, toCall } from './wire.ts'

/** What is one for all processes, as a reader has it. */
export type Outside = {
  readonly logger: Logger
  readonly onUpstream: (ms: number) => void
  /** Hears of a file before it is opened as rows. */
  readonly onOpen: (path: string) => void
  /** Hears of it before its rows are read, which have to wait for this. @throws when they are read elsewhere */
  readonly onOpened: (file: OpenedFile) => Promise<void>
  /** With which clusters with Kerberos are called. */
  readonly tokensOf: TokensOf
}

/** Times are reported together, at most this often, in ms. */
const tellEveryMs = 200

/**
 * Makes this process a reader: it answers reads until the server is gone or asks it to end. Signals that a terminal or
 * a service manager sends to all processes are left to the server, which lets active reads finish.
 * @param compose makes what answers, from the server's first message
 */
export const serveReads = <Setup>(compose: (setup: Setup, outside: Outside) => Promise<Reads>): void => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  process.once('disconnect', () => process.exit(0))
  offerToBeKilledFirst()
  process.once('message', (message: unknown) => {
    // The server's word, of the same version.
    const { setup, tellsFiles } = message as ReaderStart<Setup>
    const tokens = createRemoteTokens(tell)
    process.on('message', later => {
      const word = later as ReaderWord
      if (word === 'ping') tell({ kind: 'pong' })
      else tokens.onAnswer(word)
    })
    compose(setup, {
      logger: createSendingLogger(line => tell({ kind: 'log', ...line })),
      onUpstream: createUpstreamTeller(),
      tokensOf: tokens.of,
      onOpen: tellsFiles ? path => tell({ kind: 'opens', path }) : () => {},
      onOpened: tellsFiles ? async () => {} : suspect,
    })
      .then(listen)
      .catch((error: unknown) => {
        tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
        process.disconnect()
      })
  })
}

const tell = (news: ReaderNews): void => {
  if (process.connected) process.send?.(news, () => {})
}

const createUpstreamTeller = (): Outside['onUpstream'] => {
  let times: number[] = []
  return ms => {
    if (times.push(ms) > 1) return
    startTimeout(() => {
      tell({ kind: 'upstream', ms: times })
      times = []
    }, tellEveryMs)
  }
}

/** Without a read for this long, in ms, memory goes back to the system; the engine alone keeps what a crowd of reads took. */
const quietMs = 2_000

const giveBackMemory = (): void => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })

/** An active answer. */
type Going = {
  readonly aborter: AbortController
  window: number
  onGrant: () => void
  /** Asks whether a file is to be read here; undefined once the answer has begun, or is over. */
  ask: ((version: string) => Promise<void>) | undefined
  onTrust: () => void
}

const goings = new AsyncLocalStorage<Going>()

/** What unfolds far beyond its size may end this process, and what others read with it: it is tried elsewhere first. */
const suspect = async (file: OpenedFile): Promise<void> => {
  if (isSuspect(file)) await goings.getStore()?.ask?.(toVersion(file))
}

const createGoing = (send: Send): Going => {
  const going: Going = {
    aborter: new AbortController(),
    window: firstWindowBytes,
    onGrant: () => {},
    ask: async version => {
      const { signal } = going.aborter
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const abort = (): void => reject(signal.reason)
      const before = going.onTrust
      going.onTrust = () => {
        before()
        resolve()
      }
      signal.addEventListener('abort', abort)
      send('suspect', Buffer.from(version))
      await promise.finally(() => signal.removeEventListener('abort', abort))
    },
    onTrust: () => {},
  }
  return going
}

/** Listens for the server, where only its user may look, until it has connected. */
const listen = (reads: Reads): void => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-'))
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\${basename(directory)}` : join(directory, 'reads')
  const remove = (): void => rmSync(directory, { recursive: true, force: true })
  process.once('exit', remove)
  const listener = createServer(socket => {
    listener.close()
    remove()
    serve(socket, reads)
  })
  listener.listen(path, () => tell({ kind: 'ready', path }))
}

const serve = (socket: Socket, reads: Reads): void => {
  const going = new Map<number, Going>()
  let quiet: ReturnType<typeof startTimeout> | undefined
  socket.on('error', () => process.exit(0))
  socket.on(
    'data',
    createFrameReader((kind, read, payload) => {
      const known = going.get(read)
      if (kind === 'ask') {
        const request = JSON.parse(payload.toString()) as ReadRequest
        const trace = { header: (name: string) => request.headers[name] }
        const send: Send = (kind, payload) => writeFrame(socket, kind, read, payload)
        const started = createGoing(send)
        going.set(read, started)
        clearTimeout(quiet)
        const serve = (): Promise<void> => goings.run(started, () => answer(reads, request, started, send))
        void inTraceOf(trace, serve).finally(() => {
          started.ask = undefined
          going.delete(read)
          if (going.size === 0) quiet = startTimeout(giveBackMemory, quietMs)
        })
      } else if (kind === 'grant' && known) {
        known.window += payload.readUInt32LE(0)
        known.onGrant()
      } else if (kind === 'trust') known?.onTrust()
      else if (kind === 'cancel') known?.aborter.abort(new DOMException('The client disconnected', 'AbortError'))
    }),
  )
}

type Send = (kind: FrameKind, payload?: Uint8Array) => void

const answer = async (reads: Reads, request: ReadRequest, going: Going, send: Send): Promise<void> => {
  try {
    // The contract has checked the parameters for this operation, in the process that serves.
    const read = reads[request.read] as unknown as Read<never>
    const call = toCall(request, going.aborter.signal) as Parameters<typeof read>[0]
    const { status, headers, body } = await read(call, toBodyOptions)
    send('head', Buffer.from(JSON.stringify({ status, headers: [...headers] })))
    if (body) await sendBody(body, going, send)
    send('end')
  } catch (error) {
    send('error', Buffer.from(printError(error)))
  }
}

/** The server of the answer sees its end in the frames. */
const toBodyOptions: ToBodyOptions = (_, stop) => ({ stop: () => stop.abort() })

const sendBody = async (body: ReadableStream<Uint8Array>, going: Going, send: Send): Promise<void> => {
  const { signal } = going.aborter
  const reader = body.getReader()
  const stop = (): void => {
    going.onGrant()
    void reader.cancel().catch(() => {})
  }
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  for (let next = await reader.read(); !next.done && !signal.aborted; next = await reader.read()) {
    going.ask = undefined
    // A body may be one piece: its reader holds no more of it than the window, and a part.
    for (let at = 0; at < next.value.length && !signal.aborted; at += firstWindowBytes) {
      const part = next.value.subarray(at, at + firstWindowBytes)
      send('chunk', part)
      going.window -= part.length
      while (going.window <= 0 && !signal.aborted) {
        await new Promise<void>(resolve => {
          going.onGrant = resolve
        })
      }
    }
  }
}
