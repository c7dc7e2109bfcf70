/** One operation of the WebHDFS REST API at the name nodes: who is asked, how often, and for how long. */
import { isRecord } from '../../is-record.ts'
import { createFailover, type FailoverOptions, messagePrefix } from '../cluster/failover.ts'
import { NotProven } from '../cluster/remote-exception.ts'
import { FileSystemError } from '../filesystem.ts'
import { type Credentials, fixedCredentials, type Proof } from './credentials.ts'
import type { Reply } from './transport/answer.ts'
import { answered } from './transport/answered.ts'
import { type Ask, createAsk } from './transport/ask.ts'
import { maxJsonBytes, readError, readLimited } from './transport/read-limited.ts'
import { parseLocation, parseNode, toNodeUrl } from './transport/url.ts'

export type WebHdfsClientOptions = FailoverOptions & {
  /** `http(s)://host:port` of each name node (or of an HttpFS); the first that answers and is active is remembered. */
  readonly urls: readonly string[]
  /** `user.name`; not sent together with a token. */
  readonly user?: string
  /** Delegation token. */
  readonly token?: string
  /** The caller. @default `user`, or the bearer of `token` */
  readonly credentials?: Credentials
  /** Sent to the name nodes only, never to a data node. */
  readonly headers?: Readonly<Record<string, string>>
  /** How nodes are asked. @default over connections that are kept */
  readonly ask?: Ask
  /** How long a name node may take to answer, and a data node to begin. @default 30 000 */
  readonly timeoutMs?: number
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
  /** The URL of the JSON of a call, or the JSON if the server that was asked has it already. */
  handedOn(call: ClusterCall): Promise<URL | { readonly json: unknown }>
  /** The JSON that a data node has for a call. */
  jsonAt(location: URL, call: ClusterCall): Promise<unknown>
  /** The same client, on behalf of a user. */
  as(user: string): WebHdfsClient
  close(): Promise<void>
}

/** A client of the name nodes: it fails over, retries what may be retried, and never waits without an end. */
export const createWebHdfsClient = (options: WebHdfsClientOptions): WebHdfsClient => {
  const { timeoutMs = 30_000 } = options
  const [first, ...others] = options.urls.map(parseNode)
  if (!first) throw new TypeError('Cannot create a WebHDFS client without a name node')
  const failover = createFailover([first, ...others], ({ host }) => host, options)
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
      // Nothing was done for an unknown user.
      if (isAgain || !credentials.refused(user, proof, error)) throw error
      return await once(node, call, take, true)
    }
  }

  const run = <T>(call: Call, take: (answer: Reply) => Promise<T>): Promise<T> =>
    failover(call, node => once(node, call, take))

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
    const reason = error instanceof Error ? error.message.replace(messagePrefix, '') : String(error)
    const message = `Cannot ${action} "${path}": ${reason}`
    // The cluster's answer about a user. Its objections to this server are not an answer to the caller.
    if (user !== undefined && error instanceof FileSystemError && error.code === 'denied') {
      throw new FileSystemError('denied', path, message, { cause: error.cause })
    }
    throw new FileSystemError('unavailable', path, message, { cause: new NotProven(reason, { cause: error }) })
  }
}

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
  // Read as an empty answer it would be a success.
  throw new FileSystemError('unavailable', path, `Cannot ${action} "${path}": the answer is a redirect`)
}

const parseJson = (text: string, { action, path }: ClusterCall): unknown => {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    const message = `Cannot ${action} "${path}": the answer is not JSON, so the endpoint is not WebHDFS`
    throw new FileSystemError('unavailable', path, message)
  }
}
