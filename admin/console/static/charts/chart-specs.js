import { asNumber, formatBytes } from '../elements/format.js'
import { shownApis } from '../overview/apis.js'

/** @typedef {import('./chart.js').ChartSpec} ChartSpec */

/** What is drawn, in reading order: what comes in, how it fares, what waits, what goes out, what it costs. */

/** @type {ChartSpec} */
export const eventsSpec = {
  id: 'events',
  title: 'Events by API',
  unit: 'per second',
  about: 'Events that could be read, by the way they came in',
  lines: shownApis.map(({ timer, label }, i) => ({ key: `events:${timer}`, label, color: i + 1 })),
  format: asNumber,
}

/**
 * Latency of one API.
 * @param {string} timer
 * @returns {ChartSpec}
 */
export const toLatencySpec = timer => ({
  id: 'latency',
  title: 'Latency',
  unit: 'ms until the answer',
  about: 'Percentiles of the newest requests of one API',
  lines: [
    { key: `p50:${timer}`, label: 'median', color: 1 },
    { key: `p95:${timer}`, label: 'p95', color: 2 },
    { key: `p99:${timer}`, label: 'p99', color: 5 },
  ],
  format: asNumber,
  spansGaps: true,
})

/** @type {readonly ChartSpec[]} */
export const otherSpecs = [
  {
    id: 'acceptance',
    title: 'Acceptance',
    unit: 'events per second',
    about: 'Accepted: on the local disk. Malformed: could not be read. Refused: answered 503, or 429',
    lines: [
      { key: 'accepted', label: 'accepted', color: 3 },
      { key: 'malformed', label: 'malformed', color: 2 },
      { key: 'refused', label: 'refused', color: 5 },
    ],
    format: asNumber,
  },
  {
    id: 'waiting',
    title: 'Waiting events',
    unit: 'events not in the file system yet',
    about: 'In memory: not synced. Open: in a segment that still grows. Sealed: in files to be carried',
    lines: [
      { key: 'inMemory', label: 'in memory', color: 1 },
      { key: 'inSegment', label: 'open', color: 6 },
      { key: 'inFiles', label: 'sealed', color: 2 },
      { key: 'quarantined', label: 'quarantined', color: 5 },
    ],
    format: asNumber,
  },
  {
    id: 'spool',
    title: 'Spool',
    unit: 'bytes in sealed files',
    about: 'Sealed files on the local disk that are not in the file system',
    lines: [{ key: 'spoolBytes', label: 'on disk', color: 2 }],
    format: formatBytes,
    minSpan: 1_000_000,
  },
  {
    id: 'flushes',
    title: 'Flushes',
    unit: 'per second, to the file system',
    about: 'Events and files carried to the file system',
    lines: [
      { key: 'flushedEvents', label: 'events', color: 3 },
      { key: 'flushes', label: 'files', color: 1 },
    ],
    format: asNumber,
  },
  {
    id: 'errors',
    title: 'Errors',
    unit: 'per minute',
    about: 'Commits that failed, commits begun again, events whose write to the local disk failed',
    lines: [
      { key: 'flushErrors', label: 'flushes failed', color: 5 },
      { key: 'flushRetries', label: 'retried', color: 2 },
      { key: 'diskErrors', label: 'local disk', color: 4 },
    ],
    format: asNumber,
  },
  {
    id: 'memory',
    title: 'Memory',
    unit: 'bytes of the process',
    about: 'Resident memory, the heap of objects in it, and buffers',
    lines: [
      { key: 'resident', label: 'resident', color: 1 },
      { key: 'heap', label: 'heap', color: 3 },
      { key: 'buffers', label: 'buffers', color: 4 },
    ],
    format: formatBytes,
    minSpan: 1_000_000,
  },
  {
    id: 'gateway',
    title: 'Gateway',
    unit: 'requests per second',
    about: 'Requests of the file gateway by how they were answered',
    lines: [
      { key: 'gatewayOk', label: 'fine', color: 3 },
      { key: 'gatewayClient', label: '4xx', color: 2 },
      { key: 'gatewayServer', label: '5xx', color: 5 },
    ],
    format: asNumber,
  },
]
