import { createParts, h, setText } from '../elements/dom.js'

/** @typedef {import('../server/figures.js').HealthItem} HealthItem */

const words = /** @type {Readonly<Record<string, string>>} */ ({ OK: 'Fine', WARN: 'Warning', ERROR: 'Error' })
const states = /** @type {Readonly<Record<string, string>>} */ ({ OK: 'ok', WARN: 'warn', ERROR: 'error' })

/** The items of the health report with all they say. */
export const createHealthPanel = () => {
  const list = h('div', { class: 'health' })
  const element = h('section', { class: 'panel' }, h('h2', {}, 'Health report'), list)
  const showItems = createParts(list, ({ type }) => type, createItem)
  return {
    element,
    /** @param {readonly HealthItem[]} health */
    show: health => {
      element.hidden = health.length === 0
      showItems(health)
    },
  }
}

/** @param {HealthItem} item */
const createItem = ({ type }) => {
  const word = h('strong', { class: 'word' })
  const details = h('dl', { class: 'pairs' })
  const element = h('article', { class: 'health-item' }, h('h3', {}, toTitle(type), ' ', word), details)
  let last = ''
  return {
    element,
    /** @param {HealthItem} item */
    show: ({ code, message }) => {
      element.dataset['state'] = states[code] ?? 'warn'
      setText(word, words[code] ?? code)
      if (message === last) return
      last = message
      details.replaceChildren(...toPairs(message).flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]))
    },
  }
}

/** Old names that say too little: the file system may be a local directory. */
const titles = /** @type {Readonly<Record<string, string>>} */ ({ HadoopHealthCheck: 'File system' })

/** `WriterHealthCheck` → `Writer`. @param {string} type */
const toTitle = type => titles[type] ?? type.replace(/HealthCheck$/, '')

/**
 * Reads `name: value, name: value`; commas within brackets belong to the value, and what has no colon is a note.
 * @param {string} message
 * @returns {readonly (readonly [string, string])[]}
 */
export const toPairs = message => {
  const parts = message.match(/(?:\{[^{}]*\}|\[[^[\]]*\]|[^,{}[\]])+/g) ?? []
  return parts.map(part => {
    const [, name = 'note', value = part.trim()] = /^\s*([^:]{1,60}):\s+(.*)$/s.exec(part) ?? []
    return [name, value === '' ? '–' : value]
  })
}
