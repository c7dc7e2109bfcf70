/**
 * A proxy between the server and HDFS, in front of the name node and the data node, that does to their HTTP what
 * networks and busy clusters do. A redirect to the data node is rewritten, so that the bytes pass here too.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http'
import { findFreePorts } from '../../scripts/free-ports.ts'

/** What happens to requests, until it is said otherwise. */
export type NetworkFault =
  | 'none'
  /** Answered by a name node that is not the active one. */
  | 'standby'
  /** Of a call by HDFS' own protocol: an exception that says nothing, and that the name node is busy. */
  | 'HTTP 500'
  | 'HTTP 503'
  /** Taken, and never answered. */
  | 'time-out'
  /** Carried out, and the answer cut off. */
  | 'lost reply'
  /** The client's connection breaks first, then the request is carried out. */
  | 'late request'
  /** Broken after the first bytes. */
  | 'cut upload'
  /** No connection is made, and those that there were break. */
  | 'partition'

/** Which requests meet a fault. */
export type Aim = {
  /** Of those that could, 0 to 1. @default 1 */
  readonly share?: number
  /** One operation of WebHDFS, at name node and data node. @default all */
  readonly operation?: string | undefined
}

/** The proxy of a cluster, for one of the ways to speak to it. */
export type NetworkProxy = {
  /** For the setting that says where the cluster is. */
  readonly url: string
  /** From now on, and instead of what was before. */
  set(fault: NetworkFault, aim?: Aim): Promise<void>
  /** Requests and connections that met a fault so far; a partition counts as one, it is not known whom it stops. */
  readonly hits: number
  /** Requests so far at the name node, whatever became of them; except those about tokens by WebHDFS. */
  readonly calls: number
  close(): Promise<void>
}

/** Before WebHDFS. */
export type FaultProxy = NetworkProxy & {
  /** Requests so far at the data node. */
  readonly transfers: number
}

/** A request of an early client is carried out so much later, at most. */
const longestDelayMs = 1_500

/** Sees what passes the proxy. */
export type Witness = {
  /** A request has come, whatever happens to it. */
  asked(request: IncomingMessage): void
  /** It was answered by its node. */
  answered(request: IncomingMessage, status: number): void
}

/** What is behind the proxy. */
export type Dialect = {
  /** Whether a request is part of an operation of a commit, by the name that it has in WebHDFS. */
  readonly isOf: (request: IncomingMessage, operation: string) => boolean
  /** Whether it brings bytes of a file. */
  readonly isUpload: (request: IncomingMessage) => boolean
  /** Whether requests are signed with the host that they were sent to. @default false */
  readonly keepsHost?: boolean
  /** What is said with a status of 500 or 503. */
  readonly textOf: (status: number) => string
}

const webHdfs: Dialect = {
  isOf: ({ url = '' }, operation) => new RegExp(`[?&]op=${operation}(&|$)`).test(url),
  // Only a data node takes uploads.
  isUpload: ({ method, url = '' }) => method === 'PUT' && dataNodePath.test(url),
  textOf: status => (status === 500 ? 'Something went wrong' : 'Come back later'),
}

export type FaultProxyOptions = {
  /** What callers call it by: the name of the service in their tickets. @default `127.0.0.1` */
  readonly host?: string
  readonly witness?: Witness
  /** What of requests it has to know. @default that of WebHDFS */
  readonly dialect?: Dialect
  /** @default Math.random */
  readonly random?: () => number
}

type Meeting = (incoming: IncomingMessage, response: ServerResponse) => void

