import { isRecord } from '../../../src/is-record.ts'
import type { RpcClient } from '../../client/rpc-client.ts'
import type { Attributes } from '../../client/types.ts'
import { type BeanNames, flagOf, numberOf, readBeans, textOf, toBeanNames } from './collector-beans.ts'
import { toItems, toShownProblems } from './problems.ts'

/** A server at one glance; what it does not have is null. */
export type ServerStatus = Awaited<ReturnType<typeof readServerStatus>>

/** What runs, what waits and what is wrong, in two requests. */
export const readServerStatus = async (rpc: RpcClient) => {
  const { version, vendor, startedAt, node } = await rpc.version()
  const names = toBeanNames(vendor)
  const metrics = `${vendor}.metrics`
  const beans = [names.spool, names.realtime, `${metrics}:name=Health`, `${metrics}:name=Settings`, names.replica]
  const [read, fileSystems, realtimeQueued] = await Promise.all([
    readBeans(rpc, beans),
    readFileSystems(rpc, metrics),
    readRealtimeQueued(rpc, names),
  ])
  const [spool = {}, realtime = {}, health = {}, settings = {}, replica = {}] = read
  const items = toItems(health['Items'])
  const problems = toShownProblems(health)
  return {
    code: (['ERROR', 'WARN'] as const).find(code => problems.some(problem => problem.code === code)) ?? 'OK',
    server: {
      version,
      node,
      startedAt,
      uptimeSeconds: Math.max(0, Math.round((Date.now() - startedAt) / 1_000)),
      ...toPlaces(settings['Settings'], settings['Listeners']),
      fileSystems,
    },
    replica: toReplica(replica),
    waiting: toWaiting(spool, flagOf(realtime, 'Enabled') ?? null, realtimeQueued),
    health: items,
    problems,
  }
}

const toWaiting = (spool: Attributes, realtimeEnabled: boolean | null, realtimeQueued: number) => {
  const number = (name: string): number | null => numberOf(spool, name) ?? null
  return {
    flushEnabled: flagOf(spool, 'FlushEnabled') ?? null,
    /** Taken, and not yet on the local disk. */
    inMemory: { events: number('QueuedEvents'), bytes: number('QueuedBytes') },
    /** In the spool, on their way to the file system, from the log on. */
    spool: {
      events: number('WaitingEvents'),
      files: number('WaitingFiles'),
      bytes: number('WaitingBytes'),
      oldestSeconds: number('OldestSeconds'),
    },
    quarantine: { files: number('QuarantinedFiles'), events: number('QuarantinedEvents') },
    taken: { files: number('TakenFiles'), events: number('TakenEvents') },
    realtime: { enabled: realtimeEnabled, events: realtimeQueued },
  }
}

/** The log in HDFS; null without one. */
const toReplica = (replica: Attributes) => {
  const state = textOf(replica, 'State')
  if (state === '' || state === 'off') return null
  const watched = Array.isArray(replica['Watched']) ? replica['Watched'] : []
  const takingOver = Array.isArray(replica['TakingOver']) ? replica['TakingOver'] : []
  return {
    state,
    reason: textOf(replica, 'Reason'),
    directory: textOf(replica, 'Directory'),
    copies: numberOf(replica, 'Copies') ?? 0,
    behindBytes: numberOf(replica, 'BehindBytes') ?? 0,
    localEvents: numberOf(replica, 'LocalEvents') ?? 0,
    watched,
    takingOver: takingOver.flatMap(toTaking),
    takenOver: numberOf(replica, 'TakenOver') ?? 0,
    takenOverEvents: numberOf(replica, 'TakenOverEvents') ?? 0,
    returnedEvents: numberOf(replica, 'ReturnedEvents') ?? 0,
    setAside: numberOf(replica, 'SetAside') ?? 0,
    wasFenced: replica['WasFenced'] === true,
  }
}

/** A collector that is taken over, and its events that are not in the file system. */
const toTaking = (one: unknown): { readonly id: string; readonly waitingEvents: number; readonly problem: string }[] =>
  isRecord(one)
    ? [{ id: textOf(one, 'id'), waitingEvents: numberOf(one, 'waitingEvents') ?? 0, problem: textOf(one, 'problem') }]
    : []

/** Where its file systems are, by their places in the one name space. */
const readFileSystems = async (rpc: RpcClient, metrics: string) => {
  const { value } = await rpc.readMany(`${metrics}.filesystem:*`, ['Path', 'Url']).catch(() => ({ value: {} }))
  return Object.values(value).map(({ Path, Url }) => ({ path: String(Path), url: String(Url) }))
}

/** Events that wait for the broker, over all types. */
const readRealtimeQueued = async (rpc: RpcClient, names: BeanNames): Promise<number> => {
  const { value } = await rpc.readMany(`${names.realtimeQueue},*`, ['QueueSize']).catch(() => ({ value: {} }))
  return Object.values(value).reduce((all, one) => all + (numberOf(one, 'QueueSize') ?? 0), 0)
}

/** What it does, and where: its listeners at the ports that are bound, the management's apart, which was asked, and its data. */
const toPlaces = (settings: unknown, listeners: unknown) => {
  const values = isRecord(settings) ? settings : {}
  const services = textOf(values, 'services')
    .split(',')
    .filter(one => one !== '')
  const places = Object.entries({ ...(isRecord(listeners) ? listeners : {}), data: textOf(values, 'data.dir') })
  const addresses = places.filter(
    (place): place is [string, string] => place[0] !== 'admin' && typeof place[1] === 'string' && place[1] !== '',
  )
  return { services, addresses: Object.fromEntries(addresses) }
}
