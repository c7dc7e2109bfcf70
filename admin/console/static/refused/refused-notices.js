import { h } from '../elements/dom.js'

/** @typedef {import('./refused-query.js').RefusedPage} RefusedPage */

/** Notices beside the rows: how far the last search got, and files with missing rows. */
export const createRefusedNotices = () => {
  const list = h('ul')
  const element = h('div', { class: 'notices', role: 'status', hidden: true }, list)
  /** Reasons by path. @type {Map<string, string>} */
  const unreadable = new Map()
  return {
    element,
    /** @param {Pick<RefusedPage, 'stopped' | 'unreadable'>} page @param {boolean} isMore whether it follows those before */
    show: ({ stopped, unreadable: files = [] }, isMore) => {
      if (!isMore) unreadable.clear()
      for (const { path, reason } of files) unreadable.set(path, reason)
      const lines = [...unreadable].map(([path, reason]) => `Rows of ${path} are missing: ${reason}`)
      if (stopped !== undefined) lines.unshift(`${stopped}. Show older ones to look on.`)
      element.hidden = lines.length === 0
      list.replaceChildren(...lines.map(line => h('li', {}, line)))
    },
  }
}
