import { h, setCurrent, setText } from '../elements/dom.js'
import { findBeans } from './bean-catalog.js'
import { toBeanName } from './bean-name.js'

/** Beans that are shown at once; a search finds the others. */
const maxShown = 400

/** Address of a bean's page. @param {string} mbean */
export const toBeanLink = mbean => `#beans/${encodeURIComponent(mbean)}`

/**
 * The search and the list under it. Arrow keys move from the search into the list and through it, Escape leads back.
 * @param {{ onRefresh: () => void }} options
 */
export const createBeanList = ({ onRefresh }) => {
  /** @type {readonly import('./bean-catalog.js').BeanInfo[]} */
  let beans = []
  let selected = ''
  const input = h('input', {
    type: 'search',
    id: 'bean-search',
    placeholder: 'Search names, attributes, operations',
    'aria-label': 'Search beans',
    'aria-controls': 'bean-list',
    spellcheck: 'false',
    autocomplete: 'off',
    input: () => render(),
  })
  const count = h('p', { class: 'hint', role: 'status' })
  const list = h('div', { id: 'bean-list', class: 'bean-list' })
  const reload = h('button', { type: 'button', class: 'small', click: onRefresh }, 'Load again')
  const element = h(
    'section',
    { class: 'bean-side', 'aria-label': 'Beans' },
    h('div', { class: 'search' }, input),
    h('div', { class: 'count' }, count, reload),
    list,
  )

  const render = () => {
    const found = findBeans(beans, input.value)
    const shown = found.slice(0, maxShown)
    const groups = Map.groupBy(shown, ({ mbean }) => toBeanName(mbean).domain)
    list.replaceChildren(...Array.from(groups, ([domain, members]) => toGroup(domain, members, selected)))
    const hidden = found.length - shown.length
    setText(
      count,
      `${found.length} of ${beans.length} beans${hidden > 0 ? `; the first ${shown.length} are shown` : ''}`,
    )
  }
  const links = () => [...list.querySelectorAll('a')]

  element.addEventListener('keydown', event => {
    const all = links()
    const at = all.findIndex(link => link.matches(':focus'))
    const target = toTarget(event.key, at, all.length)
    if (event.key === 'Escape') {
      if (at < 0) {
        input.value = ''
        render()
      } else input.focus()
    } else if (event.key === 'Enter' && at < 0 && document.activeElement === input) {
      all[0]?.click()
    } else if (target === -1) input.focus()
    else if (target !== undefined) all[target]?.focus()
    else return
    event.preventDefault()
  })
  return {
    element,
    focus: () => {
      input.focus()
      input.select()
    },
    focusSelected: () => (links().find(link => link.dataset['bean'] === selected) ?? input).focus(),
    /** @param {readonly import('./bean-catalog.js').BeanInfo[]} loaded */
    show: loaded => {
      beans = loaded
      render()
    },
    /** @param {string} mbean */
    select: mbean => {
      selected = mbean
      for (const link of links()) setCurrent(link, link.dataset['bean'] === mbean)
    },
  }
}

/**
 * Where a key leads from a place in the list: −1 is the search.
 * @param {string} key @param {number} at −1 in the search @param {number} size
 */
const toTarget = (key, at, size) => {
  if (key === 'ArrowDown') return Math.min(at + 1, size - 1)
  if (key === 'ArrowUp') return Math.max(at - 1, -1)
  if (at >= 0 && key === 'Home') return 0
  if (at >= 0 && key === 'End') return size - 1
  return undefined
}

/** @param {string} domain @param {readonly import('./bean-catalog.js').BeanInfo[]} members @param {string} selected */
const toGroup = (domain, members, selected) =>
  h(
    'section',
    {},
    h('h2', {}, domain),
    h(
      'ul',
      {},
      ...members.map(({ mbean }) => {
        const { title, rest } = toBeanName(mbean)
        const props = {
          href: toBeanLink(mbean),
          'data-bean': mbean,
          title: mbean,
          'aria-current': mbean === selected && 'page',
        }
        return h('li', {}, h('a', props, title, ...(rest ? [h('span', { class: 'rest' }, rest)] : [])))
      }),
    ),
  )
