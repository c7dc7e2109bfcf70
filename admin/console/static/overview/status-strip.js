import { createActionButton, needsOperate } from '../elements/action-button.js'
import { createParts, h, setText } from '../elements/dom.js'
import { createProblems } from './problem-view.js'
import { quickActions } from './quick-actions.js'
import { toHeadline } from './status.js'

/** @typedef {{ vendor: () => string, canOperate: () => boolean, onDone: () => void }} Operator */

/**
 * The strip on top of every view: one tile for each part of the server, in words. Only the headline is announced to
 * screen readers, and only when it changes.
 * @param {HTMLElement} element
 * @param {Operator} operator
 */
export const createStatusStrip = (element, operator) => {
  const headline = h('h1', { class: 'headline', 'aria-live': 'polite' }, 'Asking the server…')
  const list = h('ul', { class: 'tiles' })
  element.append(headline, list)
  const showTiles = createParts(
    list,
    ({ id }) => id,
    item => createTile(item, operator),
  )
  return {
    /** @param {readonly import('./status.js').Item[]} items @param {number} at ms since the epoch, by the server's clock */
    show: (items, at) => {
      element.classList.remove('stale')
      setText(headline, toHeadline(items))
      headline.dataset['state'] = worst(items)
      showTiles(items.map(item => ({ ...item, at })))
    },
    /**
     * What was last known is not what is.
     * @param {string} why
     */
    markStale: why => {
      element.classList.add('stale')
      setText(headline, why)
      headline.dataset['state'] = 'error'
    },
    clear: () => {
      showTiles([])
      setText(headline, '')
    },
  }
}

/** @typedef {import('./status.js').Item & { readonly at: number }} Shown */

/** @param {Shown} item @param {Operator} operator */
const createTile = ({ id, title }, operator) => {
  const word = h('strong', { class: 'word' })
  const detail = h('span', { class: 'detail' })
  const acts = h('span', { class: 'acts' })
  const why = h('span', { class: 'hint', hidden: true }, needsOperate)
  const result = h('output', {})
  const head = h('span', { class: 'head' }, h('span', { class: 'title' }, title), word, acts)
  const problems = createProblems()
  const element = h('li', { class: 'tile', 'data-item': id }, head, problems.element, detail, why, result)
  let offered = ''
  /** @type {Parameters<typeof createActionButton>[1]['tell']} */
  const tell = (text, kind) => {
    const dismiss = h('button', { type: 'button', class: 'small', click: () => result.replaceChildren() }, 'Close')
    result.replaceChildren(h('span', { class: kind }, text), ...(kind === 'busy' ? [] : [' ', dismiss]))
  }
  /** @param {import('./status.js').QuickAction} name */
  const toButton = name => {
    const { label, sentence, bean, ...rest } = quickActions[name]
    const action = () => ({ ...rest, label, sentences: [sentence], mbean: `${operator.vendor()}.${bean}` })
    return createActionButton(action, { label, canOperate: operator.canOperate(), tell, onDone: operator.onDone })
  }
  return {
    element,
    /** @param {Shown} item */
    show: item => {
      element.dataset['state'] = item.state
      element.classList.toggle('wide', (item.problems ?? []).length > 0)
      problems.show(item.problems ?? [], item.at)
      setText(word, item.word)
      setText(detail, item.detail)
      detail.title = item.detail
      const { actions = [] } = item
      const next = `${actions.join()} ${operator.canOperate()}`
      if (next === offered) return
      offered = next
      const hadFocus = acts.contains(document.activeElement)
      acts.replaceChildren(...actions.map(toButton))
      why.hidden = actions.length === 0 || operator.canOperate()
      if (hadFocus) acts.querySelector('button')?.focus()
    },
  }
}

/** @param {readonly import('./status.js').Item[]} items */
const worst = items =>
  /** @type {const} */ (['error', 'warn']).find(state => items.some(item => item.state === state)) ?? 'ok'
