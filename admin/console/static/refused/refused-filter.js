import { h } from '../elements/dom.js'
import { spans } from './refused-query.js'

/** Time without typing until a filter counts. */
const typingMs = 250

/** Fields for type, code and time. @param {() => void} onChange */
export const createRefusedFilter = onChange => {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typing
  const type = createField('Type', 'all; _unknown for unreadable ones')
  const code = createField('Code', 'schema-mismatch')
  const since = h('select', { id: 'refused-since' }, ...spans.map(([value, label]) => h('option', { value }, label)))
  const apply = () => {
    clearTimeout(typing)
    onChange()
  }
  for (const { input } of [type, code]) {
    input.addEventListener('input', () => {
      clearTimeout(typing)
      typing = setTimeout(apply, typingMs)
    })
  }
  since.addEventListener('change', apply)
  /** @returns {import('./refused-query.js').RefusedFilter} */
  const read = () => ({ type: type.input.value.trim(), code: code.input.value.trim(), since: since.value })
  return {
    element: h(
      'div',
      { class: 'live-bar', role: 'search' },
      type.element,
      code.element,
      h('div', { class: 'live-field' }, h('label', { for: 'refused-since' }, 'Time'), since),
    ),
    focus: () => type.input.focus(),
    read,
    /** @param {import('./refused-query.js').RefusedFilter} next @returns whether that is another one */
    set: next => {
      const isOther = JSON.stringify(read()) !== JSON.stringify(next)
      type.input.value = next.type
      code.input.value = next.code
      since.value = next.since
      return isOther
    },
  }
}

/** @param {string} label @param {string} placeholder */
const createField = (label, placeholder) => {
  const id = `refused-${label.toLowerCase()}`
  const input = h('input', { type: 'search', id, placeholder, spellcheck: 'false', autocomplete: 'off' })
  return { input, element: h('div', { class: 'live-field' }, h('label', { for: id }, label), input) }
}
