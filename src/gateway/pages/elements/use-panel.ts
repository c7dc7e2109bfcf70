import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { type SnippetTarget, toSnippets } from './snippets.ts'

/** How programs reach what the page shows: folded, as text to select; the script adds buttons that copy it. */
export const toUsePanel = (target: SnippetTarget): Markup => html`<details class="use">
<summary>Use from Hadoop, Python or curl</summary>
${toSnippets(target).map(({ name, code }) => html`<section><h2>${name}</h2><pre tabindex="0"><code>${code}</code></pre></section>`)}
${toProofHint(target.server.proof)}
</details>`

/** What goes in place of `<token>` in lines to copy. */
export const toProofHint = (proof: SnippetTarget['server']['proof']): Markup | string => hints[proof]

const hints = {
  none: '',
  token: html`<p class="dim">In place of <code>&lt;token&gt;</code> goes a token of this server.</p>`,
  ticket: html`<p class="dim">Hadoop and curl use your Kerberos ticket (<code>kinit</code>). In place of <code>&lt;token&gt;</code> goes a token of this server, or a delegation token (<code>op=GETDELEGATIONTOKEN</code>).</p>`,
}
