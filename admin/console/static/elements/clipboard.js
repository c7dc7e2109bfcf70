import { h } from './dom.js'

/**
 * A button that copies a text, and says so.
 * @param {string} label
 * @param {() => string} toText
 */
export const createCopyButton = (label, toText) => {
  const told = h('span', { class: 'hint', role: 'status' })
  const button = h('button', {
    type: 'button',
    class: 'small',
    click: async () => {
      const text = toText()
      told.textContent = (await copy(text)) ? 'Copied' : 'Select it and copy it by hand'
    },
  })
  button.append(label)
  return h('span', { class: 'copy' }, button, ' ', told)
}

/** Pages loaded over plain HTTP from another host have no clipboard, but they have selections. @param {string} text */
const copy = async text => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelection(text)
  }
}

/** @param {string} text */
const copySelection = text => {
  const focused = document.activeElement
  const area = h('textarea', { class: 'sr', 'aria-hidden': 'true' })
  area.value = text
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  return isCopied
}
