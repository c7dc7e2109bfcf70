import { h, setText } from '../elements/dom.js'
import { toMoment } from '../elements/format.js'

/**
 * Says whether what is shown is current, and offers a retry when it is not.
 * @param {HTMLElement} element
 * @param {{ onTry: () => void, onLogOut: () => void }} actions
 */
export const createLinkSign = (element, { onTry, onLogOut }) => {
  const text = h('span', { class: 'link-text' }, 'Connecting')
  const announce = h('span', { class: 'sr', 'aria-live': 'assertive' })
  const retry = h('button', { type: 'button', class: 'small', hidden: true, click: onTry }, 'Try now')
  const user = h('span', { class: 'user' })
  const leave = h('button', { type: 'button', class: 'small', hidden: true, click: onLogOut }, 'Log out')
  element.append(text, retry, user, leave, announce)

  /** @type {import('./poller.js').Link} */
  let link = { kind: 'live' }
  const render = () => {
    element.dataset['link'] = link.kind
    retry.hidden = link.kind !== 'unavailable'
    if (link.kind === 'unavailable') {
      const seconds = Math.max(0, Math.ceil((link.nextTryAt - Date.now()) / 1_000))
      setText(text, seconds > 0 ? `${link.why}; next try in ${seconds} s` : `${link.why}; trying`)
    }
    if (link.kind === 'paused') setText(text, 'Paused')
    if (link.kind === 'login') setText(text, 'Not logged in')
  }
  setInterval(render, 1_000)
  return {
    /** @param {import('./poller.js').Link} next */
    show: next => {
      if (next.kind === 'live') setText(text, `Live · ${toMoment(Date.now()).slice(11)} UTC`)
      if (next.kind !== link.kind) {
        const wasUnavailable = link.kind === 'unavailable'
        if (next.kind === 'unavailable') setText(announce, `The server is unavailable: ${next.why}`)
        else if (next.kind === 'live' && wasUnavailable) setText(announce, 'The server is back')
      }
      link = next
      render()
    },
    /** @param {import('./session.js').Session} session */
    showUser: ({ name, needsToken, canView, canOperate }) => {
      leave.hidden = !needsToken || !canView
      setText(user, needsToken && canView ? `${name}${canOperate ? '' : ', view only'}` : '')
    },
  }
}
