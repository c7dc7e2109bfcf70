import { createCopyButton } from '../elements/clipboard.js'
import { h } from '../elements/dom.js'
import { formatBytes, formatCount, toMoment } from '../elements/format.js'
import { toTree } from '../elements/value-tree.js'
import { shownApis } from '../overview/apis.js'
import { toRefusedLink } from '../refused/refused-query.js'
import { toSameCurl } from '../types/curl.js'

/** @typedef {import('./live-feed.js').LiveEvent} LiveEvent */
/** @typedef {import('./live-feed.js').Rejected} Rejected */

/** Characters of the fields that are shown in the line of an event. */
const previewChars = 300

/**
 * An event as a line that opens: its fields as a tree, or why it was refused and what was sent.
 * @param {LiveEvent} event
 * @param {() => import('../types/curl.js').Target} target
 */
export const createLiveRow = (event, target) => {
  const summary = h('summary', {}, ...toLine(event))
  const details = h('details', {}, summary)
  // Most rows are never opened.
  details.addEventListener('toggle', () => details.append(toBody(event, target())), { once: true })
  return h('li', { class: 'live-row', 'data-kind': event.kind }, details)
}

/** @param {LiveEvent} event */
const toLine = event => {
  const { at, api, peer } = event
  const label = shownApis.find(({ timer }) => timer === api)?.label ?? api
  const way = h('span', { class: 'way' }, `${label} · ${peer}`)
  const time = h('time', { class: 'moment', datetime: new Date(at).toISOString() }, toMoment(at).slice(11))
  if (event.kind === 'accepted') {
    const preview = JSON.stringify(event.fields).slice(0, previewChars)
    return [time, h('strong', { class: 'type-name' }, event.type), way, h('code', { class: 'preview' }, preview)]
  }
  const count = event.events > 1 ? ` × ${event.events}` : ''
  const code = h('strong', { class: 'type-name' }, h('span', { class: 'sr' }, 'Refused: '), `${event.code}${count}`)
  return [time, code, way, h('span', { class: 'preview' }, event.detail)]
}

/** @param {LiveEvent} event @param {import('../types/curl.js').Target} target */
const toBody = (event, target) => {
  const curl = toSameCurl(target, event)
  const actions = curl ? [createCopyButton('Copy as curl', () => curl)] : []
  const cut = event.kind === 'accepted' && event.isCut ? [h('p', { class: 'hint' }, 'Long values are cut at …')] : []
  const about = event.kind === 'accepted' ? [toTree(event.fields), ...cut] : toRefusal(event)
  return h('div', { class: 'live-body' }, ...about, ...actions, ...toElsewhere(event))
}

/** Where refused events like this one are: of its type, or with its code. What was not read is not stored. @param {LiveEvent} event */
const toElsewhere = event => {
  if (event.kind === 'accepted') return [toLink('Refused events of this type', { type: event.type })]
  return event.sent ? [toLink('Stored refused events with this code', { code: event.code })] : []
}

/** @param {string} text @param {Partial<import('../refused/refused-query.js').RefusedFilter>} filter */
const toLink = (text, filter) => h('p', {}, h('a', { href: toRefusedLink(filter) }, text))

/** @param {Rejected} event */
const toRefusal = ({ code, detail, events, sent }) => {
  const pairs = {
    code,
    detail,
    refused: formatCount(events, 'event'),
    sent: sent ? formatBytes(sent.bytes) : 'not read',
  }
  const list = Object.entries(pairs).flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])
  const about = h('dl', { class: 'pairs' }, ...list)
  if (!sent) return [about]
  const label = sent.text === undefined ? 'What was sent, in base64' : 'What was sent'
  const text = `${sent.text ?? sent.base64 ?? ''}${sent.isCut ? '…' : ''}`
  return [about, h('pre', { class: 'sent', tabindex: '0', role: 'region', 'aria-label': label }, text)]
}
