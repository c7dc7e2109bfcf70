import { type Collector, type CollectorOptions, createCollector } from '../../../src/collector/collector.ts'
import type { Door } from '../../../src/collector/door.ts'
import { toDoorRefusal } from '../../../src/collector/formats/doors.ts'
import { type CollectorSettings, defaultCollectorSettings } from '../../../src/collector/settings.ts'
import { bindService } from '../../../src/contract/service.ts'
import { SluiceError, toResponse } from '../../../src/errors.ts'
import { parseJson } from '../../../src/formats/json.ts'
import { jsonElements } from '../../../src/formats/json-elements.ts'
import { readSmileElements } from '../../../src/formats/smile/reader.ts'
import { readRecords } from '../../../src/formats/thrift/envelope-stream.ts'
import { decodeFields } from '../../../src/formats/thrift/field-list.ts'
import { FixedResponse } from '../../../src/http/answers/fixed-response.ts'
import { toAwaitable } from '../../../src/http/call/answer.ts'
import type { BaseCall } from '../../../src/http/call/base-call.ts'
import type { Batch, Outcome } from '../../../src/spool/batch.ts'
import { bucketPath } from '../../../src/spool/bucket.ts'
import type { DrainStatus } from '../../../src/spool/drain/drain-status.ts'
import { eventIdAt, eventIdBytes } from '../../../src/spool/event-ids.ts'
import { isRefusedName } from '../../../src/spool/refused.ts'
import type { Durability } from '../../../src/spool/replica/replica-status.ts'
import type { KnownKey, Spool, SpoolStats } from '../../../src/spool/spool.ts'
import { contract } from '../contract/fixture.ts'

/** 2009-01-02T03:04:05.006Z, the date of most vectors. */
export const D = 1_230_865_445_006
/** The collector's clock in tests. */
export const now = Date.UTC(2020, 1, 2, 3, 4, 5, 6)

/** Keeps batches in memory; `gate` holds appends back, `failure` refuses them. */
export type FakeSpool = Spool & {
  readonly batches: Batch[]
  /** Those of refused events alone. */
  readonly refused: Batch[]
  stats(): SpoolStats
  gate: Promise<void> | undefined
  failure: Error | undefined
  patch: Partial<SpoolStats>
  durability: Durability
}

export const createFakeSpool = (): FakeSpool => {
  const batches: Batch[] = []
  const refused: Batch[] = []
  const keys = new Map<string, KnownKey>()
  const ids = new Map<string, Promise<boolean> | undefined>()
  const noteIds = ({ eventIds, events }: Batch, kept: Promise<void>): void => {
    if (eventIds === undefined) return
    for (const id of idsOf(eventIds, events.length)) {
      const landing = kept.then(
        () => {
          ids.set(id, undefined)
          return true
        },
        () => {
          ids.delete(id)
          return false
        },
      )
      ids.set(id, landing)
    }
  }
  const spool: FakeSpool = {
    batches,
    refused,
    gate: undefined,
    failure: undefined,
    patch: {},
    keep: (batch, waiter) =>
      void spool.append(batch).then(
        () => waiter.done(),
        error => waiter.failed(error),
      ),
    keepFramed: () => {
      throw new TypeError('Another thread hands nothing over here')
    },
    mark: new Uint8Array(8),
    append(batch) {
      const kept = keep(batch)
      noteIds(batch, kept)
      if (batch.idempotency) {
        const { key, fingerprint, outcome } = batch.idempotency
        let isKept = false
        const known: KnownKey = {
          matches: text => text === fingerprint,
          get isKept() {
            return isKept
          },
          outcome: kept.then(() => {
            isKept = true
            return outcome
          }),
        }
        known.outcome.catch(() => keys.delete(key))
        keys.set(key, known)
      }
      return kept
    },
    takeBack: batch => spool.append(batch),
    recall: key => keys.get(key),
    recallIds: eventIds => {
      const found = idsOf(eventIds, eventIds.length / eventIdBytes)
      const kept = found.flatMap((id, position) => (ids.has(id) && ids.get(id) === undefined ? [position] : []))
      return { kept, ahead: found.map(id => ids.get(id)).find(landing => landing !== undefined) }
    },
    takeKeys: async () => undefined,
    suspendKeys: async () => () => undefined,
    stats: () => ({ ...noStats, ...spool.patch }),
    durability: 'full',
    disableFlush: async () => undefined,
    enableFlush: async () => undefined,
    processLeftBelowFiles: async () => ({ files: 0, bytes: 0, failures: 0 }),
    schemas: {
      figures: { types: 0, columns: 0, misfits: 0 },
      misfits: () => [],
      recentMisfits: () => [],
      describe: () => undefined,
    },
    forgetSchema: async () => false,
    quarantine: {
      list: async () => [],
      release: async () => [],
      releaseUnderNewName: async () => [],
      remove: async () => [],
      open: async () => undefined,
    },
    drain: async () => undefined,
    undoDrain: async () => undefined,
    drainStatus: async () => noDrain,
    close: async () => undefined,
  }
  const keep = async (batch: Batch): Promise<void> => {
    const { failure } = spool
    await spool.gate
    if (failure) throw failure
    const isRefused = batch.events.every(({ name }) => isRefusedName(name))
    if (isRefused) refused.push(batch)
    else batches.push(batch)
  }
  return spool
}

