import { toBeanLink } from './beans/bean-list.js'
import { toBeanName } from './beans/bean-name.js'
import { createScroll, createTable, h, setText } from './elements/dom.js'
import { formatCount, toMoment } from './elements/format.js'

/**
 * @template Value
 * @typedef {import('../../client/types.ts').ReadResult<Value>} ReadResult
 */
/** @typedef {import('../../audit.ts').AuditEntry} AuditEntry */
/** @typedef {{ Recent: readonly AuditEntry[], Done: number, Denied: number, Failed: number }} Trail */

const heads = ['When (UTC)', 'Who', 'What', 'With', 'Outcome', 'Result']
const kinds = { exec: 'operation', write: 'attribute', read: 'read' }
const states = { ok: 'ok', denied: 'warn', failed: 'error' }

/**
 * The newest writes and operations, and how they ended.
 * @param {{ vendor: () => string }} options
 */
export const createAuditView = ({ vendor }) => {
  const body = h('tbody')
  const summary = h('p', { class: 'hint', role: 'status' }, 'Loading')
  const table = createScroll('Audit trail', createTable(heads, body))
  table.hidden = true
  const element = h('section', { class: 'panel audit' }, h('h2', {}, 'Audit trail'), summary, table)
  let last = ''
  return {
    element,
    /** @returns {readonly import('./server/rpc.js').Call[]} */
    calls: () => [{ method: 'read', params: { mbean: `${vendor()}.metrics:name=Audit` } }],
    /** @param {readonly import('./server/rpc.js').Call[]} _asked @param {readonly import('./server/rpc.js').Outcome[]} outcomes */
    show: (_asked, [outcome]) => {
      if (!outcome || !('result' in outcome)) return setText(summary, outcome?.error.message ?? '')
      const { Recent, Done, Denied, Failed } = /** @type {ReadResult<Trail>} */ (outcome.result).value
      setText(
        summary,
        Recent.length === 0
          ? 'Nobody has changed anything since the start.'
          : `${formatCount(Done, 'change')} carried out, ${Denied} denied, ${Failed} failed since the start; the newest are kept here, all are in the log.`,
      )
      const text = JSON.stringify(Recent)
      table.hidden = Recent.length === 0
      if (text === last) return
      last = text
      body.replaceChildren(...Recent.toReversed().map(toRow))
    },
  }
}

/** @param {AuditEntry} entry */
const toRow = ({ at, who, from, action, mbean, member, arguments: given, outcome, result }) =>
  h(
    'tr',
    { 'data-state': states[outcome] },
    h('td', { class: 'moment' }, toMoment(at)),
    h('td', {}, who, h('span', { class: 'rest' }, from)),
    h(
      'td',
      {},
      h('a', { href: toBeanLink(mbean) }, toBeanName(mbean).title),
      ` ${member}`,
      h('span', { class: 'rest' }, kinds[action]),
    ),
    h('td', {}, h('code', {}, given)),
    h('td', {}, h('strong', { class: 'word' }, outcome)),
    h('td', {}, h('code', {}, result)),
  )
