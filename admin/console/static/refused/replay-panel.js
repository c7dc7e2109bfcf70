import { needsOperate } from '../elements/action-button.js'
import { confirmAction } from '../elements/confirm.js'
import { h, setText } from '../elements/dom.js'
import { asNumber, formatCount, toErrorText } from '../elements/format.js'
import { toResult } from './replay.js'

/** @typedef {(onProgress: (done: number, total: number | undefined) => void) => Promise<readonly import('./replay.js').Outcome[]>} Run */

const sentences = [
  'Each goes in with the date at which it came, and counts once, however often it is replayed.',
  'What is refused for the same reason as before stays here: fix the contract, the setting or the sender first.',
  'The audit trail keeps it under your name.',
]

/**
 * Asks, replays, and shows progress and outcome.
 * @param {{ mbean: () => string, canOperate: () => boolean, onDone: () => void }} options
 */
export const createReplayPanel = ({ mbean, canOperate, onDone }) => {
  const bar = h('progress', { 'aria-label': 'Replay' })
  const state = h('span', { class: 'hint', role: 'status' })
  const running = h('p', { class: 'replay-progress', hidden: true }, bar, ' ', state)
  const result = h('div', { class: 'result', role: 'status' })
  let isRunning = false
  /** @param {number} done @param {number | undefined} total */
  const showProgress = (done, total) => {
    if (total === undefined) bar.removeAttribute('value')
    else {
      bar.max = total
      bar.value = done
    }
    setText(state, total === undefined ? `${asNumber(done)} done` : `${asNumber(done)} of ${asNumber(total)} done`)
  }
  /** @param {readonly import('./replay.js').Outcome[]} outcomes */
  const showResult = outcomes => {
    const { text, reasons, more, isGood } = toResult(outcomes)
    const list = [...reasons, ...(more > 0 ? [`and ${formatCount(more, 'other reason')}`] : [])]
    result.replaceChildren(
      h('p', { class: isGood ? 'good' : 'problem' }, text),
      ...(list.length > 0 ? [h('ul', {}, ...list.map(reason => h('li', {}, reason)))] : []),
    )
  }
  /**
   * @param {{ what: string, operation: string, button: HTMLButtonElement, run: Run }} asked
   * @returns {Promise<void>}
   */
  const ask = async ({ what, operation, button, run }) => {
    if (isRunning) return
    const isSure = await confirmAction({
      title: `Replay ${what}?`,
      sentences,
      details: [
        ['bean', mbean()],
        ['operation', operation],
      ],
      act: 'Replay',
    })
    if (!isSure) return button.focus()
    isRunning = true
    button.disabled = true
    result.replaceChildren()
    showProgress(0, undefined)
    running.hidden = false
    try {
      showResult(await run(showProgress))
    } catch (error) {
      result.replaceChildren(h('p', { class: 'problem' }, `${toErrorText(error)}. Replay again: none goes in twice.`))
    } finally {
      isRunning = false
      running.hidden = true
      button.disabled = !canOperate()
      if (button.isConnected) button.focus()
      onDone()
    }
  }
  return {
    element: h('div', { class: 'replay' }, running, result),
    clear: () => result.replaceChildren(),
    /**
     * @param {string} label
     * @param {() => Omit<Parameters<typeof ask>[0], 'button'>} toAsked
     */
    createButton: (label, toAsked) => {
      /** @type {HTMLButtonElement} */
      const button = h(
        'button',
        {
          type: 'button',
          disabled: !canOperate(),
          title: canOperate() ? '' : needsOperate,
          click: () => ask({ ...toAsked(), button }),
        },
        label,
      )
      return button
    },
  }
}
