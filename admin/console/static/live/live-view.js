import { h, setText } from '../elements/dom.js'
import { asNumber } from '../elements/format.js'
import { createFirstEvent } from '../types/first-event.js'
import { createLiveFeed, toWords } from './live-feed.js'
import { fromQuery, toQuery, toTypes } from './live-filter.js'
import { createLiveList } from './live-list.js'
import { createLiveNotes } from './live-notes.js'
import { createStoredLink } from './stored-link.js'

/** Time without typing until a filter counts. */
const typingMs = 250

/**
 * Events as they arrive.
 * @param {{ target: () => Promise<import('../types/curl.js').Target> }} options
 */
export const createLiveView = ({ target }) => {
  /** @type {import('../types/curl.js').Target} */
  let known = { url: location.origin, needsToken: false }
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typing
  let isOpen = false
  let isPaused = false
  let query = ''

  const types = createField('Types', 'Order, Page*')
  const text = createField('Text', 'in the type or the fields')
  const where = createField('Where', 'status >= 500')
  const refused = createCheck('Only refused')
  const pause = h('button', { type: 'button' }, 'Pause')
  const clear = h('button', { type: 'button' }, 'Clear')
  const state = h('p', { class: 'live-state', id: 'live-state', role: 'status' })
  where.input.setAttribute('aria-describedby', 'live-state')
  const figures = h('span', { class: 'hint' })
  const stored = createStoredLink()
  const notes = createLiveNotes()
  const hint = h('p', {})
  const first = createFirstEvent()
  const empty = h('div', { class: 'live-empty' }, hint, first.element)
  const list = createLiveList({ target: () => known, onChange: () => render() })
  const element = h(
    'section',
    { class: 'live', 'aria-label': 'Live events' },
    h('div', { class: 'live-bar', role: 'search' }, ...[types, text, where, refused].map(toElement), pause, clear),
    h('div', { class: 'live-line' }, state, figures, stored.element, ...notes.elements),
    empty,
    list.element,
  )

  const toFilter = () => ({
    types: toTypes(types.input.value),
    text: text.input.value.trim(),
    where: where.input.value.trim(),
    onlyRefused: refused.input.checked,
  })
  const isFiltered = () => toQuery(toFilter()).size > 0
  const render = () => {
    const { shown, waiting } = list.counts()
    empty.hidden = shown > 0
    first.element.hidden = isFiltered()
    setText(
      hint,
      isFiltered() ? 'Nothing that fits the filter has come.' : 'Events appear here as they come. Send one:',
    )
    stored.show(toTypes(types.input.value))
    setText(pause, isPaused ? `Resume${waiting > 0 ? ` (${asNumber(waiting)} new)` : ''}` : 'Pause')
  }
  const feed = createLiveFeed({
    onEvent: list.add,
    onFigures: told => {
      setText(figures, `${asNumber(told.accepted)} accepted, ${asNumber(told.rejected)} refused in the last second`)
      notes.show(told)
    },
    onState: next => {
      setText(state, toWords(next))
      state.dataset['feed'] = next.kind
      where.input.setAttribute('aria-invalid', String(next.kind === 'refused'))
      if (next.kind === 'live') return
      setText(figures, '')
      notes.clear()
    },
  })
  /** @param {import('./live-filter.js').LiveFilter} filter */
  const setFilter = filter => {
    types.input.value = filter.types.join(', ')
    text.input.value = filter.text
    where.input.value = filter.where
    refused.input.checked = filter.onlyRefused
  }
  /** What is shown is chosen here, what comes by the server; the address says it, so that it can be kept and sent. */
  const apply = () => {
    clearTimeout(typing)
    const filter = toFilter()
    const wanted = toQuery(filter)
    if (isOpen && `${wanted}` === query) return
    query = `${wanted}`
    list.filter(filter)
    if (isOpen) {
      history.replaceState(null, '', wanted.size === 0 ? '#live' : `#live?${wanted}`)
      feed.open(wanted)
    }
    render()
  }
  for (const { input } of [types, text, where]) {
    input.addEventListener('input', () => {
      clearTimeout(typing)
      typing = setTimeout(apply, typingMs)
    })
    input.addEventListener('change', apply)
  }
  refused.input.addEventListener('change', apply)
  pause.addEventListener('click', () => {
    isPaused = !isPaused
    list.pause(isPaused)
  })
  clear.addEventListener('click', list.clear)
  element.addEventListener('keydown', event => {
    if (event.key === 'Escape') text.input.focus()
    else if (!list.move(event.key)) return
    event.preventDefault()
  })
  return {
    element,
    focusSearch: () => text.input.focus(),
    /** @param {string} _rest @param {URLSearchParams} asked the filter */
    enter: async (_rest, asked) => {
      setFilter(fromQuery(asked))
      const wasOpen = isOpen
      isOpen = true
      if (!wasOpen) query = '?'
      apply()
      if (wasOpen) return
      known = await target().catch(() => known)
      first.show(known)
    },
    leave: () => {
      isOpen = false
      feed.close()
    },
    /** @returns {readonly import('../server/rpc.js').Call[]} nothing to poll: the server sends events */
    calls: () => [],
    show: () => {},
  }
}

/** @param {string} label @param {string} placeholder */
const createField = (label, placeholder) => {
  const id = `live-${label.toLowerCase()}`
  const input = h('input', { type: 'search', id, placeholder, spellcheck: 'false', autocomplete: 'off' })
  return { input, element: h('div', { class: 'live-field' }, h('label', { for: id }, label), input) }
}

/** @param {string} label */
const createCheck = label => {
  const input = h('input', { type: 'checkbox', id: 'live-refused' })
  return { input, element: h('label', { class: 'check', for: 'live-refused' }, input, ` ${label}`) }
}

/** @param {{ readonly element: HTMLElement }} part */
const toElement = ({ element }) => element
