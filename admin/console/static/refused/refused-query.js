/**
 * What the bean `Refused` tells of a refused event.
 * @typedef {{
 *   readonly id: string, readonly when: number, readonly kind: string, readonly code: string, readonly detail: string,
 *   readonly type: string, readonly peer: string, readonly api: string, readonly position?: number | null, readonly events: number,
 *   readonly method: string, readonly target: string, readonly contentType?: string | null, readonly bytes: number,
 *   readonly isCut: boolean, readonly notReplayable?: string, readonly isReplayed: boolean,
 * }} Refused
 * @typedef {Refused & { readonly sent?: string, readonly sentBase64?: string, readonly mark?: { readonly start: number, readonly end: number } }} RefusedWhole
 * @typedef {{
 *   readonly rows: readonly Refused[], readonly next?: string, readonly waiting: number, readonly stopped?: string,
 *   readonly unreadable?: readonly { readonly path: string, readonly reason: string }[],
 * }} RefusedPage
 */

/**
 * Which ones are looked at; `since`: one of {@link spans}.
 * @typedef {{ readonly type: string, readonly code: string, readonly since: string }} RefusedFilter
 */

/** Spans of time, by the word in the address. @type {readonly (readonly [word: string, label: string, ms: number])[]} */
export const spans = [
  ['', 'Any time', Number.POSITIVE_INFINITY],
  ['1h', 'Last hour', 3_600_000],
  ['24h', 'Last 24 hours', 86_400_000],
  ['7d', 'Last 7 days', 604_800_000],
]

/** @param {URLSearchParams} query @returns {RefusedFilter} */
export const fromRefusedQuery = query => {
  const since = query.get('since') ?? ''
  return {
    type: query.get('type') ?? '',
    code: query.get('code') ?? '',
    since: spans.some(([word]) => word === since) ? since : '',
  }
}

/** Address of the page with a filter. @param {Partial<RefusedFilter>} filter */
export const toRefusedLink = filter => {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''))
  return query.size === 0 ? '#refused' : `#refused?${query}`
}

/**
 * The arguments of the bean's operations for a filter, at a time.
 * @param {RefusedFilter} filter @param {number} now @param {string} before @param {number} limit
 */
export const toSearch = ({ type, code, since }, now, before, limit) => {
  const ms = spans.find(([word]) => word === since)?.[2] ?? Number.POSITIVE_INFINITY
  return [type === '' ? [] : [type], code, Number.isFinite(ms) ? now - ms : 0, 0, before, limit]
}

/** The text in place of an unknown type. @param {string} type */
export const toTypeText = type => (type === '' ? 'unknown' : type)
