import { h, setText } from '../elements/dom.js'
import { asNumber } from '../elements/format.js'

/** What is to be known of events that are shown, or are not; each note is hidden while it says nothing. */
export const createLiveNotes = () => {
  const sampled = h('strong', { class: 'sampled' }, 'Sampled: at most 50 a second are shown')
  const unknown = h('strong', { class: 'sampled', role: 'status' })
  const tooLarge = h('strong', { class: 'sampled' })
  const slowed = h('strong', { class: 'sampled', id: 'live-slowed' })
  const elements = [sampled, tooLarge, unknown, slowed]
  const clear = () => {
    for (const one of elements) one.hidden = true
  }
  clear()
  return {
    elements,
    clear,
    /** @param {import('./live-feed.js').LiveFigures} figures */
    show: ({ isSampled, notLookedAt, problem, slowed: senders }) => {
      sampled.hidden = !isSampled
      unknown.hidden = problem === null
      setText(unknown, problem ?? '')
      tooLarge.hidden = notLookedAt === 0
      setText(tooLarge, `${asNumber(notLookedAt)} too large for the filter: not looked at`)
      slowed.hidden = senders.length === 0
      setText(slowed, `Over their quota: ${senders.map(toSlowedText).join(', ')}`)
    },
  }
}

/** @param {{ readonly by: string, readonly name: string, readonly requests: number }} sender */
const toSlowedText = ({ by, name, requests }) =>
  `${by === 'token' ? 'token ' : ''}${name} (${asNumber(requests)} requests refused)`
