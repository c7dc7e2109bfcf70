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
