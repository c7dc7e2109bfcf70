import { createScroll, createTable, h, setText } from '../elements/dom.js'
import { asNumber, formatBytes, formatCount, toDuration, toMoment } from '../elements/format.js'

/**
 * What compaction of tables, and their retention, have done and will do; nothing while both are off.
 *
 * @typedef {{ readonly table: string, readonly hour: string, readonly files: number, readonly newFiles: number, readonly rows: number, readonly repeats: number, readonly bytes: number, readonly newBytes: number }} MergedHour
 * @typedef {{ readonly table: string, readonly hour: string, readonly reason: string }} Failure
 * @typedef {import('../server/figures.js').Values} Values
 */

const heads = ['Hour (UTC)', 'Table', 'Files', 'Became', 'Rows', 'Repeats dropped', 'Saved']

/** @param {Values} values @param {number} at */
const toNextPass = ({ NextPass, Running }, at) => {
  const next = Number(NextPass)
  const now = Running === true ? 'one is under way; ' : ''
  if (next === 0) return `${now}off`
  return `${now}${next <= at ? 'due' : `${toMoment(next)}, in ${toDuration((next - at) / 1_000)}`}`
}

/** @param {Values} values */
const toLastPass = ({ LastPass, LastPassSeconds, Passes }) => {
  if (Number(Passes) === 0) return 'none since the start'
  return `${toMoment(Number(LastPass))}, took ${toDuration(Number(LastPassSeconds))}`
}

/** @param {Values} values */
const toFilesPerHour = ({ Hours, Files, NewFiles }) => {
  const hours = Number(Hours)
  if (hours === 0) return 'no hour was merged since the start'
  const each = [Files, NewFiles].map(files => asNumber(Number(files) / hours))
  return `${each.join(' became ')}, over ${formatCount(hours, 'hour')}`
}

/** @param {Values} values */
const toRemoved = ({ RemovedHours, RemovedRows, RemovedBytes }) => {
  const what = [formatCount(Number(RemovedHours), 'hour'), formatCount(Number(RemovedRows), 'row')]
  return `${what.join(' with ')} removed, ${formatBytes(Number(RemovedBytes))}`
}

/** What each line says. @type {readonly (readonly [name: string, toText: (values: Values, at: number) => string])[]} */
const lines = [
  ['Next pass', toNextPass],
  ['Last pass', toLastPass],
  ['Waiting', ({ WaitingHours }) => `${formatCount(Number(WaitingHours), 'closed hour')} with files to merge`],
  ['Files per hour', toFilesPerHour],
  ['Saved', ({ SavedBytes }) => formatBytes(Number(SavedBytes))],
  ['Repeats dropped', ({ Repeats, Rows }) => `${asNumber(Number(Repeats))} of ${formatCount(Number(Rows), 'row')}`],
  ['Beyond retention', toRemoved],
]

export const createCompactionPanel = () => {
  const values = lines.map(([, toText]) => ({ toText, value: h('dd') }))
  const pairs = lines.flatMap(([name], i) => [h('dt', {}, name), values[i]?.value ?? ''])
  const facts = h('dl', { class: 'pairs' }, ...pairs)
  const failing = h('ul', { class: 'failing' })
  const body = h('tbody')
  const table = createScroll('Hours merged last', createTable(heads, body, { numbersFrom: 2 }))
  const element = h(
    'section',
    { class: 'panel compaction', hidden: true },
    h('h2', {}, 'Compaction of tables'),
    facts,
    failing,
    table,
  )
  /** @param {HTMLElement} list @param {readonly HTMLElement[]} parts */
  const fill = (list, parts) => {
    const next = h('div', {}, ...parts)
    if (next.textContent !== list.textContent) list.replaceChildren(...parts)
  }
  return {
    element,
    /** @param {import('../server/figures.js').Figures} figures */
    show: ({ compaction, at }) => {
      element.hidden = !compaction || (compaction['NextPass'] === 0 && compaction['Passes'] === 0)
      if (element.hidden || !compaction) return
      for (const { toText, value } of values) setText(value, toText(compaction, at))
      const latest = /** @type {readonly MergedHour[]} */ (compaction['Latest'])
      table.hidden = latest.length === 0
      fill(body, latest.map(toRow))
      const failures = /** @type {readonly Failure[]} */ (compaction['Failing'])
      failing.hidden = failures.length === 0
      fill(failing, failures.map(toFailure))
    },
  }
}

/** @param {MergedHour} hour */
const toRow = ({ table, hour, files, newFiles, rows, repeats, bytes, newBytes }) =>
  h(
    'tr',
    {},
    h('td', { class: 'moment' }, toMoment(Date.parse(hour)).slice(0, 16)),
    h('th', { scope: 'row' }, table),
    ...[
      asNumber(files),
      asNumber(newFiles),
      asNumber(rows),
      asNumber(repeats),
      formatBytes(Math.max(0, bytes - newBytes)),
    ].map(text => h('td', { class: 'number' }, text)),
  )

/** @param {Failure} failure */
const toFailure = ({ table, hour, reason }) => {
  const about = [table, hour && toMoment(Date.parse(hour)).slice(0, 16)].filter(one => one !== '').join(', ')
  return h('li', {}, h('strong', {}, about === '' ? 'The pass' : about), ` ${reason}`)
}
