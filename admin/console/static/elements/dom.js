/**
 * Makes an element. Functions listen to the event of their name, `true` is an empty attribute, `false` and
 * `undefined` none. Children that are text become text nodes: nothing from the server is ever read as HTML.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Readonly<Record<string, string | number | boolean | undefined | ((event: Event) => unknown)>>} [props]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export const h = (tag, props = {}, ...children) => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue
    if (typeof value === 'function') element.addEventListener(name, event => value(event))
    else element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(...children)
  return element
}

/**
 * A table with its headings.
 * @param {readonly string[]} heads
 * @param {HTMLElement} body
 * @param {{ class?: string, numbersFrom?: number }} [look] from which column on there are numbers
 */
export const createTable = (heads, body, { class: name, numbersFrom = heads.length } = {}) => {
  const cells = heads.map((head, i) => h('th', { scope: 'col', class: i >= numbersFrom && 'number' }, head))
  return h('table', { class: name }, h('thead', {}, h('tr', {}, ...cells)), body)
}

/**
 * A region in which what is too wide scrolls, also by keyboard.
 * @param {string} label
 * @param {HTMLElement} content
 */
export const createScroll = (label, content) =>
  h('div', { class: 'scroll', role: 'region', 'aria-label': label, tabindex: '0' }, content)

/**
 * Keeps a part of the page for each item: made when the item appears, removed when it is gone.
 * @template Item
 * @param {HTMLElement} list
 * @param {(item: Item) => string} keyOf
 * @param {(item: Item) => { readonly element: HTMLElement, readonly show: (item: Item) => void }} create
 */
export const createParts = (list, keyOf, create) => {
  /** @type {Map<string, ReturnType<typeof create>>} */
  const parts = new Map()
  /** @param {readonly Item[]} items */
  return items => {
    const keys = new Set(items.map(keyOf))
    for (const [key, { element }] of parts) {
      if (keys.has(key)) continue
      element.remove()
      parts.delete(key)
    }
    for (const item of items) {
      const part = parts.get(keyOf(item)) ?? create(item)
      if (!parts.has(keyOf(item))) list.append(part.element)
      parts.set(keyOf(item), part)
      part.show(item)
    }
  }
}

/**
 * Sets a text where it differs, so that screen readers and selections are not disturbed.
 * @param {Element} element
 * @param {string} text
 */
export const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text
}

/**
 * Marks the link that leads to what is shown.
 * @param {Element} link
 * @param {boolean} isCurrent
 */
export const setCurrent = (link, isCurrent) => {
  if (isCurrent) link.setAttribute('aria-current', 'page')
  else link.removeAttribute('aria-current')
}

/**
 * An element of the page itself.
 * @param {string} id
 */
export const byId = id => {
  const element = document.getElementById(id)
  if (!element) throw new Error(`The page has no #${id}`)
  return element
}
