import { h, setText } from '../elements/dom.js'
import { toRefusedLink } from '../refused/refused-query.js'

/** Leads to the refused events that are stored: of the type in the filter, if there is exactly one. */
export const createStoredLink = () => {
  const element = h('a', { href: toRefusedLink({}) }, 'All refused events')
  return {
    element,
    /** @param {readonly string[]} types in the filter */
    show: types => {
      const [type = '', ...others] = types
      const isOne = type !== '' && !type.includes('*') && others.length === 0
      element.setAttribute('href', toRefusedLink(isOne ? { type } : {}))
      setText(element, isOne ? `Refused events of ${type}` : 'All refused events')
    },
  }
}
