import { join } from 'node:path'
import type { MiddlewareHandler } from 'hono'
import { createSchemaSource } from '../../admin/catalog/event-types.ts'
import type { BeanSource } from '../beans/registry.ts'
import { type Collector, createCollector } from '../collector/collector.ts'
import { createScribeServer, type ScribeServer, type ScribeServerOptions } from '../collector/scribe/server.ts'
import { createValidator } from '../collector/validation.ts'
import type { Settings } from '../config/table.ts'
import type { Operation } from '../contract/contract.ts'
import type { Shed } from '../contract/hot.ts'
import type { Handlers } from '../contract/operations.ts'
import type { OnRefusal } from '../contract/request-check.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import type { MountTable } from '../filesystem/mounts.ts'
import { type Auth, withoutCookies } from '../http/auth.ts'
import { isLoopbackHost } from '../http/hosts.ts'
import { ListenError } from '../http/node.ts'
import type { Logger } from '../log/log.ts'
import type { Realtime } from '../realtime/realtime.ts'
import type { Registrar } from '../rows/registrar.ts'
import { apis } from '../spool/batch.ts'
import { createSpool } from '../spool/create-spool.ts'
import type { Disk } from '../spool/disk/disk.ts'
import { openSpool } from '../spool/open-spool.ts'
import { sealSegment } from '../spool/seal.ts'
import type { Spool } from '../spool/spool.ts'
import type { SpoolOptions, SpoolSettings } from '../spool/spool-options.ts'
import { createRealtimePart } from './realtime.ts'

export type CollectorPartOptions = Pick<SpoolOptions, 'now' | 'random' | 'heartbeat'> & {
  readonly settings: Settings
  readonly logger: Logger
  readonly fileSystem: MountTable
  readonly auth: Auth
  readonly registrar: Registrar
  readonly disk?: Disk
}

/** The collector with its spool, as the composition root uses it. */
export type CollectorPart = {
  readonly collector: Collector
  readonly spool: Spool
  /** Absent where no broker is configured. */
  readonly realtime: Realtime | undefined
  readonly handlers: Pick<
    Handlers,
    'getEventV1' | 'getEventV2' | 'postEvent' | 'getHealth' | 'getLiveness' | 'getReadiness'
  >
  /** A bean for each event type of which events did not fit their schema. */
  readonly schemaBeans: BeanSource
  /** Counts, and completes, refusals of intake requests that no handler saw. */
  readonly onRefusal: OnRefusal
  /** Refuses intake requests unseen while there are too many. */
  readonly shed: Shed
  /** Answers preflights of the browser routes. */
  readonly middleware: (operations: readonly Operation[]) => readonly MiddlewareHandler[]
  /** Opens the Scribe port; absent where it is switched off. */
  readonly openScribe?: () => Promise<ScribeServer>
  startDraining(): void
  close(): Promise<void>
}

/** Opens the spool and puts the collector on it. */
export const createCollectorPart = async (options: CollectorPartOptions): Promise<CollectorPart> => {
  const { settings, logger, fileSystem, auth, registrar, disk, now = Date.now } = options
  const spoolOptions = { ...pick(options), fileSystem, settings: toSpoolSettings(settings), log: logger }
  const directory = settings['collector.diskspool.path'] || join(settings['data.dir'], '.diskpool')
  const realtime = await createRealtimePart(settings, logger, registrar)
  const opened = disk
    ? createSpool({ ...spoolOptions, disk, seal: request => sealSegment(disk, request) })
    : openSpool(directory, spoolOptions)
  const spool = await opened.catch(async error => {
    await realtime?.close()
    throw error
  })
  const needsToken = settings['collector.auth'] === 'token'
  const clock = { now, monotonicMs: () => performance.now() }
  const collector = createCollector({
    spool,
    clock,
    logger,
    realtime: realtime?.health,
    forward: realtime?.offer,
    validate: isValidating(settings) ? createValidator(name => registrar.fields(name)) : undefined,
    refusesMismatches: settings['collector.validation'] === 'reject',
    ...(needsToken ? { authorize: call => void auth.authorize(withoutCookies(call), 'send') } : {}),
    tokenProblem: () => auth.problem(),
    fileSystem: () => ({
      configuration: describeFileSystem(settings, fileSystem),
      problem: fileSystem.problemOf(settings['collector.event-output-directory']),
    }),
    settings: {
      maxBodyBytes: settings['collector.max-body-bytes'],
      maxDecompressedBytes: settings['collector.max-decompressed-bytes'],
      maxEventsPerRequest: settings['collector.max-events-per-request'],
      maxValuesPerEvent: settings['collector.max-values-per-event'],
      maxEventQueueSize: settings['collector.max-event-queue-size'],
      maxInflightBytes: settings['collector.max-inflight-bytes'],
      trustedProxies: settings['collector.trusted-proxies'],
      filters: {
        host: settings['collector.filters.host'],
        ip: settings['collector.filters.ip'],
        useragent: settings['collector.filters.useragent'],
        path: settings['collector.filters.path'],
        'event-type': settings['collector.filters.event-type'],
        eventTypeIncluded: settings['collector.filters.event-type.included'],
      },
    },
  })
  const { getEventV1, getEventV2, postEvent, getHealth, getLivez, getReadyz } = collector.handlers
  const preflights = new Map([
    ['/1', collector.handlers.optionsGetEvent],
    ['/2', collector.handlers.optionsGetEvent],
    ['/rest/1.0/event', collector.handlers.optionsPostEvent],
  ])
  const mismatches = new Map(apis.map(api => [api, collector.counters[api].mismatches]))
  return {
    collector,
    spool,
    schemaBeans: createSchemaSource(settings['admin.vendor'], mismatches),
    realtime,
    handlers: { getEventV1, getEventV2, postEvent, getHealth, getLiveness: getLivez, getReadiness: getReadyz },
    middleware: ([first]) => {
      const preflight = preflights.get(first?.path ?? '')
      if (!preflight) return []
      return [async (context, next) => (context.req.method === 'OPTIONS' ? preflight() : await next())]
    },
    onRefusal: (operation, error) => (preflights.has(operation.path) ? collector.refuse(operation.id, error) : error),
    shed: id => (isIntake(id) ? collector.shed(id) : undefined),
    ...(settings['collector.scribe.enabled']
      ? { openScribe: () => openScribe(settings, { collector, clock, logger }) }
      : {}),
    startDraining: () => collector.startDraining(),
    close: async () => {
      await spool.close()
      await realtime?.close()
    },
  }
}

