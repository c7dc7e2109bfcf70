import { callLong } from '../server/rpc.js'
import { confirmAction } from './confirm.js'
import { h } from './dom.js'
import { toErrorText } from './format.js'

/** Why a button rests. */
export const needsOperate = 'Needs a token with the role operate'

/**
 * Something that one button does by an operation of a bean.
 * @typedef {{
 *   readonly label: string, readonly title: string, readonly sentences: readonly string[],
 *   readonly details?: readonly (readonly [string, string])[],
 *   readonly mbean: string, readonly operation: string, readonly args?: readonly unknown[],
 *   readonly toText: (result: any) => string,
 * }} ButtonAction
 */

/**
 * A button that asks, runs its operation, and passes the outcome to `tell`.
 * @param {() => ButtonAction} toAction asked for at the click
 * @param {{ label: string, canOperate: boolean, tell: (text: string, kind: 'good' | 'problem' | 'busy') => void, onDone: () => void }} options
 */
export const createActionButton = (toAction, { label, canOperate, tell, onDone }) => {
  /** @returns {Promise<void>} */
  const run = async () => {
    const { title, sentences, details = [], mbean, operation, args = [], toText } = toAction()
    const isSure = await confirmAction({
      title: `${title}?`,
      sentences: [...sentences, 'The audit trail keeps it under your name.'],
      details: [['bean', mbean], ['operation', operation], ...details],
      act: label,
    })
    if (!isSure) return button.focus()
    button.disabled = true
    tell(`${label}…`, 'busy')
    try {
      tell(toText(await callLong('exec', { mbean, operation, arguments: args })), 'good')
    } catch (error) {
      tell(toErrorText(error), 'problem')
    } finally {
      button.disabled = false
      // One that is replaced meanwhile, because the state is another, hands the focus on.
      if (button.isConnected) button.focus()
      onDone()
    }
  }
  const button = h(
    'button',
    { type: 'button', class: 'small', disabled: !canOperate, title: canOperate ? '' : needsOperate, click: run },
    `${label}…`,
  )
  return button
}
