// node-only: runs as a child process
import { writeFileSync } from 'node:fs'
import { constants, performServerHandshake, type ServerHttp2Stream } from 'node:http2'
import { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { stdSerializers } from 'pino'
import type { ToBodyOptions } from '../gateway/context.ts'
import type { Read, Reads } from '../gateway/reads.ts'
import type { Logger, LogMethod } from '../log/log.ts'
import { createDrainedSocket } from './drained-socket.ts'
import {
  endTrailer,
  errorHeader,
  printError,
  type ReaderNews,
  type ReaderStart,
  type ReadRequest,
  toCall,
  wholeEnd,
} from './wire.ts'

/** What is one for all processes, as a reader has it. */
export type Outside = {
  readonly logger: Logger
  readonly onUpstream: (ms: number) => void
  /** Hears of a file before it is read as rows. */
  readonly onOpen: (path: string) => void
}

/** The descriptor that the server opened for its reader. */
const socketFd = 4

/** Times are told together, at most this often, in ms. */
const tellEveryMs = 200

/**
 * Makes this process a reader: it answers reads until the server is gone or asks it to end. Signals that a terminal or a
 * service manager sends to all processes are left to the server, which lets what goes on come to its end.
 * @param compose makes what answers, of what the server says at the start
 */
export const serveReads = <Setup>(compose: (setup: Setup, outside: Outside) => Promise<Reads>): void => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  process.once('disconnect', () => process.exit(0))
  offerToBeKilledFirst()
  process.once('message', (message: unknown) => {
    // The server's word, of the same version.
    const { setup, tellsFiles } = message as ReaderStart<Setup>
    // All that is said later is a `ReaderPing`.
    process.on('message', () => tell({ kind: 'pong' }))
    compose(setup, {
      logger: { debug: logAs('debug'), info: logAs('info'), warn: logAs('warn'), error: logAs('error') },
      onUpstream: createUpstreamTeller(),
      onOpen: tellsFiles ? path => tell({ kind: 'opens', path }) : () => {},
    }).then(listen, (error: unknown) => {
      tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
      process.disconnect()
    })
  })
}

const tell = (news: ReaderNews): void => {
  if (process.connected) process.send?.(news, () => {})
}

/** Where the system lacks memory it is better to lose a read than what takes events. */
const offerToBeKilledFirst = (): void => {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Other systems have no such thing.
  }
}

const logAs =
  (level: keyof Logger): LogMethod =>
  (fields, message) => {
    const { err } = fields
    const plain = err instanceof Error ? { ...fields, err: stdSerializers.errWithCause(err) } : fields
    tell({ kind: 'log', level, fields: plain, message })
  }

const createUpstreamTeller = (): Outside['onUpstream'] => {
  let times: number[] = []
  return ms => {
    if (times.push(ms) > 1) return
    setTimeout(() => {
      tell({ kind: 'upstream', ms: times })
      times = []
    }, tellEveryMs)
  }
}

const listen = (reads: Reads): void => {
  const session = performServerHandshake(createDrainedSocket(new Socket({ fd: socketFd })), {
    maxSessionMemory: 1_024,
    settings: { enableConnectProtocol: false },
  })
  session.on('error', () => {})
  session.on('stream', stream => {
    stream.on('error', () => {})
    void answer(reads, stream)
  })
  tell({ kind: 'ready' })
}

const answer = async (reads: Reads, stream: ServerHttp2Stream): Promise<void> => {
  const aborter = new AbortController()
  stream.once('close', () => aborter.abort(new DOMException('The client went away', 'AbortError')))
  try {
    const request = JSON.parse(await text(stream)) as ReadRequest
    // The contract has checked the parameters for this operation, in the process that serves.
    const read = reads[request.read] as unknown as Read<never>
    const call = toCall(request, aborter.signal) as Parameters<typeof read>[0]
    await send(stream, await read(call, toBodyOptions))
  } catch (error) {
    if (stream.destroyed) return
    if (stream.headersSent) return stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    stream.respond({ ':status': 500, [errorHeader]: '1' })
    stream.end(printError(error))
  }
}

/** How a body ends is told by the trailer. */
const toBodyOptions: ToBodyOptions = (_, stop) => ({ stop: () => stop.abort() })

const send = async (stream: ServerHttp2Stream, { status, headers, body }: Response): Promise<void> => {
  const head = { ':status': status, ...Object.fromEntries(headers) }
  if (stream.destroyed) return await body?.cancel()
  if (body === null) return stream.respond(head, { endStream: true })
  let end = wholeEnd
  stream.respond(head, { waitForTrailers: true })
  stream.once('wantTrailers', () => stream.sendTrailers({ [endTrailer]: end }))
  const reader = body.getReader()
  stream.once('close', () => void reader.cancel().catch(() => {}))
  try {
    for (let next = await reader.read(); !next.done && !stream.destroyed; next = await reader.read()) {
      if (!stream.write(next.value)) await drained(stream)
    }
  } catch (error) {
    end = encodeURIComponent(printError(error))
  }
  stream.end()
}

/** Resolves when more can be written, and also when nothing can be any more. */
const drained = (stream: ServerHttp2Stream): Promise<void> =>
  new Promise(resolve => {
    const done = (): void => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.once('drain', done).once('close', done)
  })