/** Those without one do not meet. */
const idsOf = (eventIds: Uint8Array, count: number): readonly string[] =>
  Array.from({ length: count }, (_, position) => eventIdAt(eventIds, position) ?? crypto.randomUUID())

const nothing = { files: 0, events: 0, bytes: 0 }
const noDrain: DrainStatus = {
  collectorId: 'test',
  directory: '/spool',
  drained: false,
  left: { waiting: nothing, quarantined: nothing, taken: nothing, pieces: [] },
  problem: '',
  lostEvents: 0,
  flushed: { files: 0, events: 0 },
}

const noStage = { files: 0, events: 0, bytes: 0, oldestSeconds: 0 }

const noStats: SpoolStats = {
  collectorId: 'test',
  accepting: true,
  refusal: '',
  flushEnabled: true,
  drained: false,
  queuedEvents: 0,
  queuedBytes: 0,
  writtenEvents: 0,
  writtenBytes: 0,
  erroredEvents: 0,
  unknownEvents: 0,
  droppedEvents: 0,
  ignoredEvents: 0,
  pendingFiles: 0,
  pendingEvents: 0,
  pendingBytes: 0,
  openEvents: 0,
  waitingFiles: 0,
  waitingEvents: 0,
  waitingBytes: 0,
  stages: { log: noStage, sealing: noStage, commit: noStage, quarantine: noStage, taken: noStage },
  troubles: [],
  replica: undefined,
  lateSeconds: 630,
  quarantinedFiles: 0,
  retriedFiles: 0,
  quarantinedEvents: 0,
  takenFiles: 0,
  takenEvents: 0,
  placedFiles: 0,
  placedEvents: 0,
  snapshots: 0,
  snapshotErrors: 0,
  lastSnapshotError: '',
  snapshotSeconds: 0,
  lostSegments: [],
  lostEvents: 0,
  flushes: 0,
  flushedEvents: 0,
  totalFlushedEvents: 0,
  flushErrors: 0,
  flushRetries: 0,
  lastFlushError: '',
  oldestSeconds: 0,
  fsyncs: 0,
  fsyncTotalMs: 0,
  fsyncMs: [],
  fsyncCounts: [],
  idempotencyKeys: 0,
  idempotencySeconds: 0,
  eventIds: 0,
  eventIdSeconds: 0,
  idempotencyProblem: '',
  freeBytes: 0,
  minFreeBytes: 0,
  fullInSeconds: undefined,
  localFiles: new Map(),
  waitingByType: new Map(),
}

/** What a fake call is made of. */
export type CallInit = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  readonly peer?: string
  /** Chunks instead of an announced length. */
  readonly chunks?: readonly Uint8Array[]
}

/** A call to a target such as `/1?v=…`, before its parameters are read. */
export const createCall = (target: string, init: CallInit = {}): BaseCall => {
  const { method = 'GET', headers = {}, body, peer = '127.0.0.1', chunks } = init
  const bytes = body === undefined ? undefined : Buffer.from(body)
  const pieces = chunks ?? (bytes ? [bytes] : [])
  const all: Readonly<Record<string, string>> = {
    ...(bytes && !chunks ? { 'content-length': String(bytes.length) } : {}),
    ...headers,
  }
  const call: BaseCall = {
    method,
    target,
    withOperation: (operationId, params, caller) => ({ ...call, operationId, params, caller }),
    headers: all,
    header: name => all[name],
    peer,
    secure: false,
    signal: new AbortController().signal,
    bytes: async (maxBytes, onBytes, isBeginning) => {
      let length = 0
      for (const piece of pieces) {
        length += piece.length
        if (length > maxBytes && !isBeginning) throw new SluiceError('too-large', `more than ${maxBytes}`)
        await onBytes?.(piece.length)
        if (length > maxBytes) break
      }
      return pieces.length === 1 && pieces[0]
        ? pieces[0].subarray(0, maxBytes)
        : Buffer.concat(pieces).subarray(0, maxBytes)
    },
    stream: () => (chunks ? toStream(chunks) : bytes ? toStream([bytes]) : null),
  }
  return call
}

const toStream = (chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })

