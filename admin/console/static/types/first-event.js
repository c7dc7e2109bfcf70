import { createCopyButton } from '../elements/clipboard.js'
import { h, setText } from '../elements/dom.js'
import { toCurl } from './curl.js'

/** What to do before the first event: the command that sends a first event. */
export const createFirstEvent = () => {
  const example = h('pre', { class: 'sent', tabindex: '0', role: 'region', 'aria-label': 'Command' })
  return {
    element: h(
      'div',
      {},
      example,
      createCopyButton('Copy', () => example.textContent),
    ),
    /** @param {import('./curl.js').Target} target */
    show: target => setText(example, toCurl(target, '{"eventName":"Hello","payload":{"from":"me","n":1}}')),
  }
}
