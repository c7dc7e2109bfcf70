import { createCopyButton } from '../elements/clipboard.js'
import { createParts, h, setText } from '../elements/dom.js'
import { toDuration } from '../elements/format.js'

/** @typedef {import('../server/figures.js').Problem} Problem */

/** The problems of a part, each with its cause first, since when, what it means for events, and what to do. */
export const createProblems = () => {
  const element = h('ul', { class: 'problems', hidden: true })
  const showProblems = createParts(element, ({ item, word }) => `${item} ${word}`, createProblem)
  return {
    element,
    /** @param {readonly Problem[]} problems @param {number} at ms since the epoch, by the server's clock */
    show: (problems, at) => {
      element.hidden = problems.length === 0
      showProblems(problems.map(problem => ({ ...problem, at })))
    },
  }
}

/** @param {Problem & { readonly at: number }} problem */
const createProblem = ({ command, runbook }) => {
  const cause = h('p', { class: 'cause' })
  const since = h('p', { class: 'since' })
  const meaning = h('p', {})
  const advice = h('span', {})
  const call = h(
    'span',
    { class: 'call' },
    h('code', {}, command),
    ' ',
    createCopyButton('Copy', () => command),
  )
  const more = h('p', { class: 'hint' }, 'Runbook: ', h('code', {}, runbook))
  return {
    element: h('li', {}, cause, since, meaning, h('p', {}, advice, ' ', call), more),
    /** @param {Problem & { readonly at: number }} problem */
    show: problem => {
      setText(cause, problem.problem)
      setText(
        since,
        typeof problem.since === 'number' ? `For ${toDuration(Math.max(0, problem.at - problem.since) / 1_000)}` : '',
      )
      setText(meaning, problem.meaning)
      setText(advice, problem.advice)
    },
  }
}
