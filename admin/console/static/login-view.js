import { h, setText } from './elements/dom.js'
import { toErrorText } from './elements/format.js'
import { logIn } from './server/session.js'

/**
 * Asks for a token.
 * @param {(session: import('./server/session.js').Session) => void} onLogin
 */
export const createLoginView = onLogin => {
  const input = h('input', {
    id: 'token',
    type: 'password',
    autocomplete: 'current-password',
    required: true,
    maxlength: 1_000,
    spellcheck: 'false',
    'aria-describedby': 'token-problem',
  })
  const problem = h('p', { id: 'token-problem', class: 'problem', role: 'alert' })
  const button = h('button', { type: 'submit', class: 'primary' }, 'Log in')
  /** @param {Event} event */
  const submit = async event => {
    event.preventDefault()
    button.disabled = true
    setText(problem, '')
    try {
      const session = await logIn(input.value.trim())
      input.value = ''
      onLogin(session)
    } catch (error) {
      setText(problem, toErrorText(error))
      input.select()
    } finally {
      button.disabled = false
    }
  }
  const element = h(
    'form',
    { class: 'login', submit },
    h('h1', {}, 'Log in'),
    h(
      'p',
      {},
      'This server asks for a token with the role ',
      h('code', {}, 'view'),
      '; operations need ',
      h('code', {}, 'operate'),
      '.',
    ),
    h('label', { for: 'token' }, 'Token'),
    input,
    problem,
    button,
  )
  return { element, focus: () => input.focus() }
}
