/** One operation of the WebHDFS REST API at the name nodes: who is asked, how often, and for how long. */
import { setTimeout as wait } from 'node:timers/promises'
import { isRecord } from '../../is-record.ts'
import { throwIfAborted } from '../abortable.ts'
import { FileSystemError } from '../filesystem.ts'
import { type Credentials, fixedCredentials, type Proof } from './credentials.ts'
import { effectOf, isElsewhere, NotProven } from './errors.ts'
import type { Reply } from './transport/answer.ts'
import { answered } from './transport/answered.ts'
import { type Ask, createAsk } from './transport/ask.ts'
import { maxJsonBytes, readError, readLimited } from './transport/read-limited.ts'
import { parseLocation, parseNode, toNodeUrl } from './transport/url.ts'

export type WebHdfsClientOptions = {
  /** `http(s)://host:port` of each name node (or of an HttpFS); the first that answers and is active is remembered. */
  readonly urls: readonly string[]
  /** `user.name`; not sent together with a token. */
  readonly user?: string
  /** Delegation token. */
  readonly token?: string
  /** Who calls. @default `user`, or the bearer of `token` */
  readonly credentials?: Credentials
  /** Sent to the name nodes only, never to a data node. */
  readonly headers?: Readonly<Record<string, string>>
  /** How nodes are asked. @default over connections that are kept */
  readonly ask?: Ask
  /** How long a name node may take to answer, and a data node to begin. @default 30 000 */
  readonly timeoutMs?: number
  /** Rounds through the name nodes after the first one. @default 4 */
  readonly maxRetries?: number
  /** No new attempt begins later than this. @default 60 000 */
  readonly maxRetryMs?: number
  /** Longest wait before the first retry; doubles each time, and is drawn anew from 0. @default 100 */
  readonly backoffMs?: number
  /** @default 2 000 */
  readonly maxBackoffMs?: number
  /** A number from 0 to 1. @default Math.random */
  readonly random?: () => number
  /** Waits; rejects on abort. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
  /** @default Date.now */
  readonly now?: () => number
}

export type ClusterCall = {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly op: string
  /** As `parsePath` returns it. */
  readonly path: string
  /** For messages: `Cannot <action> "<path>"`. */
  readonly action: string
  readonly params?: Readonly<Record<string, string | number | boolean | undefined>>
  /** More of them, of which several may have one name. */
  readonly pairs?: readonly (readonly [name: string, value: string])[]
  /** Whether a second call after one of unknown outcome does no harm and gives the same answer. */
  readonly repeatable: boolean
  /** @default the client's */
  readonly maxRetries?: number
  /** @default the client's */
  readonly timeoutMs?: number
  /** Most bytes of the JSON answer. @default 1 MiB */
  readonly maxBytes?: number
  readonly signal?: AbortSignal | undefined
}

export type WebHdfsClient = {
  /** The answer as JSON; undefined when it is empty. Rejects with `FileSystemError`. */
  json(call: ClusterCall): Promise<unknown>
  /** Where the data of a call are to be sent to or fetched from, or the answer itself where it has them already. */
  redirect(call: ClusterCall): Promise<URL | Reply>
  /** Where the JSON of a call is to be fetched from, or the JSON where whoever was asked has it already. */
  handedOn(call: ClusterCall): Promise<URL | { readonly json: unknown }>
  /** The JSON that a data node has for a call. */
  jsonAt(location: URL, call: ClusterCall): Promise<unknown>
  /** The same client, on behalf of a user. */
  as(user: string): WebHdfsClient
  close(): Promise<void>
}