const isIntake = (operationId: string): boolean => ['getEventV1', 'getEventV2', 'postEvent'].includes(operationId)

/** The protocol has no place for a token: where events need one, only this machine may come without. */
const openScribe = async (
  settings: Settings,
  parts: Pick<ScribeServerOptions, 'collector' | 'clock' | 'logger'>,
): Promise<ScribeServer> => {
  const host = settings['collector.scribe.host']
  if (settings['collector.auth'] === 'token' && !isLoopbackHost(host)) {
    throw new ListenError(
      `collector.scribe.host ${host} would take events from the network without a token, and collector.auth wants one: use a loopback address, or set collector.scribe.enabled=false`,
    )
  }
  return await createScribeServer({
    ...parts,
    host,
    port: settings['collector.scribe.port'],
    maxEventsPerCall: settings['collector.max-events-per-request'],
    maxValuesPerEvent: settings['collector.max-values-per-event'],
    limits: { maxFrameBytes: settings['collector.scribe.max-frame-bytes'] },
  })
}

/** Without a registry there is nothing to compare with, and nothing to pay. */
const isValidating = (settings: Settings): boolean =>
  settings['registrar.url'] !== undefined && settings['collector.validation'] !== 'off'

/** Only what is there: an absent option has its default. */
const pick = ({
  now,
  random,
  heartbeat,
}: CollectorPartOptions): Pick<SpoolOptions, 'now' | 'random' | 'heartbeat'> => ({
  ...(now ? { now } : {}),
  ...(random ? { random } : {}),
  ...(heartbeat ? { heartbeat } : {}),
})

const toSpoolSettings = (settings: Settings): SpoolSettings => ({
  outputDirectory: settings['collector.event-output-directory'],
  outputFormat: settings['collector.output.format'],
  outputCodec: settings['collector.output.compression'],
  ack: settings['collector.ack'],
  flushEnabled: settings['collector.diskspool.enabled'],
  flushIntervalMs: settings['collector.diskspool.flush-interval-seconds'] * 1_000,
  maxSegmentBytes: settings['collector.diskspool.max-segment-bytes'],
  maxUncommittedMs: settings['collector.diskspool.max-uncommitted-period-seconds'] * 1_000,
  maxUncommittedEvents: settings['collector.diskspool.max-uncommitted-write-count'],
  minFreeBytes: settings['collector.diskspool.min-free-bytes'],
  maxKeys: settings['collector.idempotency.max-keys'],
  keepCommittedMs: settings['collector.diskspool.keep-committed-seconds'] * 1_000,
})

/** The file system configuration as text, as the health report has always shown it; without secrets. */
const describeFileSystem = (settings: Settings, { url }: FileSystem): string =>
  [
    `fs.default.name: ${url}`,
    `event output directory: ${settings['collector.event-output-directory']}`,
    `format: ${settings['collector.output.format']}`,
    `compression: ${settings['collector.output.compression']}`,
  ].join(', ')
