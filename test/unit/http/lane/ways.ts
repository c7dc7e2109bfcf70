import { connect } from 'node:net'
import type { Fetch } from '../../../../src/app/app-type.ts'
import type { CollectorService } from '../../../../src/app/collector.ts'
import { createRoutes } from '../../../../src/app/routes.ts'
import type { Shared } from '../../../../src/app/shared.ts'
import { type Collector, createCollector } from '../../../../src/collector/collector.ts'
import { defaultCollectorSettings } from '../../../../src/collector/settings.ts'
import { loadConfig } from '../../../../src/config/config.ts'
import { OutcomeUnknown, SluiceError, toResponse } from '../../../../src/errors.ts'
import { openAuth } from '../../../../src/http/auth/auth.ts'
import { toUnauthenticated } from '../../../../src/http/auth/token-callers.ts'
import type { LaneRoutes } from '../../../../src/http/call/base-call.ts'
import { createEdge } from '../../../../src/http/edge/node.ts'
import { silentLogger } from '../../../../src/log/log.ts'
import { type ParsedAnswer, parseAnswers } from '../../../suites/http-lane/answers.ts'
import { createFakeSpool, type FakeSpool, now, type StoredEvent, storedEvents } from '../../collector/fakes.ts'
import { maxBody, type Row, type World } from './collector-rows.ts'

/** The outcome of one connection: what its client got, and what the collector made of it. */
export type Outcome = {
  readonly answers: readonly PlainAnswer[]
  readonly counters: Readonly<Record<string, unknown>>
  readonly stored: readonly string[]
}

/** An answer without what differs from second to second. */
type PlainAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A way into a collector. */
export type Way = {
  /** @param cut between pieces, each in a write of its own */
  ask(row: Row, cuts?: readonly number[]): Promise<Outcome>
  close(): Promise<void>
}

/** Asks a new collector each time, with the same clock. */
type App = {
  readonly collector: Collector
  readonly spool: FakeSpool
  readonly fetch: Fetch
  readonly lane: LaneRoutes
}

const createApp = (world: World = 'usual'): App => {
  const spool = createFakeSpool()
  spool.failure = failures[world]
  const settings = { ...defaultCollectorSettings, maxBodyBytes: maxBody }
  const collector = createCollector({
    spool,
    settings: () => settings,
    clock: { now: () => now, monotonicMs: () => 0 },
  })
  const { getEventV1, getEventV2, postEvent } = collector.handlers
  const handlers = { getEventV1, getEventV2, postEvent }
  const authorize = (): never => {
    throw toUnauthenticated('no token')
  }
  const guard = {
    onRefusal: collector.refuse,
    ...(world === 'denied' ? { authorize } : {}),
    ...(world === 'shedding' ? { shed: () => toResponse(new SluiceError('overloaded', 'no time')) } : {}),
  }
  const { getHealth, getReadyz: getReadiness } = collector.handlers
  const guardOf = () => guard
  const doors = { tags: ['doors'], handlers: collector.doorHandlers, guardOf }
  const part = { tags: ['events'], handlers, guardOf, doors, status: { getHealth, getReadiness } }
  const shared = { settings: appSettings, logger: silentLogger, auth: openAuth }
  const { fetch, lane = () => undefined } = createRoutes({
    listeners: () => [],
    ...(shared as unknown as Shared),
    collector: part as unknown as CollectorService,
    gateway: undefined,
  })
  return { collector, spool, fetch, lane }
}

const { settings: appSettings } = loadConfig({ argv: [], env: {}, cwd: '/nowhere', readFile: () => '' })

const failures: Readonly<Record<World, Error | undefined>> = {
  usual: undefined,
  denied: undefined,
  shedding: undefined,
  full: new SluiceError('overloaded', 'full'),
  failing: new TypeError('a mistake'),
  unknown: new OutcomeUnknown('perhaps'),
}

/** Through a socket: with the lane in front of Node's server, or without. */
export const openSocketWay = async (kind: 'lane' | 'plain'): Promise<Way> => {
  let app = createApp()
  const lane: LaneRoutes = (method, target) => app.lane(method, target)
  const edge = await createEdge({
    name: 'server',
    host: '127.0.0.1',
    port: 0,
    fetch: (request, env) => app.fetch(request, env),
    ...(kind === 'lane' ? { lane } : {}),
    logger: silentLogger,
    limits: { idleGraceMs: 10, checkEveryMs: 10, lingerMs: 10 },
  })
  return {
    ask: async (row, cuts = []) => {
      app = createApp(row.world)
      const expected = (kind === 'plain' ? row.plain : undefined) ?? row.statuses
      const answers = await exchange(edge.port, row, cuts, expected.length)
      return toOutcome(app, answers)
    },
    close: () => edge.close(),
  }
}

