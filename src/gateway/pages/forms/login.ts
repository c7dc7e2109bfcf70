import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import type { Handlers } from '../../../contract/operations.ts'
import type { SluiceError } from '../../../errors.ts'
import type { Auth } from '../../../http/auth/auth.ts'
import { toSessionCookie } from '../../../http/auth/session-cookies.ts'
import { toUnauthenticated } from '../../../http/auth/token-callers.ts'
import { isSecurePage } from '../../../http/origin/hosts.ts'
import { toFieldFault } from '../elements/field-fault.ts'
import { toOwnTarget } from '../elements/links.ts'
import { toNotice } from '../elements/notice.ts'
import { type PageFrame, toPageResponse } from '../frame/layout.ts'
import { seeOther } from './forms.ts'

/** Longest body of the login form: a token, escaped. */
const maxFormBytes = 8_192

/** Handlers that log in and out. */
export type Login = {
  readonly get: Handlers['getLogin']
  readonly post: Handlers['postLogin']
  readonly out: Handlers['postLogout']
}

/**
 * Logs browsers in with a token, or with the ticket that they have: the cookie has the id of a session, which only this
 * server can read. A caller who is redirected here is also asked for a ticket, and sees the form if the browser has no
 * ticket; one who opens the page directly, as after a logout, is not asked: the browser would log in again.
 */
export const createLogin = ({ auth, frame }: { readonly auth: Auth; readonly frame: PageFrame }): Login => {
  const takesTickets = auth.checkTicket !== undefined
  const ask = (to: string, problem: LoginPage['problem'], refusal?: SluiceError): Promise<Response> =>
    toPageResponse(frame, {
      title: 'Log in',
      width: 'narrow',
      content: toLoginPage(to, { problem, takesTickets }),
      ...(refusal ? { status: refusal.status, headers: refusal.headers } : {}),
    })
  return {
    get: call => {
      const to = toOwnTarget(call.params.to)
      if (auth.isOpen) return seeOther(to)
      const login = auth.logInByTicket(call)
      if (login) return seeOther(to, { 'set-cookie': toSessionCookie(login.open(), isSecurePage(call)) })
      if (call.params.to !== undefined && auth.identify(call)) return seeOther(to)
      const problem = auth.problemOf(call)
      const isAsked = problem !== undefined || (takesTickets && call.params.to !== undefined)
      return ask(to, problem && { message: problem.message }, isAsked ? (problem ?? auth.refuse()) : undefined)
    },
    post: async call => {
      const to = toOwnTarget(call.params.to)
      if (auth.isOpen) return seeOther(to)
      const body = new TextDecoder().decode(await call.bytes(maxFormBytes))
      const token = new URLSearchParams(body).get('token')?.trim() ?? ''
      const login = await auth.logIn(token, call.peer)
      if (login !== undefined) return seeOther(to, { 'set-cookie': toSessionCookie(login.open(), isSecurePage(call)) })
      // Without the challenge for tickets: a browser would send the form once more.
      const refusal = toUnauthenticated('This token is not valid here.')
      if (/\btext\/html\b/i.test(call.header('accept') ?? ''))
        return ask(to, { field: 'token', message: refusal.message }, refusal)
      throw refusal
    },
    out: call => {
      auth.logOut(call)
      return seeOther('/login', { 'set-cookie': toSessionCookie('', isSecurePage(call)) })
    },
  }
}

type LoginPage = {
  /** Why the last try failed, at the field that it is about. */
  readonly problem: { readonly message: string; readonly field?: 'token' } | undefined
  readonly takesTickets: boolean
}

/** The content of the login page; `to` is where the login leads. */
const toLoginPage = (to: string, { problem, takesTickets }: LoginPage): Markup => {
  const fault = problem?.field && { field: problem.field, message: problem.message }
  const { attributes, text } = toFieldFault('token', 'token', { fault })
  return html`<div class="login">
<h1>Log in</h1>
<p>This server asks for a token. Whoever runs it can make one for you.</p>
${problem === undefined || fault ? '' : toNotice('bad', problem.message)}
<form method="post" action="/login?to=${encodeURIComponent(to)}">
<label for="token">Token</label>
<input id="token" type="password" name="token" required maxlength="1000" autocomplete="current-password" spellcheck="false"${fault ? attributes : html` autofocus`}>
${text}
<p class="actions"><button class="primary">Log in</button></p>
</form>
<p class="dim">It is kept in a cookie of this browser until you log out.</p>
${takesTickets ? html`<p><a href="/login?to=${encodeURIComponent(to)}">Log in with a Kerberos ticket</a></p>` : ''}
</div>`
}
