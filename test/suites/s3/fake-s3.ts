/**
 * A store in memory that speaks S3 over HTTP, for behaviour that a real one does not show on request: faults, and odd
 * answers.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type Answer, answerS3, type S3Request, toErrorXml } from './answer-s3.ts'
import { findWrongSignature } from './signature.ts'
import { createStored, type Stored } from './stored.ts'

/**
 * What goes wrong with a request:
 *
 *     before     the connection ends while the request is being sent, and nothing is done
 *     after      it is done, and the connection ends without an answer
 *     late       the connection ends without an answer, and it is done by the next `carryOut`
 *     half       the answer breaks off in the middle of its body
 *     an answer  is given, and nothing is done
 */
export type S3Fault = 'before' | 'after' | 'late' | 'half' | Answer | undefined

export type FakeS3 = {
  readonly endpoint: string
  readonly stored: Stored
  /** `METHOD key?what` of each request, in their order; of those that went wrong, too. */
  readonly requests: string[]
  /** Asked of the head of each request. */
  fault: (request: Omit<S3Request, 'body'>) => S3Fault
  /** The keys that it knows; signatures are checked by them. */
  readonly keys: Map<string, string>
  /** Added to its clock, in ms. */
  aheadMs: number
  /** Does what is late. */
  carryOut(): void
  close(): Promise<void>
}

export type FakeS3Options = {
  /** Whether it takes `If-None-Match`, and `If-Match` of a DELETE, and does not look at them. @default false */
  readonly ignoresCondition?: boolean
  /** Whether it tells no checksums. @default false */
  readonly keepsNoSums?: boolean
  /** Keys in a page of a listing. @default 1 000 */
  readonly pageKeys?: number
}

export const testKeys = { accessKeyId: 'AKIDTEST', secretAccessKey: 'hush+hush/42' } as const

/** The variables with which a file system finds {@link testKeys}, and nothing of this machine. */
export const testEnv = {
  HOME: '/nonexistent',
  AWS_ACCESS_KEY_ID: testKeys.accessKeyId,
  AWS_SECRET_ACCESS_KEY: testKeys.secretAccessKey,
} as const

export const startFakeS3 = async (options: FakeS3Options = {}): Promise<FakeS3> => {
  const stored = createStored()
  const fake = {
    stored,
    requests: [] as string[],
    fault: (): S3Fault => undefined,
    keys: new Map<string, string>([[testKeys.accessKeyId, testKeys.secretAccessKey]]),
    aheadMs: 0,
    late: [] as (() => void)[],
  }
  const server = createServer((request, response) => {
    void serve(fake, options, request, response).catch((error: unknown) => {
      if (request.destroyed) return
      response.destroy(error instanceof Error ? error : undefined)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return Object.assign(fake, {
    endpoint: `http://127.0.0.1:${port}`,
    carryOut: () => {
      for (const carryOut of fake.late.splice(0)) carryOut()
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  })
}

const serve = async (
  fake: Omit<FakeS3, 'endpoint' | 'carryOut' | 'close'> & { readonly late: (() => void)[] },
  options: FakeS3Options,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const url = new URL(message.url ?? '', 'http://fake')
  const [, bucket = '', ...names] = url.pathname.split('/').map(decodeURIComponent)
  const head = {
    method: message.method ?? '',
    bucket,
    key: names.join('/'),
    query: url.searchParams,
    headers: message.headers,
  }
  const what = [...url.searchParams.keys()].filter(name => !['list-type', 'encoding-type'].includes(name)).join('&')
  fake.requests.push(`${head.method} ${head.key}${what === '' ? '' : `?${what}`}`)
  const fault = fake.fault(head)
  if (fault === 'before') return void message.socket.destroy()
  const body = await buffer(message)
  const request = { ...head, body }
  if (fault === 'late') {
    fake.late.push(() => void answerS3(fake.stored, request, options))
    return void message.socket.destroy()
  }
  const now = Date.now() + fake.aheadMs
  const wrong = findWrongSignature(message, body, id => fake.keys.get(id), now)
  const answer =
    typeof fault === 'object'
      ? fault
      : wrong === undefined
        ? answerS3(fake.stored, request, options)
        : { status: 403, text: toErrorXml(wrong, 'no') }
  if (fault === 'after') return void message.socket.destroy()
  send(request.method, response, answer, fault === 'half', now)
}

const send = (
  method: string,
  response: ServerResponse,
  { status, headers = {}, text = '', bytes }: Answer,
  isHalf: boolean,
  now: number,
): void => {
  const body = bytes ?? Buffer.from(text)
  const length = method === 'HEAD' ? {} : { 'content-length': String(body.length) }
  response.writeHead(status, { date: new Date(now).toUTCString(), ...length, ...headers })
  if (method === 'HEAD' || status === 204) response.end()
  else if (!isHalf) response.end(body)
  else response.write(body.subarray(0, body.length >> 1), () => void response.destroy())
}
