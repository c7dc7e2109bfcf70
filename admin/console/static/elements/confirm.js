import { h } from './dom.js'

/**
 * Says what will happen, and asks. The focus starts on Cancel: a stray Enter changes nothing.
 * @param {{ title: string, sentences: readonly string[], details: readonly (readonly [string, string])[], act: string }} what
 * @returns {Promise<boolean>}
 */
export const confirmAction = ({ title, sentences, details, act }) =>
  new Promise(resolve => {
    const cancel = h('button', { value: 'cancel', autofocus: true }, 'Cancel')
    const dialog = h(
      'dialog',
      {
        class: 'confirm',
        'aria-labelledby': 'confirm-title',
        close: () => {
          dialog.remove()
          resolve(dialog.returnValue === 'act')
        },
      },
      h(
        'form',
        { method: 'dialog' },
        h('h2', { id: 'confirm-title' }, title),
        ...sentences.map(sentence => h('p', {}, sentence)),
        h('dl', { class: 'pairs' }, ...details.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
        h('div', { class: 'buttons' }, cancel, h('button', { value: 'act', class: 'primary' }, act)),
      ),
    )
    document.body.append(dialog)
    dialog.showModal()
    cancel.focus()
  })
