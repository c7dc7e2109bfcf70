import { html } from 'hono/html'
import type { Markup } from '../../contract/markdown.ts'
import { toNotice } from './notice.ts'

/** The content of the login page; `to` is where the login leads, `problem` why the last try failed. */
export const toLoginPage = (to: string, problem?: string): Markup => html`<div class="login">
<h1>Log in</h1>
<p>This server asks for a token. Whoever runs it can make one for you.</p>
${problem === undefined ? '' : toNotice('bad', problem)}
<form method="post" action="/login?to=${encodeURIComponent(to)}">
<label for="token">Token</label>
<input id="token" type="password" name="token" required maxlength="1000" autocomplete="current-password" autofocus spellcheck="false">
<p class="actions"><button class="primary">Log in</button></p>
</form>
<p class="dim">It is kept in a cookie of this browser until you log out.</p>
</div>`
