import { toExactText } from '../server/exact-json.js'
import { h } from './dom.js'
import { formatCount } from './format.js'

/**
 * A value as a tree: objects and arrays open and close, by mouse and by keyboard. Every name and value is text.
 * @param {unknown} value
 * @returns {HTMLElement}
 */
export const toTree = value => {
  const entries = toEntries(value)
  if (!entries) return toScalar(value)
  if (entries.length === 0) return h('span', { class: 'none' }, Array.isArray(value) ? 'empty list' : 'no fields')
  return h('ul', { class: 'tree' }, ...entries.map(([name, member]) => h('li', {}, ...toMember(name, member))))
}

/** @param {string} name @param {unknown} value @returns {readonly Node[]} */
const toMember = (name, value) => {
  const key = h('span', { class: 'key' }, name)
  const size = toEntries(value)?.length
  if (!size) return [key, toTree(value)]
  const count = h('span', { class: 'hint' }, formatCount(size, Array.isArray(value) ? 'element' : 'field'))
  return [h('details', { open: true }, h('summary', {}, key, count), toTree(value))]
}

/** @param {unknown} value @returns {readonly (readonly [string, unknown])[] | undefined} */
const toEntries = value =>
  typeof value === 'object' && value !== null && toExactText(value) === undefined ? Object.entries(value) : undefined

/** @param {unknown} value */
const toScalar = value => {
  const digits = toExactText(value)
  if (digits !== undefined) return h('span', { class: 'is-number' }, digits)
  if (value === '') return h('span', { class: 'none' }, 'empty text')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return h('span', { class: value === null ? 'none' : `is-${typeof value}` }, text)
}
