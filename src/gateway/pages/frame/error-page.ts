import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { type ErrorCode, type ProblemDetails, toProblem, toResponse } from '../../../errors.ts'
import { parentPath } from '../../../filesystem/path.ts'
import { toBrowseLink } from '../elements/links.ts'
import { toShortened, toVisibleText } from '../elements/visible-text.ts'
import { type Page, type PageFrame, toPageResponse } from './layout.ts'

/** What is known of a call that went wrong. */
export type Failed = {
  /** The requested page, for a retry. */
  readonly target: string
  readonly path?: string | undefined
}

/** An error as a page that names the cause and offers a way on; status and headers as programs get them. */
export const toErrorPage = (frame: PageFrame, error: unknown, failed: Failed): Promise<Response> => {
  const problem = toProblem(error)
  const content = toContent(problem, failed)
  return toRefusal(frame, error, { title: problem.title, path: failed.path, width: 'narrow', content })
}

/** A page with the status and the headers that programs get for an error. */
export const toRefusal = (frame: PageFrame, error: unknown, page: Page): Promise<Response> => {
  const { status, headers } = toResponse(error)
  const kept = ['retry-after', 'allow', 'www-authenticate'].flatMap(name => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return toPageResponse(frame, { ...page, status, headers: Object.fromEntries(kept) })
}

const toContent = (
  { title, status, detail, code }: ProblemDetails,
  { target, path }: Failed,
): Markup => html`<div class="failure" role="alert">
<p class="status">${status}</p>
<h1>${title}</h1>
${detail === undefined ? '' : html`<p class="cause">${toVisibleText(toShortened(detail, 2_000))}</p>`}
<p>${toAdvice({ code, status })}</p>
<p class="actions">
${status >= 500 || status === 408 ? html`<a class="button primary" href="${target}">Try again</a>` : ''}
${path === undefined || path === '/' ? '' : html`<a class="button" href="${toBrowseLink(parentPath(path))}">Directory above</a>`}
<a class="button" href="${toBrowseLink('/')}">All files</a>
</p>
<p class="dim">Error code <code>${code}</code></p>
</div>`

/** What can be done about an error. */
export const toAdvice = ({ code, status }: Pick<ProblemDetails, 'code' | 'status'>): string =>
  advice[code] ?? defaultAdvice(status)

const advice: { readonly [Code in ErrorCode]?: string } = {
  'not-found': 'It may have been renamed or deleted since the page with the link was made.',
  denied: 'The owner of the file, or whoever gave you the token, can allow it.',
  'forbidden-host': 'Open the page by one of the names in the setting server.allowed-hosts.',
  exists: 'Choose another name, or upload it with "replacing a file of that name".',
  'not-empty': 'Something was put into the directory meanwhile. Look at it before you delete it.',
  unavailable: 'The cluster does not answer. Nothing is lost; the page works again as soon as it is back.',
  'quota-exceeded': 'Delete something, or ask for a larger quota.',
  internal: 'The cause is in the log of the server.',
  draining: 'The server is being stopped or replaced; try again in a moment.',
}

const defaultAdvice = (status: number): string =>
  status === 503 ? 'Try again in a moment.' : 'Check the address; the links of the pages are always right.'
