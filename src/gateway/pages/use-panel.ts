import { html } from 'hono/html'
import type { Markup } from '../../contract/markdown.ts'
import { type SnippetTarget, toSnippets } from './snippets.ts'

/** How programs reach what the page shows: folded, as text to select; the script adds buttons that copy it. */
export const toUsePanel = (target: SnippetTarget): Markup => html`<details class="use">
<summary>Use from Hadoop, Python or curl</summary>
${toSnippets(target).map(({ name, code }) => html`<section><h2>${name}</h2><pre tabindex="0"><code>${code}</code></pre></section>`)}
${target.server.needsToken ? html`<p class="dim">In place of <code>&lt;token&gt;</code> goes a token of this server.</p>` : ''}
</details>`
