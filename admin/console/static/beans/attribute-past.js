import { asNumber, formatBytes } from '../elements/format.js'

/** Attributes that the bean `History` keeps as they are, by the property `name` of their bean. */
const kept = /** @type {Readonly<Record<string, Readonly<Record<string, string>>>>} */ ({
  Spool: {
    QueuedEvents: 'inMemory',
    OpenEvents: 'inSegment',
    PendingEvents: 'inFiles',
    PendingFiles: 'spoolFiles',
    PendingBytes: 'spoolBytes',
    QuarantinedEvents: 'quarantined',
    OldestSeconds: 'oldestSeconds',
  },
  Runtime: {
    ResidentBytes: 'resident',
    HeapUsedBytes: 'heap',
    ArrayBufferBytes: 'buffers',
    EventLoopDelayMax: 'loopDelay',
  },
})

/** @type {Readonly<Record<string, string>>} */
const percentiles = { '50thPercentile': 'p50', '95thPercentile': 'p95', '99thPercentile': 'p99' }

/**
 * The column of the bean `History` that holds an attribute; undefined where the server does not remember it.
 * @param {string} mbean @param {string} name
 */
export const toPastKey = (mbean, name) => {
  const bean = /[:,]name=([^,]*)/.exec(mbean)?.[1] ?? ''
  if (bean.endsWith('_API') && Object.hasOwn(percentiles, name)) return `${percentiles[name]}:${bean}`
  const keys = Object.hasOwn(kept, bean) ? kept[bean] : undefined
  return keys && Object.hasOwn(keys, name) ? keys[name] : undefined
}

/** @typedef {{ readonly unit: string, readonly format: (value: number | null | undefined) => string }} Measure */

/** By what the names of attributes end in. @type {readonly (Measure & { readonly of: RegExp })[]} */
const measures = [
  { of: /bytes(in|out)?$/i, unit: 'bytes', format: formatBytes },
  { of: /rate$/i, unit: 'per second', format: asNumber },
  { of: /(millis|ms|percentile|(millis|delay)(mean|max|tp\d+))$/i, unit: 'ms', format: asNumber },
  { of: /seconds$/i, unit: 's', format: asNumber },
  { of: /utilization$/i, unit: 'of 1', format: asNumber },
]

/**
 * The unit of an attribute, as far as its name says; `unit` is empty for counts.
 * @param {string} name
 * @returns {Measure}
 */
export const toMeasure = name => {
  const { unit, format } = measures.find(({ of }) => of.test(name)) ?? { unit: '', format: asNumber }
  return { unit, format }
}
