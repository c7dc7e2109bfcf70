import type { RpcClient } from '../../client/rpc-client.ts'
import type { Attributes } from '../../client/types.ts'
import { type BeanNames, readBeans, toBeanNames, toFlag, toNumber, toText } from './collector-beans.ts'
import { toItems, toProblems } from './problems.ts'

/** A server at one glance; what it does not have is null. */
export type ServerStatus = Awaited<ReturnType<typeof readServerStatus>>

/** What runs, what waits and what is wrong, in two requests. */
export const readServerStatus = async (rpc: RpcClient) => {
  const { version, vendor, startedAt, node } = await rpc.version()
  const names = toBeanNames(vendor)
  const metrics = `${vendor}.metrics`
  const beans = [names.spool, names.realtime, `${metrics}:name=Health`, `${metrics}:name=Settings`]
  const [read, fileSystems, realtimeQueued] = await Promise.all([
    readBeans(rpc, beans),
    readFileSystems(rpc, metrics),
    readRealtimeQueued(rpc, names),
  ])
  const [spool = {}, realtime = {}, health = {}, settings = {}] = read
  const items = toItems(health['Items'])
  const problems = toProblems(items, spool)
  return {
    code: (['ERROR', 'WARN'] as const).find(code => problems.some(problem => problem.code === code)) ?? 'OK',
    server: {
      version,
      node,
      startedAt,
      uptimeSeconds: Math.max(0, Math.round((Date.now() - startedAt) / 1_000)),
      ...toPlaces(settings['Settings']),
      fileSystems,
    },
    waiting: toWaiting(spool, toFlag(realtime, 'Enabled') ?? null, realtimeQueued),
    health: items,
    problems,
  }
}

const toWaiting = (spool: Attributes, realtimeEnabled: boolean | null, realtimeQueued: number) => {
  const number = (name: string): number | null => toNumber(spool, name) ?? null
  return {
    flushEnabled: toFlag(spool, 'FlushEnabled') ?? null,
    /** Taken, and not yet on the local disk. */
    inMemory: { events: number('QueuedEvents'), bytes: number('QueuedBytes') },
    /** In the spool, on their way to the file system; events of the open segment too. */
    spool: {
      events: sum(number('PendingEvents'), number('OpenEvents')),
      files: number('PendingFiles'),
      bytes: number('PendingBytes'),
      oldestSeconds: number('OldestSeconds'),
    },
    quarantine: { files: number('QuarantinedFiles'), events: number('QuarantinedEvents') },
    taken: { files: number('TakenFiles'), events: number('TakenEvents') },
    realtime: { enabled: realtimeEnabled, events: realtimeQueued },
  }
}

const sum = (a: number | null, b: number | null): number | null => (a === null ? b : a + (b ?? 0))

/** Where its file systems are, by their places in the one name space. */
const readFileSystems = async (rpc: RpcClient, metrics: string) => {
  const { value } = await rpc.readMany(`${metrics}.filesystem:*`, ['Path', 'Url']).catch(() => ({ value: {} }))
  return Object.values(value).map(({ Path, Url }) => ({ path: String(Path), url: String(Url) }))
}

/** Events that wait for the broker, over all types. */
const readRealtimeQueued = async (rpc: RpcClient, names: BeanNames): Promise<number> => {
  const { value } = await rpc.readMany(`${names.realtimeQueue},*`, ['QueueSize']).catch(() => ({ value: {} }))
  return Object.values(value).reduce((all, one) => all + (toNumber(one, 'QueueSize') ?? 0), 0)
}

/** What it does, and at which addresses, from its settings. */
const toPlaces = (settings: unknown) => {
  const values = typeof settings === 'object' && settings !== null ? (settings as Attributes) : {}
  const get = (key: string): string => toText(values, key)
  const services = get('services')
    .split(',')
    .filter(one => one !== '')
  const scheme = get('server.tls.cert') === '' ? 'http' : 'https'
  // Port 0 is a free one, which only the log of its start tells.
  const url = (host: string, port: string): string =>
    ['', '0'].includes(port) ? '' : `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
  const hasScribe = services.includes('collector') && get('collector.scribe.enabled') === 'true'
  const places = {
    server: url(get('server.host'), get('server.port')),
    gateway: url(get('gateway.host') || get('server.host'), get('gateway.port')),
    scribe: hasScribe
      ? `tcp://${get('collector.scribe.host') || get('server.host')}:${get('collector.scribe.port')}`
      : '',
    data: get('data.dir'),
  }
  return { services, addresses: Object.fromEntries(Object.entries(places).filter(([, place]) => place !== '')) }
}