/** A client of the name nodes: it fails over, retries what may be retried, and never waits without an end. */
export const createWebHdfsClient = (options: WebHdfsClientOptions): WebHdfsClient => {
  const { timeoutMs = 30_000, maxRetryMs = 60_000, backoffMs = 100, maxBackoffMs = 2_000 } = options
  const { random = Math.random, sleep = sleepFor, now = Date.now } = options
  const nodes = options.urls.map(parseNode)
  const [first] = nodes
  if (!first) throw new TypeError('Cannot create a WebHDFS client without a name node')
  let active = 0
  const own = createAsk()
  const { ask = own.ask, credentials = fixedCredentials(options) } = options

  const once = async <T>(node: URL, call: Call, take: (answer: Reply) => Promise<T>, isAgain = false): Promise<T> => {
    const { user } = call
    const proof = await prove(credentials, node, call)
    const headers = { ...options.headers, ...proof.headers }
    try {
      const asked = ask(toNodeUrl(node, call, proof.params), { method: call.method, headers })
      return await answered(asked, { timeoutMs, ...call, peer: `name node ${node.host}` }, take)
    } catch (error) {
      // Nothing was done for somebody who is not known.
      if (isAgain || !credentials.refused(user, proof, error)) throw error
      return await once(node, call, take, true)
    }
  }

  const run = async <T>(call: Call, take: (answer: Reply) => Promise<T>): Promise<T> => {
    const { maxRetries = options.maxRetries ?? 4, signal, path, repeatable } = call
    const last = (maxRetries + 1) * nodes.length - 1
    const deadline = now() + maxRetryMs
    const problems = new Map<string, FileSystemError>()
    for (let attempt = 0; ; attempt++) {
      throwIfAborted(signal, path)
      const index = active
      const { host } = nodes[index] ?? first
      try {
        return await once(nodes[index] ?? first, call, take)
      } catch (error) {
        if (!(error instanceof FileSystemError)) throw error
        throwIfAborted(signal, path)
        problems.set(host, error)
        const effect = effectOf(error)
        const elsewhere = effect !== 'final' && isElsewhere(error)
        // Unless another call has moved on already.
        if (elsewhere && active === index) active = (index + 1) % nodes.length
        if (effect === 'final' || (effect === 'unknown' && !repeatable)) throw error
        if (attempt >= last || now() >= deadline) throw withOthers(error, host, problems)
        // The other nodes are asked at once; only a whole round without success is worth a wait.
        const round = Math.floor(attempt / nodes.length)
        const isRoundOver = !elsewhere || (attempt + 1) % nodes.length === 0
        if (isRoundOver) await sleep(random() * Math.min(maxBackoffMs, backoffMs * 2 ** round), signal)
      }
    }
  }

  const actFor = (user: string | undefined): WebHdfsClient => ({
    json: call => run({ ...call, user }, answer => readJson(answer, call)),
    redirect: call =>
      run({ ...call, user }, async answer => {
        const target = await redirected(answer, call)
        if (target || !answer.headers['content-type']?.startsWith('application/json')) return target ?? answer
        // A name node that was asked, or set up, not to redirect.
        return parseLocation(locationOf(await readJson(answer, call)), call)
      }),
    handedOn: call =>
      run({ ...call, user }, async answer => {
        const target = await redirected(answer, call)
        if (target) return target
        const json = await readJson(answer, call)
        const location = locationOf(json)
        return location === undefined ? { json } : parseLocation(location, call)
      }),
    jsonAt: (location, call) =>
      answered(ask(location, { method: 'GET' }), { timeoutMs, ...call, peer: `data node ${location.host}` }, answer =>
        readJson(answer, call),
      ),
    as: actFor,
    close: () => own.close(),
  })
  return actFor(undefined)
}

/** A call, and on whose behalf. */
type Call = ClusterCall & { readonly user: string | undefined }

/** Says who calls. Where that cannot be said nothing was sent. */
const prove = async (credentials: Credentials, { hostname }: URL, { user, action, path }: Call): Promise<Proof> => {
  try {
    return await credentials.of(user, hostname)
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(prefix, '') : String(error)
    const message = `Cannot ${action} "${path}": ${reason}`
    // The cluster's answer about a user. What it has against this server is not an answer to whoever calls.
    if (user !== undefined && error instanceof FileSystemError && error.code === 'denied') {
      throw new FileSystemError('denied', path, message, { cause: error.cause })
    }
    throw new FileSystemError('unavailable', path, message, { cause: new NotProven(reason, { cause: error }) })
  }
}

/** Says of every name node that was asked what it answered, and not only of the last one. */
const withOthers = (
  error: FileSystemError,
  host: string,
  problems: ReadonlyMap<string, FileSystemError>,
): FileSystemError => {
  const others = [...problems].filter(([other]) => other !== host).map(([, { message }]) => message.replace(prefix, ''))
  if (others.length === 0) return error
  const message = [error.message, ...others].join('; ')
  return new FileSystemError(error.code, error.path, message, { cause: error.cause })
}

/** What a message begins with, whichever name node it is about. */
const prefix = /^Cannot [^"]*"[^"]*": /

/** Where a redirect leads. */
const redirected = async ({ status, headers, body }: Reply, call: ClusterCall): Promise<URL | undefined> => {
  if (status < 300 || headers['location'] === undefined) return undefined
  await readError(body)
  return parseLocation(headers['location'], call)
}

const locationOf = (json: unknown): unknown => (isRecord(json) ? json['Location'] : undefined)

const readJson = async ({ status, body }: Reply, call: ClusterCall): Promise<unknown> => {
  const { action, path, maxBytes = maxJsonBytes } = call
  const json = parseJson(await readLimited(body, maxBytes), call)
  if (status < 300) return json
  // Taken for an empty answer it would be a success.
  throw new FileSystemError('unavailable', path, `Cannot ${action} "${path}": the answer is a redirect`)
}

const parseJson = (text: string, { action, path }: ClusterCall): unknown => {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    const message = `Cannot ${action} "${path}": the answer is not JSON, so this is not WebHDFS`
    throw new FileSystemError('unavailable', path, message)
  }
}

/** The next attempt sees the abort. */
const sleepFor = (ms: number, signal?: AbortSignal): Promise<void> =>
  wait(ms, undefined, signal ? { signal } : {}).catch(() => {})
