import { createParts, createScroll, h, setText } from './dom.js'
import { toBytes, toMoment, toNumber } from './format.js'
import { isRead } from './live-list.js'

/**
 * A line of the bean `EventTypes`.
 * @typedef {{
 *   readonly eventType: string, readonly accepted: number, readonly rate: number, readonly lastSeenAt: number,
 *   readonly bytes: number, readonly waiting: number, readonly mismatches: number,
 * }} TypeLine
 * @typedef {keyof TypeLine} Key
 */

/**
 * What is told of a type; `order`: as the bean calls it.
 * @type {readonly { readonly key: Key, readonly order: string, readonly head: string, readonly toText: (line: TypeLine) => string }[]}
 */
export const typeColumns = [
  { key: 'eventType', order: 'name', head: 'Type', toText: line => line.eventType },
  { key: 'rate', order: 'rate', head: 'Events/s', toText: line => toNumber(line.rate) },
  { key: 'accepted', order: 'accepted', head: 'Since the start', toText: line => toNumber(line.accepted) },
  {
    key: 'lastSeenAt',
    order: 'lastSeen',
    head: 'Last seen (UTC)',
    toText: ({ lastSeenAt: at }) => (at === 0 ? '–' : toMoment(at)),
  },
  { key: 'bytes', order: 'bytes', head: 'Received', toText: line => toBytes(line.bytes) },
  { key: 'waiting', order: 'waiting', head: 'Waiting', toText: line => toNumber(line.waiting) },
  { key: 'mismatches', order: 'mismatches', head: 'Mismatches', toText: line => toNumber(line.mismatches) },
]

/** Address of a type's page. @param {string} eventType */
export const toTypeLink = eventType => `#types/${encodeURIComponent(eventType)}`

/**
 * Types by a column; what is equal by name.
 * @param {readonly TypeLine[]} lines @param {Key} key @param {boolean} isRising
 */
export const sortTypes = (lines, key, isRising) => {
  const sign = isRising ? 1 : -1
  return [...lines].sort((a, b) => sign * compare(a[key], b[key]) || compare(a.eventType, b.eventType))
}

/** @param {string | number} a @param {string | number} b */
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0)

/**
 * The types as rows that are kept current. A row moves only while nobody reads the table, or when it is sorted.
 * @param {{ onSort: () => void }} options
 */
export const createTypeTable = ({ onSort }) => {
  /** @type {Key} */
  let key = 'eventType'
  let isRising = true
  /** @type {readonly TypeLine[]} */
  let lines = []
  /** @type {Map<string, HTMLElement>} */
  const rows = new Map()
  const body = h('tbody')
  const heads = typeColumns.map((column, i) => {
    const arrow = h('span', { class: 'arrow', 'aria-hidden': 'true' })
    const button = h('button', { type: 'button', click: () => sort(column.key) }, column.head, arrow)
    return { column, arrow, element: h('th', { scope: 'col', class: i > 0 && 'number' }, button) }
  })
  const table = h('table', {}, h('thead', {}, h('tr', {}, ...heads.map(({ element }) => element))), body)
  const element = createScroll('Event types', table)
  const showRows = createParts(
    body,
    (/** @type {TypeLine} */ { eventType }) => eventType,
    line => {
      const row = createRow(line)
      rows.set(line.eventType, row.element)
      return row
    },
  )
  /** @param {Key} next */
  const sort = next => {
    // What matters of a figure are its largest.
    isRising = next === key ? !isRising : next === 'eventType'
    key = next
    showHeads()
    arrange()
    onSort()
  }
  const showHeads = () => {
    for (const { column, arrow, element: head } of heads) {
      const isCurrent = column.key === key
      if (isCurrent) head.setAttribute('aria-sort', isRising ? 'ascending' : 'descending')
      else head.removeAttribute('aria-sort')
      setText(arrow, isCurrent ? (isRising ? '↑' : '↓') : '↕')
    }
  }
  const arrange = () => {
    let place = body.firstElementChild
    for (const { eventType } of sortTypes(lines, key, isRising)) {
      const row = rows.get(eventType)
      if (row === undefined) continue
      if (row === place) place = place.nextElementSibling
      else body.insertBefore(row, place)
    }
  }
  showHeads()
  return {
    element,
    /** In which order the bean is to choose where there are too many. */
    order: () => typeColumns.find(column => column.key === key)?.order ?? 'name',
    /** @param {readonly TypeLine[]} next @param {boolean} isAsked whether somebody asked for other rows */
    show: (next, isAsked) => {
      const isHeld = !isAsked && isRead(body)
      const names = new Set(next.map(({ eventType }) => eventType))
      // Nothing of it waits any more, or it would be there.
      const gone = isHeld ? lines.filter(({ eventType }) => !names.has(eventType)) : []
      lines = [...next, ...gone.map(line => ({ ...line, rate: 0, waiting: 0 }))]
      showRows(lines)
      if (!isHeld) arrange()
    },
    /** @param {string} [eventType] @default the first */
    focus: eventType => {
      const row = eventType === undefined ? body : rows.get(eventType)
      row?.querySelector('a')?.focus()
    },
  }
}

/** @param {TypeLine} line */
const createRow = ({ eventType }) => {
  const cells = typeColumns.slice(1).map(column => ({ column, cell: h('td', { class: 'number' }) }))
  const link = h('a', { href: toTypeLink(eventType) }, eventType)
  return {
    element: h('tr', {}, h('th', { scope: 'row' }, link), ...cells.map(({ cell }) => cell)),
    /** @param {TypeLine} line */
    show: line => {
      for (const { column, cell } of cells) setText(cell, column.toText(line))
    },
  }
}