/** Starts it before the name node at `http://host:port`. */
export const startFaultProxy = async (nameNodeUrl: string, options: FaultProxyOptions = {}): Promise<FaultProxy> => {
  const { host = '127.0.0.1', random = Math.random, witness, dialect = webHdfs } = options
  const [port = 0] = await findFreePorts(1)
  const url = `http://${host}:${port}`
  const held = new Set<ServerResponse>()
  const late = new Set<NodeJS.Timeout>()
  let fault: NetworkFault = 'none'
  let aim: Aim = {}
  let hits = 0
  let calls = 0
  let transfers = 0

  /** Forwards a request and returns its answer, or breaks the connection if there is no answer. */
  const pass = (incoming: IncomingMessage, response: ServerResponse): void => {
    const upstream = sendUpstream(incoming, nameNodeUrl, dialect)
    upstream.on('error', () => response.destroy())
    upstream.on('response', answer => {
      witness?.answered(incoming, answer.statusCode ?? 502)
      response.writeHead(answer.statusCode ?? 502, toHeaders(answer, url))
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    response.on('close', () => upstream.destroy())
    incoming.pipe(upstream)
  }
  const loseReply = (incoming: IncomingMessage, response: ServerResponse): void => {
    const upstream = sendUpstream(incoming, nameNodeUrl, dialect)
    upstream.on('error', () => response.destroy())
    upstream.on('response', answer => answer.resume().on('close', () => response.destroy()))
    incoming.pipe(upstream)
  }
  const carryOutLate = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await incoming.toArray())
    response.destroy()
    const timer = setTimeout(() => {
      late.delete(timer)
      const upstream = sendUpstream(incoming, nameNodeUrl, dialect)
      upstream.on('error', () => {}).on('response', answer => answer.resume())
      upstream.end(body)
    }, random() * longestDelayMs)
    late.add(timer)
  }
  const cutUpload = (incoming: IncomingMessage, response: ServerResponse): void => {
    const upstream = sendUpstream(incoming, nameNodeUrl, dialect)
    upstream.on('error', () => response.destroy())
    incoming.once('data', (chunk: Buffer) => {
      upstream.write(chunk.subarray(0, chunk.length >> 1), () => {
        upstream.destroy()
        response.destroy()
      })
    })
  }

  const meetings: Readonly<Record<Exclude<NetworkFault, 'none'>, Meeting>> = {
    standby: (_, response) => answerWith(response, 403, standby),
    'HTTP 500': (_, response) => answerWith(response, 500, dialect.textOf(500)),
    'HTTP 503': (_, response) => answerWith(response, 503, dialect.textOf(503)),
    'time-out': (_, response) => void held.add(response),
    'lost reply': loseReply,
    'late request': (incoming, response) => void carryOutLate(incoming, response).catch(() => response.destroy()),
    'cut upload': cutUpload,
    partition: (_, response) => void response.destroy(),
  }
  const meet: Meeting = (incoming, response) => {
    const { share = 1, operation } = aim
    const isAimedAt = operation === undefined || dialect.isOf(incoming, operation)
    const isMet = isAimedAt && canMeet(fault, incoming, dialect)
    if (fault === 'none' || !isMet || random() >= share) pass(incoming, response)
    else {
      hits++
      meetings[fault](incoming, response)
    }
  }

  const server = createServer((incoming, response) => {
    incoming.on('error', () => {})
    response.on('error', () => {})
    witness?.asked(incoming)
    if (dataNodePath.test(incoming.url ?? '')) transfers++
    else if (!/[?&]op=[A-Z]+DELEGATIONTOKEN/.test(incoming.url ?? '')) calls++
    meet(incoming, response)
  })
  const listen = async (): Promise<void> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const stop = async (): Promise<void> => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  await listen()
  return {
    url,
    set: async (next, nextAim = {}) => {
      fault = next
      aim = nextAim
      for (const response of held) response.destroy()
      held.clear()
      if (next === 'partition') {
        hits++
        await stop()
      } else if (!server.listening) await listen()
    },
    get hits() {
      return hits
    },
    get calls() {
      return calls
    },
    get transfers() {
      return transfers
    },
    close: async () => {
      for (const timer of late) clearTimeout(timer)
      await stop()
    },
  }
}

/** Before the path of a request to a data node, with its host and port. */
const dataNodePath = /^\/to-(?<host>[^/]+)(?<path>\/.*)$/

/** Only a name node is on standby. */
const canMeet = (fault: NetworkFault, request: IncomingMessage, { isUpload }: Dialect): boolean => {
  if (fault === 'standby') return !dataNodePath.test(request.url ?? '')
  return fault !== 'cut upload' || isUpload(request)
}

const sendUpstream = (incoming: IncomingMessage, nameNodeUrl: string, { keepsHost = false }: Dialect) => {
  const { host, path } = dataNodePath.exec(incoming.url ?? '')?.groups ?? {}
  const url = host === undefined ? `${nameNodeUrl}${incoming.url}` : `http://${host}${path}`
  const { host: called, connection: _, ...headers } = incoming.headers
  const all = keepsHost && called !== undefined ? { ...headers, host: called } : headers
  return sendRequest(url, { method: incoming.method ?? 'GET', agent: false, headers: all })
}

const toHeaders = ({ headers }: IncomingMessage, url: string): IncomingMessage['headers'] => {
  const { location, connection: _, ...rest } = headers
  return { ...rest, ...(location === undefined ? {} : { location: location.replace(/^http:\/\//, `${url}/to-`) }) }
}

const standby = JSON.stringify({
  RemoteException: {
    exception: 'StandbyException',
    javaClassName: 'org.apache.hadoop.ipc.StandbyException',
    message: 'Operation category WRITE is not supported in state standby',
  },
})

const answerWith = (response: ServerResponse, status: number, text: string): void => {
  const type = text.startsWith('{') ? 'application/json' : 'text/plain'
  response.writeHead(status, { 'content-type': type, connection: 'close' }).end(text)
}
