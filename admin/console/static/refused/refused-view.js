import { createRefusedDetail } from './refused-detail.js'
import { createRefusedList } from './refused-list.js'
import { fromRefusedQuery, toRefusedLink } from './refused-query.js'

/**
 * All refused events, and one of them closely.
 * @param {import('../views.js').Context} context
 */
export const createRefusedView = ({ vendor, canOperate }) => {
  const mbean = () => `${vendor()}.metrics.collector:name=Refused`
  const list = createRefusedList({ vendor, mbean, canOperate })
  const element = document.createElement('div')
  element.append(list.element)
  /** Id of the one that is shown; empty: all of them are. */
  let opened = ''
  let isOpen = false
  const back = () => toRefusedLink(list.filter.read())

  /** @param {string} id */
  const openDetail = id => {
    const detail = createRefusedDetail(id, { mbean, canOperate, back: back() })
    element.replaceChildren(detail.element)
    scrollTo(0, 0)
    detail.focus()
    void detail.load()
  }
  /** @param {URLSearchParams} query */
  const showList = query => {
    const left = isOpen ? opened : ''
    element.replaceChildren(list.element)
    if (left !== '') list.table.focus(left)
    const isOther = list.filter.set(fromRefusedQuery(query))
    if (left !== '' && !isOther && list.table.shown() > 0) return
    list.clear()
    void list.load()
  }
  return {
    element,
    focusSearch: () => {
      if (opened === '') list.filter.focus()
      else location.hash = back()
    },
    focusList: () => {
      location.hash = back()
    },
    /** @param {string} rest id of one, empty: all of them @param {URLSearchParams} query */
    enter: (rest, query) => {
      // It is entered again once that is known.
      if (vendor() === '') return
      if (rest === '') showList(query)
      else if (!isOpen || opened !== rest) openDetail(rest)
      isOpen = true
      opened = rest
    },
    leave: () => {
      isOpen = false
      opened = ''
    },
    /** @returns {readonly import('../server/rpc.js').Call[]} polls have nothing for it: looking through files takes long */
    calls: () => [],
    show: () => {},
  }
}
