import { createActionForm } from '../elements/action.js'
import { createTable, h } from '../elements/dom.js'
import { toValueNode } from '../elements/value.js'
import { createAttributeCharts, isDrawn } from './attribute-charts.js'

/** How long a changed value is highlighted, in ms. */
const flashMs = 1_500

/**
 * The attributes of a bean, kept current; those that can be written have a form.
 * @param {import('./bean-catalog.js').BeanInfo} bean
 * @param {{ canOperate: boolean, onDone: () => void }} options
 */
export const createAttributeTable = (bean, options) => {
  const charts = createAttributeCharts(bean)
  const rows = new Map(
    Object.entries(bean.attributes).map(([name, info]) => [name, createRow(bean.mbean, name, info, options, charts)]),
  )
  const element = h(
    'section',
    { class: 'panel', hidden: rows.size === 0 },
    h('h2', {}, 'Attributes'),
    charts.element,
    createTable(['Name', 'Value'], h('tbody', {}, ...Array.from(rows.values(), row => row.element)), {
      class: 'attributes',
    }),
  )
  return {
    element,
    /** @param {Readonly<Record<string, unknown>>} values @param {number} at ms since the epoch */
    show: (values, at) => {
      charts.show(values, at)
      for (const [name, row] of rows) row.show(values[name])
    },
  }
}

/**
 * @param {string} mbean @param {string} name @param {import('../../../client/types.ts').AttributeInfo} info
 * @param {{ canOperate: boolean, onDone: () => void }} options
 * @param {ReturnType<typeof createAttributeCharts>} charts
 */
const createRow = (mbean, name, { type, description, writable }, options, charts) => {
  const value = h('div', { class: 'value' }, h('span', { class: 'none' }, '…'))
  const editor = h('div', {})
  const cell = h('td', {}, value)
  /** @type {unknown} */
  let current
  /** @type {string | undefined} */
  let last
  const open = () => {
    if (editor.hasChildNodes()) return editor.replaceChildren()
    const form = createActionForm(toWriteAction(mbean, name, type, description, current), options)
    editor.replaceChildren(form.element)
    form.focus()
  }
  if (writable)
    cell.append(
      h('button', { type: 'button', class: 'small', click: open, 'aria-label': `Change ${name}` }, 'Change'),
      editor,
    )
  return {
    element: h(
      'tr',
      { 'data-attribute': name },
      h(
        'th',
        { scope: 'row' },
        name,
        ' ',
        h('span', { class: 'type' }, type),
        ...(isDrawn(type) ? [' ', createChartButton(name, charts)] : []),
        h('span', { class: 'about' }, description),
      ),
      cell,
    ),
    /** @param {unknown} next */
    show: next => {
      const text = JSON.stringify(next)
      if (text === last) return
      if (last !== undefined) flash(value)
      last = text
      current = next
      value.replaceChildren(toValueNode(name, next))
    },
  }
}

/** @param {string} name @param {ReturnType<typeof createAttributeCharts>} charts */
const createChartButton = (name, charts) => {
  /** @returns {void} */
  const press = () => button.setAttribute('aria-pressed', String(charts.toggle(name)))
  const button = h(
    'button',
    {
      type: 'button',
      class: 'small',
      'aria-label': `Chart of ${name}`,
      'aria-pressed': String(charts.has(name)),
      click: () => press(),
    },
    'Chart',
  )
  return button
}

/** @param {HTMLElement} element */
const flash = element => {
  element.classList.add('changed')
  setTimeout(() => element.classList.remove('changed'), flashMs)
}

/**
 * @param {string} mbean @param {string} name @param {string} type @param {string} description @param {unknown} value
 * @returns {import('../elements/action.js').Action}
 */
const toWriteAction = (mbean, name, type, description, value) => ({
  id: `write-${name}`,
  name,
  description,
  mbean,
  about: 'It holds at once.',
  args: [{ name: 'new value', type, value }],
  act: `Set ${name}`,
  title: `Set ${name}`,
  toCall: ([next]) => ({ method: 'write', params: { mbean, attribute: name, value: next } }),
  resultLabel: 'Set; it was',
})
