import { h } from './dom.js'

/**
 * An input for a value of a declared type. `read` gives the value, or throws a message for people.
 * @typedef {{ readonly element: HTMLElement, readonly read: () => unknown, readonly focus: () => void }} Input
 */

/**
 * @param {{ type: string, label: string, id: string, value?: unknown }} what
 * @returns {Input}
 */
export const createInput = ({ type, label, id, value }) => {
  const control = createControl(type, id, value)
  return {
    element: h(
      'div',
      { class: 'field' },
      h('label', { for: id }, label, ' ', h('span', { class: 'type' }, type)),
      control,
    ),
    read: () => toValue(type, control.value, label),
    focus: () => control.focus(),
  }
}

/** @param {string} type @param {string} id @param {unknown} value */
const createControl = (type, id, value) => {
  const common = { id, name: id, spellcheck: 'false', autocomplete: 'off', autocapitalize: 'none' }
  if (type === 'boolean') {
    const select = h('select', common, h('option', { value: 'true' }, 'true'), h('option', { value: 'false' }, 'false'))
    select.value = value === false ? 'false' : 'true'
    return select
  }
  if (type === 'string[]') {
    const area = h('textarea', { ...common, rows: 4, placeholder: 'one per line' })
    area.value = Array.isArray(value) ? value.join('\n') : ''
    return area
  }
  const isNumber = type === 'long' || type === 'int' || type === 'double'
  const input = h('input', {
    ...common,
    type: 'text',
    inputmode: isNumber ? (type === 'double' ? 'decimal' : 'numeric') : 'text',
  })
  input.value = typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
  return input
}

/** @param {string} type @param {string} text @param {string} label */
const toValue = (type, text, label) => {
  if (type === 'boolean') return text === 'true'
  if (type === 'string[]') return text.split('\n').filter(line => line !== '')
  if (type === 'string') return text
  const isInteger = type === 'long' || type === 'int'
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number) || (isInteger && !Number.isSafeInteger(number)))
    throw new Error(
      `${label}: expected ${isInteger ? 'a whole number' : 'a number'}, such as ${isInteger ? '42' : '0.5'}`,
    )
  return number
}
