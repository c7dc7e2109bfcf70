import { shownApis } from '../overview/apis.js'

/**
 * What one poll asks for, and what it makes of the answers. A bean that is not there (a server without collector or
 * gateway) leaves its part undefined.
 *
 * @typedef {Readonly<Record<string, unknown>>} Values
 * @typedef {{ code: string, message: string, type: string }} HealthItem
 * @typedef {{ item: string, part: string, code: string, word: string, problem: string, since?: number, meaning: string, advice: string, command: string, runbook: string }} Problem
 * @typedef {{ requests: number, p50: number, p95: number, p99: number, read: number, failed: number }} ApiFigures
 * @typedef {{ url: string, path: string, answers: boolean | undefined, problem: string }} FileSystemFigures
 * @typedef {{
 *   at: number, startedAt: number, version: string,
 *   health: readonly HealthItem[], problems: readonly Problem[],
 *   spool: Values | undefined, queue: Values | undefined, runtime: Values | undefined, gateway: Values | undefined,
 *   realtime: Values | undefined, compaction: Values | undefined, received: number | undefined,
 *   apis: ReadonlyMap<string, ApiFigures>,
 *   fileSystems: readonly FileSystemFigures[],
 * }} Figures
 */

/**
 * The calls of one poll.
 * @param {string} vendor
 * @returns {readonly import('./rpc.js').Call[]}
 */
export const toCalls = vendor => {
  const metrics = `${vendor}.metrics`
  const resources = `${metrics}.collector.endpoint.resources`
  /** @param {string} mbean @param {readonly string[]} [attribute] */
  const read = (mbean, attribute) => ({ method: 'read', params: { mbean, ...(attribute ? { attribute } : {}) } })
  return [
    { method: 'version' },
    read(`${metrics}:name=Health`),
    read(`${metrics}.collector:name=Spool`),
    read(`${metrics}.collector:name=WriterQueueStats`),
    read(`${metrics}:name=Runtime`),
    read(`${metrics}.gateway:name=Gateway`),
    read(`${metrics}.collector:name=RT*`, ['Enabled', 'DroppedEvents', 'ErroredEvents', 'SentEvents']),
    read(`${metrics}.collector.hadoop.processing:type=BufferingEventCollector,name=collectEvent`, ['Count']),
    read(`${resources}:type=*,name=*_API`, ['Count', '50thPercentile', '95thPercentile', '99thPercentile']),
    read(`${resources}:type=EventRequestHandler,name=*`, ['Count']),
    read(`${metrics}.filesystem:*`, ['Url', 'Path', 'Answers', 'Problem']),
    read(`${metrics}.collector:name=Compaction`),
  ]
}

/**
 * @param {readonly import('./rpc.js').Outcome[]} outcomes of {@link toCalls}
 * @returns {Figures}
 */
export const toFigures = outcomes => {
  const [
    version,
    health,
    spool,
    queue,
    runtime,
    gateway,
    realtime,
    collected,
    timers,
    meters,
    fileSystems,
    compaction,
  ] = outcomes.map(outcome => ('result' in outcome ? /** @type {any} */ (outcome.result) : undefined))
  return {
    at: [spool, runtime, health].map(answer => answer?.timestamp).find(at => at !== undefined) ?? Date.now(),
    startedAt: version?.startedAt ?? 0,
    version: version?.version ?? '',
    health: Object.values(health?.value?.Items ?? {}),
    problems: health?.value?.Problems ?? [],
    spool: spool?.value,
    queue: queue?.value,
    runtime: runtime?.value,
    gateway: gateway?.value,
    realtime: realtime && Object.assign({}, ...Object.values(realtime.value)),
    compaction: compaction?.value,
    received: collected?.value?.Count,
    apis: toApis(timers?.value ?? {}, meters?.value ?? {}),
    fileSystems: Object.values(fileSystems?.value ?? {}).map(({ Url, Path, Answers, Problem }) => ({
      url: String(Url),
      path: String(Path),
      answers: Answers ?? undefined,
      problem: String(Problem ?? ''),
    })),
  }
}

/**
 * The first message among the outcomes that is not about a missing bean: a role that is lacking, for example.
 * @param {readonly import('./rpc.js').Outcome[]} outcomes
 */
export const toRefusedCall = outcomes => {
  const denied = outcomes.find(outcome => 'error' in outcome && outcome.error.code === -32001)
  return denied && 'error' in denied ? denied.error.message : undefined
}

/**
 * @param {Readonly<Record<string, Values>>} timers by bean
 * @param {Readonly<Record<string, Values>>} meters by bean
 * @returns {ReadonlyMap<string, ApiFigures>}
 */
const toApis = (timers, meters) => {
  const timerOf = byName(timers)
  const meterOf = byName(meters)
  const found = shownApis.flatMap(({ timer, meter }) => {
    const values = timerOf.get(timer)
    if (!values) return []
    return [[timer, toApi(values, meterOf.get(`${meter}_SUCCESS`), meterOf.get(`${meter}_FAILURE`))]]
  })
  return new Map(/** @type {[string, ApiFigures][]} */ (found))
}

/** @param {Values} timer @param {Values | undefined} read @param {Values | undefined} failed @returns {ApiFigures} */
const toApi = (timer, read, failed) => ({
  requests: Number(timer['Count'] ?? 0),
  p50: Number(timer['50thPercentile'] ?? 0),
  p95: Number(timer['95thPercentile'] ?? 0),
  p99: Number(timer['99thPercentile'] ?? 0),
  read: Number(read?.['Count'] ?? 0),
  failed: Number(failed?.['Count'] ?? 0),
})

/**
 * Beans by the property `name` of their object names.
 * @param {Readonly<Record<string, Values>>} beans
 */
const byName = beans =>
  new Map(Object.entries(beans).map(([mbean, values]) => [/[:,]name=([^,]*)/.exec(mbean)?.[1] ?? mbean, values]))
