import { shownApis } from '../overview/apis.js'

/**
 * What happened between two polls, per second; null where it cannot be known, such as across a restart.
 *
 * @typedef {import('./figures.js').Figures} Figures
 * @typedef {Readonly<Record<string, number | null>>} Sample
 */

/**
 * The values of one point of all charts, by key. Keys of an API are `<what>:<timer>`.
 * @param {Figures} now
 * @param {Figures | undefined} before
 * @returns {Sample}
 */
export const toSample = (now, before) => {
  const seconds = before && before.startedAt === now.startedAt ? (now.at - before.at) / 1_000 : 0
  /** @param {unknown} current @param {unknown} old */
  const rate = (current, old) => {
    if (seconds <= 0 || typeof current !== 'number' || typeof old !== 'number' || current < old) return null
    return (current - old) / seconds
  }
  /** @param {'spool' | 'queue' | 'gateway'} part @param {...string} names */
  const rateOf = (part, ...names) => {
    const parts = names.map(name => rate(now[part]?.[name], before?.[part]?.[name]))
    return parts.includes(null) ? null : parts.reduce((sum, one) => Number(sum) + Number(one), 0)
  }
  /** @param {'spool' | 'runtime'} part @param {string} name */
  const level = (part, name) => {
    const value = now[part]?.[name]
    return typeof value === 'number' && Number.isFinite(value) ? value : null
  }

  const requests = rateOf('gateway', 'Requests')
  const failures = [rateOf('gateway', 'ClientErrors'), rateOf('gateway', 'ServerErrors')]
  return {
    received: rate(now.received, before?.received),
    accepted: rateOf('queue', 'WrittenEvents'),
    refused: rateOf('queue', 'DroppedEvents', 'ErroredEvents', 'IgnoredEvents'),
    ...toApiSample(now, before, rate),
    inMemory: level('spool', 'QueuedEvents'),
    inSegment: level('spool', 'OpenEvents'),
    inFiles: level('spool', 'PendingEvents'),
    quarantined: level('spool', 'QuarantinedEvents'),
    spoolBytes: level('spool', 'PendingBytes'),
    flushedEvents: rateOf('spool', 'FlushedEvents'),
    flushes: rateOf('spool', 'Flushes'),
    flushErrors: perMinute(rateOf('spool', 'FlushErrors')),
    flushRetries: perMinute(rateOf('spool', 'FlushRetries')),
    diskErrors: perMinute(rateOf('spool', 'ErroredEvents')),
    resident: level('runtime', 'ResidentBytes'),
    heap: level('runtime', 'HeapUsedBytes'),
    buffers: level('runtime', 'ArrayBufferBytes'),
    gatewayOk: requests === null ? null : Math.max(0, requests - Number(failures[0]) - Number(failures[1])),
    gatewayClient: failures[0] ?? null,
    gatewayServer: failures[1] ?? null,
  }
}

/**
 * @param {Figures} now
 * @param {Figures | undefined} before
 * @param {(current: unknown, old: unknown) => number | null} rate
 * @returns {Sample}
 */
const toApiSample = (now, before, rate) => {
  /** @type {Record<string, number | null>} */
  const sample = {}
  let known = 0
  let malformed = 0
  for (const { timer, meter } of shownApis) {
    const api = now.apis.get(timer)
    const old = before?.apis.get(timer)
    if (!api) continue
    const calls = rate(api.requests, old?.requests)
    const read = rate(api.read, old?.read)
    const failed = rate(api.failed, old?.failed)
    known += Number(read) + Number(failed)
    malformed += Number(failed)
    const rest = rate(now.received, before?.received)
    sample[`requests:${timer}`] = calls
    sample[`malformed:${timer}`] = failed
    // Requests turned away unread count as received too, so the rest is Scribe's only where Scribe was called.
    sample[`events:${timer}`] = meter || rest === null ? read : calls ? Math.max(0, rest - known) : 0
    // Percentiles are those of the newest calls, however old: without a call there is nothing to draw.
    for (const p of /** @type {const} */ (['p50', 'p95', 'p99'])) sample[`${p}:${timer}`] = calls ? api[p] : null
  }
  return { ...sample, malformed: before ? malformed : null }
}

/** @param {number | null} perSecond */
const perMinute = perSecond => (perSecond === null ? null : perSecond * 60)
