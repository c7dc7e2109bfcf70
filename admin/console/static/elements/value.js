import { h } from './dom.js'
import { formatBytes, toDuration, toMoment } from './format.js'

/** Entries of a map or list that are shown at once. */
const maxEntries = 500

/**
 * A value as nodes: exact, with what a person would add beside it.
 * @param {string} name of the attribute, which implies the unit
 * @param {unknown} value
 * @returns {Node}
 */
export const toValueNode = (name, value) => {
  if (value === null || value === undefined) return h('span', { class: 'none' }, 'nothing')
  if (value === '') return h('span', { class: 'none' }, 'empty')
  if (Array.isArray(value)) return toList(value)
  if (typeof value === 'object') return toMap(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const hint = toHint(name, value)
  return h('span', { class: `is-${typeof value}` }, text, ...(hint ? [h('span', { class: 'hint' }, ` ${hint}`)] : []))
}

/** @param {readonly unknown[]} list */
const toList = list => {
  if (list.length === 0) return h('span', { class: 'none' }, 'none')
  const items = list.slice(0, maxEntries).map(one => h('li', {}, toValueNode('', one)))
  return h('ul', { class: 'values' }, ...items, ...more(list.length, 'li'))
}

/** @param {object} map */
const toMap = map => {
  const entries = Object.entries(map)
  if (entries.length === 0) return h('span', { class: 'none' }, 'none')
  const pairs = entries
    .slice(0, maxEntries)
    .flatMap(([key, one]) => [h('dt', {}, key), h('dd', {}, toValueNode(key, one))])
  return h('dl', { class: 'pairs' }, ...pairs, ...more(entries.length, 'dd'))
}

/** @param {number} count @param {'li' | 'dd'} tag */
const more = (count, tag) => (count > maxEntries ? [h(tag, { class: 'none' }, `and ${count - maxEntries} more`)] : [])

/** @param {string} name @param {unknown} value */
const toHint = (name, value) => {
  if (typeof value !== 'number') return undefined
  if (/bytes/i.test(name)) return Math.abs(value) < 1_000 ? undefined : formatBytes(value)
  if (/seconds$/i.test(name)) return value < 60 ? 's' : toDuration(value)
  if (/^(at|start.?time|started.?at)$/i.test(name)) return `${toMoment(value)} UTC`
  return undefined
}
