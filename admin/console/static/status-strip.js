import { createParts, h, setText } from './dom.js'
import { toHeadline } from './status.js'

/**
 * The strip on top of every view: one tile for each part of the server, in words. Only the headline is announced to
 * screen readers, and only when it changes.
 * @param {HTMLElement} element
 */
export const createStatusStrip = element => {
  const headline = h('h1', { class: 'headline', 'aria-live': 'polite' }, 'Asking the server…')
  const list = h('ul', { class: 'tiles' })
  element.append(headline, list)
  const showTiles = createParts(list, ({ id }) => id, createTile)
  return {
    /** @param {readonly import('./status.js').Item[]} items */
    show: items => {
      element.classList.remove('stale')
      setText(headline, toHeadline(items))
      headline.dataset['state'] = worst(items)
      showTiles(items)
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

/** @param {import('./status.js').Item} item */
const createTile = ({ id, title }) => {
  const word = h('strong', { class: 'word' })
  const detail = h('span', { class: 'detail' })
  const element = h('li', { class: 'tile', 'data-item': id }, h('span', { class: 'title' }, title), word, detail)
  return {
    element,
    /** @param {import('./status.js').Item} item */
    show: item => {
      element.dataset['state'] = item.state
      setText(word, item.word)
      setText(detail, item.detail)
      detail.title = item.detail
    },
  }
}

/** @param {readonly import('./status.js').Item[]} items */
const worst = items =>
  /** @type {const} */ (['error', 'warn']).find(state => items.some(item => item.state === state)) ?? 'ok'
