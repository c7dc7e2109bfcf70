import { html } from 'hono/html'
import type { Markup } from '../../contract/markdown.ts'
import type { Handlers } from '../../contract/operations.ts'
import type { SluiceError } from '../../errors.ts'
import { type Auth, toUnauthenticated } from '../../http/auth.ts'
import { isSecurePage } from '../../http/hosts.ts'
import { toSessionCookie } from '../../http/session-cookies.ts'
import { seeOther } from './forms.ts'
import { type Frame, toPageResponse } from './layout.ts'
import { toOwnTarget } from './links.ts'
import { toNotice } from './notice.ts'

/** Longest body of the login form: a token, escaped. */
const maxFormBytes = 8_192

/** Handlers that log in and out. */
export type Login = {
  readonly get: Handlers['getLogin']
  readonly post: Handlers['postLogin']
  readonly out: Handlers['postLogout']
}

/**
 * Logs browsers in with a token, or with the ticket that they have: the cookie has the id of a session, and only this
 * server sees it. Whoever is led here is asked for a ticket as well, and sees the form where the browser has none; whoever
 * comes by himself, as after a logout, is not: he would be logged in again.
 */
export const createLogin = ({ auth, frame }: { readonly auth: Auth; readonly frame: Frame }): Login => {
  const takesTickets = auth.checkTicket !== undefined
  const ask = (to: string, problem?: string, refusal?: SluiceError): Promise<Response> =>
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
      return ask(to, problem?.message, isAsked ? (problem ?? auth.refuse()) : undefined)
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
      if (/\btext\/html\b/i.test(call.header('accept') ?? '')) return ask(to, refusal.message, refusal)
      throw refusal
    },
    out: call => {
      auth.logOut(call)
      return seeOther('/login', { 'set-cookie': toSessionCookie('', isSecurePage(call)) })
    },
  }
}

type LoginPage = { readonly problem: string | undefined; readonly takesTickets: boolean }

/** The content of the login page; `to` is where the login leads, `problem` why the last try failed. */
const toLoginPage = (to: string, { problem, takesTickets }: LoginPage): Markup => html`<div class="login">
<h1>Log in</h1>
<p>This server asks for a token. Whoever runs it can make one for you.</p>
${problem === undefined ? '' : toNotice('bad', problem)}
<form method="post" action="/login?to=${encodeURIComponent(to)}">
<label for="token">Token</label>
<input id="token" type="password" name="token" required maxlength="1000" autocomplete="current-password" autofocus spellcheck="false">
<p class="actions"><button class="primary">Log in</button></p>
</form>
<p class="dim">It is kept in a cookie of this browser until you log out.</p>
${takesTickets ? html`<p><a href="/login?to=${encodeURIComponent(to)}">Log in with a Kerberos ticket</a></p>` : ''}
</div>`
