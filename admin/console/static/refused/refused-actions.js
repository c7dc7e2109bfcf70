import { createActionButton } from '../elements/action-button.js'
import { h, setText } from '../elements/dom.js'
import { asNumber, formatCount } from '../elements/format.js'
import { quickActions } from '../overview/quick-actions.js'
import { spans, toSearch } from './refused-query.js'
import { replayAll, replayIds } from './replay.js'
import { createReplayPanel } from './replay-panel.js'

/**
 * What can be done with refused events: replay some, or all that fit, and bring the newest into files.
 * @param {{
 *   vendor: () => string, mbean: () => string, canOperate: () => boolean, onDone: () => void,
 *   chosen: () => string[], wanted: () => import('./refused-query.js').RefusedFilter,
 * }} options
 */
export const createRefusedActions = ({ vendor, mbean, canOperate, onDone, chosen, wanted }) => {
  const replay = createReplayPanel({ mbean, canOperate, onDone })
  const some = replay.createButton('Replay chosen…', () => {
    // The oldest first, in order of arrival.
    const ids = chosen().reverse()
    return {
      what: formatCount(ids.length, 'refused event'),
      operation: 'replay',
      run: onProgress => replayIds(mbean(), ids, onProgress),
    }
  })
  const every = replay.createButton('Replay all that fit…', () => ({
    what: toWords(wanted()),
    operation: 'replay',
    run: onProgress => {
      const now = Date.now()
      const filter = wanted()
      return replayAll(mbean(), (before, limit) => toSearch(filter, now, before, limit), onProgress)
    },
  }))
  const told = h('p', { role: 'status' })
  const { label, title, sentence, bean, operation, toText } = quickActions.flushNow
  const flush = createActionButton(
    () => ({ label, title, sentences: [sentence], mbean: `${vendor()}.${bean}`, operation, toText }),
    {
      label,
      canOperate: canOperate(),
      tell: (text, kind) => told.replaceChildren(h('span', { class: kind }, text)),
      onDone,
    },
  )
  return {
    buttons: h('div', { class: 'buttons' }, some, every),
    flush,
    /** The outcome. */
    outcome: h('div', {}, told, replay.element),
    clear: () => {
      replay.clear()
      told.replaceChildren()
    },
    showChoice: () => {
      const count = chosen().length
      some.disabled = count === 0 || !canOperate()
      setText(some, count === 0 ? 'Replay chosen…' : `Replay ${asNumber(count)} chosen…`)
    },
  }
}

/** @param {import('./refused-query.js').RefusedFilter} filter */
const toWords = ({ type, code, since }) =>
  [
    'all refused events',
    ...(type === '' ? [] : [`of ${type}`]),
    ...(code === '' ? [] : [`with the code ${code}`]),
    ...(since === '' ? [] : [`of the ${spans.find(([word]) => word === since)?.[1].toLowerCase()}`]),
  ].join(' ')
