import { createCopyButton } from '../elements/clipboard.js'
import { h } from '../elements/dom.js'
import { formatBytes, toErrorText, toMoment } from '../elements/format.js'
import { shownApis } from '../overview/apis.js'
import { call } from '../server/rpc.js'
import { toTypeLink } from '../types/type-table.js'
import { toTypeText } from './refused-query.js'
import { toPlaceText } from './refused-table.js'
import { replayIds } from './replay.js'
import { createReplayPanel } from './replay-panel.js'

/** @typedef {import('./refused-query.js').RefusedWhole} RefusedWhole */

/**
 * One refused event: why, what was sent with the place marked, and a button to send it again.
 * @param {string} id
 * @param {{ mbean: () => string, canOperate: () => boolean, back: string }} options
 */
export const createRefusedDetail = (id, { mbean, canOperate, back }) => {
  const heading = h('h2', { tabindex: '-1' }, 'Refused event')
  const content = h('div', {}, h('p', { class: 'empty', role: 'status' }, 'Loading'))
  const element = h(
    'article',
    { class: 'type-page refused-page' },
    h('a', { class: 'back', href: back }, '‹ All refused events'),
    heading,
    content,
  )
  const load = async () => {
    try {
      const found = await call('exec', { mbean: mbean(), operation: 'show', arguments: [id] })
      show(/** @type {RefusedWhole} */ (found))
    } catch (error) {
      content.replaceChildren(h('p', { class: 'empty', role: 'alert' }, toErrorText(error)))
    }
  }
  const replay = createReplayPanel({ mbean, canOperate, onDone: () => void load() })
  const button = replay.createButton('Replay…', () => ({
    what: 'this event',
    operation: 'replay',
    run: onProgress => replayIds(mbean(), [id], onProgress),
  }))
  /** @param {RefusedWhole} refused */
  const show = refused => {
    heading.textContent = `${toTypeText(refused.type)}: ${refused.kind === 'set-aside' ? 'set aside' : refused.code}`
    const { isReplayed, notReplayable } = refused
    const state = isReplayed
      ? h('p', { class: 'good' }, 'It is in by now: it was sent again.')
      : notReplayable !== undefined
        ? h('p', { class: 'hint' }, `It cannot be replayed: ${notReplayable}.`)
        : h('div', { class: 'buttons' }, button)
    content.replaceChildren(
      h('p', { class: 'reason' }, refused.detail),
      state,
      replay.element,
      toFacts(refused),
      h('h3', {}, 'What was sent'),
      ...toSent(refused),
    )
  }
  return { element, load, focus: () => heading.focus({ preventScroll: true }) }
}

/** @param {RefusedWhole} refused */
const toFacts = refused => {
  const { when, type, code, peer, api, method, target, contentType, bytes, isCut } = refused
  const label = shownApis.find(({ timer }) => timer === api)?.label ?? api
  const link = type === '' ? 'unknown: it could not be read' : h('a', { href: toTypeLink(type) }, type)
  /** @type {readonly (readonly [string, Node | string])[]} */
  const pairs = [
    ['When', `${toMoment(when)} UTC`],
    ['Type', link],
    ['Code', code],
    ['Place', toPlaceText(refused)],
    ['From', `${peer || 'unknown'} by ${label}`],
    ['Request', `${method} ${target}${contentType ? ` as ${contentType}` : ''}`],
    ['Size', `${formatBytes(bytes)}${isCut ? ', only the beginning is stored' : ''}`],
  ]
  return h('dl', { class: 'pairs' }, ...pairs.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]))
}

/** @param {RefusedWhole} refused @returns {readonly HTMLElement[]} */
const toSent = ({ sent, sentBase64, mark, isCut, method }) => {
  const text = sent ?? sentBase64
  if (text === undefined)
    return [
      h(
        'p',
        { class: 'hint' },
        method === 'GET' ? 'All of it stands in the address of the request.' : 'Nothing of it is stored.',
      ),
    ]
  const label = sent === undefined ? 'What was sent, in base64' : 'What was sent'
  const parts =
    sent === undefined || mark === undefined
      ? [text]
      : [sent.slice(0, mark.start), h('mark', {}, sent.slice(mark.start, mark.end)), sent.slice(mark.end)]
  const hint = mark ? [h('p', { class: 'hint' }, 'The reason is about the marked place.')] : []
  const pre = h(
    'pre',
    { class: 'sent', tabindex: '0', role: 'region', 'aria-label': label },
    ...parts,
    isCut ? '…' : '',
  )
  return [...hint, pre, createCopyButton('Copy', () => text)]
}
