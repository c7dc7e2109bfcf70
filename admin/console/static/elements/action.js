import { callLong } from '../server/rpc.js'
import { needsOperate } from './action-button.js'
import { confirmAction } from './confirm.js'
import { h } from './dom.js'
import { toErrorText } from './format.js'
import { createInput } from './inputs.js'
import { toValueNode } from './value.js'

/**
 * Something that changes the server: asked for with typed arguments, confirmed, and followed by its outcome.
 * @typedef {{
 *   readonly id: string,
 *   readonly name: string,
 *   readonly description: string,
 *   readonly mbean: string,
 *   readonly about: string,
 *   readonly args: readonly { readonly name: string, readonly type: string, readonly value?: unknown }[],
 *   readonly act: string,
 *   readonly title: string,
 *   readonly toCall: (values: readonly unknown[]) => import('../server/rpc.js').Call,
 *   readonly resultLabel: string,
 * }} Action
 */

/**
 * @param {Action} action
 * @param {{ canOperate: boolean, onDone: () => void }} options
 */
export const createActionForm = (action, { canOperate, onDone }) => {
  const inputs = action.args.map(({ name, type, value }, i) =>
    createInput({ type, label: name, id: `${action.id}-${i}`, value }),
  )
  const result = h('div', { class: 'result', role: 'status' })
  const button = h('button', { type: 'submit', disabled: !canOperate }, `${action.act}…`)
  /** @param {Event} event */
  const submit = async event => {
    event.preventDefault()
    if (!canOperate) return
    try {
      const values = inputs.map(input => input.read())
      if (!(await confirmAction(toQuestion(action, values)))) return button.focus()
      button.disabled = true
      const { method, params } = action.toCall(values)
      const answer = await callLong(method, params ?? {})
      result.replaceChildren(h('span', { class: 'good' }, action.resultLabel), ' ', toValueNode(action.name, answer))
      onDone()
    } catch (error) {
      result.replaceChildren(h('span', { class: 'problem' }, toErrorText(error)))
    } finally {
      button.disabled = false
      button.focus()
    }
  }
  const element = h(
    'form',
    { class: 'action', submit, 'aria-label': action.title },
    h('h3', {}, action.name),
    h('p', {}, action.description),
    ...inputs.map(input => input.element),
    h('div', { class: 'buttons' }, button, ...(canOperate ? [] : [h('span', { class: 'hint' }, needsOperate)])),
    result,
  )
  return { element, focus: () => (inputs[0] ?? button).focus() }
}

/**
 * @param {Action} action
 * @param {readonly unknown[]} values
 * @returns {Parameters<typeof confirmAction>[0]}
 */
const toQuestion = ({ title, description, about, mbean, args, act }, values) => ({
  title: `${title}?`,
  sentences: [description, about, 'The audit trail keeps it under your name.'],
  details: [['bean', mbean], ...args.map(({ name }, i) => /** @type {const} */ ([name, JSON.stringify(values[i])]))],
  act,
})