/** A collector over a fake spool, with a stopped clock. */
export const createTestCollector = (
  settings: Partial<CollectorSettings> = {},
  options: Partial<CollectorOptions> = {},
): { readonly collector: Collector; readonly spool: FakeSpool } => {
  const spool = createFakeSpool()
  const collector = createCollector({
    spool,
    settings: () => ({ ...defaultCollectorSettings, ...settings }),
    clock: { now: () => now, monotonicMs: () => 0 },
    ...options,
  })
  return { collector, spool }
}

/** What answers calls. */
export type Answering = Pick<Door, 'handlers' | 'doorHandlers' | 'refuse'>

/** The answer of an intake route by its operation, checked as the contract says; what the edge would send. */
const answer = async ({ handlers, doorHandlers, refuse }: Answering, id: string, call: BaseCall): Promise<Response> => {
  const { getEventV1, getEventV2, postEvent } = handlers
  const guard = { authorize: undefined, onRefusal: refuse }
  const guardOf = () => guard
  const bound = [
    ...bindService(contract, { tags: ['events'], handlers: { getEventV1, getEventV2, postEvent }, guardOf }),
    ...bindService(contract, { tags: ['doors'], handlers: doorHandlers, guardOf }),
  ].find(({ operation }) => operation.id === id)
  if (bound === undefined) throw new Error(`There is no ${id}`)
  try {
    const response = await toAwaitable(bound.answer(call))
    return response instanceof FixedResponse ? response.toResponse() : response
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    const refusal = toDoorRefusal(id, error, call) ?? toResponse(error)
    return refusal instanceof FixedResponse ? refusal.toResponse() : refusal
  }
}

/** A GET answered. */
export const get = (collector: Answering, target: string, init: CallInit = {}): Promise<Response> =>
  answer(collector, target.startsWith('/2') ? 'getEventV2' : 'getEventV1', createCall(target, init))

/** A POST to `/rest/1.0/event` answered; the type is `application/json` unless given. */
export const post = (
  collector: Answering,
  body: Uint8Array | string,
  { query = '', type = 'application/json', ...init }: CallInit & { query?: string; type?: string | undefined } = {},
): Promise<Response> => {
  const headers = { ...(type === '' ? {} : { 'content-type': type }), ...init.headers }
  const call = createCall(`/rest/1.0/event${query}`, { ...init, method: 'POST', body, headers })
  return answer(collector, 'postEvent', call)
}

/** A request to a route of a door answered; the type is `application/json` unless given. */
export const knock = (
  collector: Collector,
  id: keyof Collector['doorHandlers'],
  target: string,
  body: Uint8Array | string,
  { type = 'application/json', ...init }: CallInit & { type?: string } = {},
): Promise<Response> => {
  const headers = { ...(type === '' ? {} : { 'content-type': type }), ...init.headers }
  return answer(collector, id, createCall(target, { method: 'POST', ...init, body, headers }))
}

/** A kept event as a test sees it: name, directory, date, and its payload or fields `{id: value}`. */
export type StoredEvent = { name: string; path: string; date: number; payload: unknown }

/** Everything that a spool keeps, refused events apart, read as the seal will read it. */
export const storedEvents = (spool: FakeSpool): StoredEvent[] => readBatches(spool.batches)

/** What a spool keeps of refused events. */
export const refusedEvents = (spool: FakeSpool): StoredEvent[] => readBatches(spool.refused)

const readBatches = (batches: readonly Batch[]): StoredEvent[] => batches.flatMap(readBatch)

/** The events of a batch. */
export const readBatch = (batch: Batch): StoredEvent[] => {
  const values = readBody(batch)
  return batch.events.map(({ index, name, date, granularity }) => ({
    name,
    path: bucketPath({ name, date, granularity }, 'dated'),
    date,
    payload: values[index],
  }))
}

const readBody = ({ format, body }: Batch): unknown[] => {
  switch (format) {
    case 'json': {
      const decoder = new TextDecoder('utf-8', { fatal: true })
      if (body.length > 256 * 1024) {
        return Array.from(jsonElements(body), ({ start, end }) =>
          toPayload(parseJson(decoder.decode(body.subarray(start, end)))),
        )
      }
      const value = parseJson(decoder.decode(body))
      return (Array.isArray(value) ? value : [value]).map(toPayload)
    }
    case 'smile':
      return [...readSmileElements(body)].map(toPayload)
    case 'thrift':
      return [...readRecords(body)].map(({ payload }) =>
        Object.fromEntries(
          decodeFields(payload).map(({ id, value }) => [
            id,
            value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
          ]),
        ),
      )
  }
}

const toPayload = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'payload' in value ? value.payload : undefined

/** The client's answer when nothing was refused. */
export const whole = (accepted: number): Outcome => ({ accepted, rejected: 0, errors: [] })

/** Outcome of a request that was answered with a list of refusals. */
export const outcomeOf = async (response: Response): Promise<Outcome> => JSON.parse(await response.text())