/** Without a socket; undefined where a `Request` cannot say what was sent. */
export const askDirectly = async ({ sent, world, ends, isWire }: Row): Promise<Outcome | undefined> => {
  if (ends || isWire) return undefined
  const requests = sent.map(toRequest)
  if (requests.some(request => request === undefined)) return undefined
  const app = createApp(world)
  const answers: PlainAnswer[] = []
  for (const request of requests) {
    if (request === undefined) continue
    const { method } = request
    const response = await app.fetch(request)
    if (response.type === 'error') break
    const body = method === 'HEAD' ? '' : Buffer.from(await response.bytes()).toString('latin1')
    answers.push({ status: response.status, headers: Object.fromEntries(response.headers), body })
  }
  return toOutcome(app, answers)
}

/** Headers that belong to a connection, and those that only a server adds. */
const hopHeaders = new Set(['connection', 'keep-alive', 'content-length', 'transfer-encoding'])

/** The same without what a connection adds. */
export const withoutHops = ({ answers, ...outcome }: Outcome): Outcome => ({
  ...outcome,
  answers: answers.map(({ headers, ...answer }) => ({
    ...answer,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !hopHeaders.has(name))),
  })),
})

const toOutcome = ({ collector, spool }: App, answers: readonly PlainAnswer[]): Outcome => ({
  answers,
  counters: Object.fromEntries(
    Object.entries(collector.counters)
      .filter(([, { requests, received }]) => requests + received > 0)
      .map(([api, { latency, ...counts }]) => [api, { ...counts, measured: latency.summary().count }]),
  ),
  // Answers wait for each other, events do not.
  stored: storedEvents(spool).map(toText).sort(),
})

const toText = (event: StoredEvent): string =>
  JSON.stringify(event, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))

/** Sends a row, and after its answers a request that ends the connection: nothing else may have arrived. */
const exchange = async (
  port: number,
  { sent, ends = false }: Row,
  cuts: readonly number[],
  expected: number,
): Promise<PlainAnswer[]> => {
  const bytes = Buffer.from(sent.join(''), 'latin1')
  const methods = sent.filter(text => text !== '\r\n').map(text => text.split(' ', 1).join(''))
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let received = ''
  let isClosed = false
  let wake = (): void => {}
  socket.on('data', chunk => {
    received += chunk.toString('latin1')
    wake()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
    wake()
  })
  const read = (): ParsedAnswer[] => parseAnswers(received, (_, index) => methods[index] === 'HEAD').answers
  const until = async (isDone: () => boolean): Promise<void> => {
    while (!isClosed && !isDone()) {
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
  }
  let start = 0
  for (const cut of [...cuts, bytes.length]) {
    if (cut > start) await new Promise<void>(resolve => socket.write(bytes.subarray(start, cut), () => resolve()))
    if (cut < bytes.length) await new Promise(resolve => setImmediate(resolve))
    start = cut
  }
  if (ends) socket.end()
  else {
    await until(() => read().length >= expected)
    if (!isClosed && !isLast(read().at(-1))) socket.write(farewell)
  }
  await until(() => false)
  const answers = read()
  if (!ends && answers.length > expected && answers.at(-1)?.status === 200) answers.pop()
  return answers.map(({ status, headers, body }) => {
    const { date: _, ...rest } = Object.fromEntries(headers)
    return { status, headers: rest, body }
  })
}

const farewell = 'GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'

const isLast = (answer: ParsedAnswer | undefined): boolean => answer?.headers.get('connection') === 'close'

/** What a server that speaks `Request` would have made of it. */
const toRequest = (sent: string): Request | undefined => {
  const headEnd = sent.indexOf('\r\n\r\n')
  const [start = '', ...lines] = sent.slice(0, headEnd).split('\r\n')
  const [, method = '', target = ''] = /^([A-Z]+) (\/\S*) HTTP\/1\.1$/.exec(start) ?? []
  const pairs = lines.map((line): [string, string] => {
    const [, name = '', value = ''] = /^([\w-]+):(.*)$/.exec(line) ?? []
    return [name, value]
  })
  const names = pairs.map(([name]) => name.toLowerCase())
  const isPlain =
    target !== '' &&
    new URL(target, 'http://localhost').href === `http://localhost${target}` &&
    names.every(
      (name, index) => name !== '' && !unspoken.has(name) && (names.indexOf(name) === index || joined.has(name)),
    )
  const body = Buffer.from(sent.slice(headEnd + 4), 'latin1')
  const hasBody = method !== 'GET' && method !== 'HEAD'
  if (!isPlain || (!hasBody && body.length > 0)) return undefined
  const headers = new Headers(pairs)
  // There is no peer whose address would count.
  if (!headers.has('x-forwarded-for')) headers.set('x-forwarded-for', '127.0.0.1')
  return new Request(`http://localhost${target}`, { method, headers, ...(hasBody ? { body } : {}) })
}

/** They are between a server and its client. */
const unspoken: ReadonlySet<string> = new Set(['transfer-encoding', 'expect', 'connection', 'upgrade'])
/** Several of one name are one list. */
const joined: ReadonlySet<string> = new Set([
  'x-forwarded-for',
  'accept',
  'prefer',
  'content-encoding',
  'idempotency-key',
  'x',
])
