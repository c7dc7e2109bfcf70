import { createParts, createScroll, h, setText } from '../elements/dom.js'
import { asNumber, formatBytes, toMoment } from '../elements/format.js'
import { isRead } from '../live/live-list.js'

/**
 * A line of the bean `EventTypes`.
 * @typedef {{
 *   readonly eventType: string, readonly accepted: number, readonly rate: number, readonly lastSeenAt: number,
 *   readonly bytes: number, readonly waiting: number, readonly mismatches: number, readonly misfits: number,
 *   readonly forwardedTo?: { readonly topic: string, readonly isEscaped: boolean },
 * }} TypeLine
 * @typedef {Exclude<keyof TypeLine, 'forwardedTo'>} Key
 */

/**
 * What is shown of a type; `order`: as the bean calls it.
 * @type {readonly { readonly key: Key, readonly order: string, readonly head: string, readonly toText: (line: TypeLine) => string }[]}
 */
export const typeColumns = [
  { key: 'eventType', order: 'name', head: 'Type', toText: line => line.eventType },
  { key: 'rate', order: 'rate', head: 'Events/s', toText: line => asNumber(line.rate) },
  { key: 'accepted', order: 'accepted', head: 'Since the start', toText: line => asNumber(line.accepted) },
  {
    key: 'lastSeenAt',
    order: 'lastSeen',
    head: 'Last seen (UTC)',
    toText: ({ lastSeenAt: at }) => (at === 0 ? '–' : toMoment(at)),
  },
  { key: 'bytes', order: 'bytes', head: 'Received', toText: line => formatBytes(line.bytes) },
  { key: 'waiting', order: 'waiting', head: 'Waiting', toText: line => asNumber(line.waiting) },
  { key: 'mismatches', order: 'mismatches', head: 'Mismatches', toText: line => asNumber(line.mismatches) },
  { key: 'misfits', order: 'misfits', head: 'In _extra', toText: line => toShare(line.misfits, line.accepted) },
]

/**
 * Values that a column could not hold, and how many that is for each hundred events accepted since the start.
 * @param {number} misfits @param {number} accepted
 */
export const toShare = (misfits, accepted) => {
  if (misfits === 0 || accepted === 0) return asNumber(misfits)
  const share = (100 * misfits) / accepted
  return `${asNumber(misfits)} (${share < 0.1 ? '< 0.1' : share.toFixed(share < 10 ? 1 : 0)} %)`
}

/**
 * Types whose topic at the broker has another name than usual.
 * @param {readonly TypeLine[]} lines
 */
export const toEscapedTopics = lines => {
  const escaped = lines.flatMap(({ eventType, forwardedTo }) =>
    forwardedTo?.isEscaped ? [`${eventType} as ${forwardedTo.topic}`] : [],
  )
  if (escaped.length === 0) return ''
  return `Forwarded under another name, because the broker cannot have topics that differ in "." and "_" alone: ${escaped.join(', ')}`
}

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
 * The types as rows that are kept current. A row moves only while the table is not in use, or when it is sorted.
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
    /** @param {readonly TypeLine[]} next @param {boolean} isAsked whether the user asked for other rows */
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
