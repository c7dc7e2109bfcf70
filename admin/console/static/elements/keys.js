import { h } from './dom.js'

/** The lines of the lists that views have; one is open or holds the focus. */
const lines = '.types tbody a, .refused tbody a, #bean-list a, .live-list > li:not([hidden]) > details > summary'

/** What the keys do that work everywhere, for people. */
const help = /** @type {const} */ ([
  ['/', 'Search, or filter'],
  ['j', 'Next line of the list'],
  ['k', 'Previous line of the list'],
  ['Enter', 'Open the line'],
  ['Esc', 'Back to the list'],
  ['?', 'Show these keys'],
])

/**
 * Keys that work everywhere, as on the pages of files. They are off while the user types, or a dialog is open.
 * @param {{ isActive: () => boolean, onSearch: () => void, onBack: () => void }} options
 */
export const listenForKeys = ({ isActive, onSearch, onBack }) => {
  /** @type {Readonly<Record<string, () => void>>} */
  const keys = { '/': onSearch, j: () => step(1), k: () => step(-1), '?': showKeys }
  addEventListener('keydown', event => {
    const { key } = event
    const target = event.target instanceof Element ? event.target : document.body
    const isTyping = target.matches('input, textarea, select') || document.querySelector('dialog[open]') !== null
    if (!isActive() || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    if (key === 'Escape' && target.closest('.bean-main, .type-page')) onBack()
    if (!Object.hasOwn(keys, key)) return
    event.preventDefault()
    keys[key]?.()
  })
}

/** @param {number} by */
const step = by => {
  const all = [...document.querySelectorAll(lines)]
  const at = all.findIndex(line => line.matches(':focus'))
  const next = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))]
  if (next instanceof HTMLElement) next.focus()
}

const showKeys = () => {
  const pairs = help.flatMap(([key, what]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, what)])
  const close = h('button', { type: 'button', click: () => dialog.close() }, 'Close')
  /** @type {HTMLDialogElement} */
  const dialog = h(
    'dialog',
    { class: 'confirm', 'aria-label': 'Keys', close: () => dialog.remove() },
    h('dl', { class: 'pairs' }, ...pairs),
    h('div', { class: 'buttons' }, close),
  )
  document.body.append(dialog)
  dialog.showModal()
}
