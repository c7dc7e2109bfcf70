import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { pageHeaders } from '../../../http/answers/security-headers.ts'
import { icons } from '../elements/icons.ts'
import { toBrowseLink } from '../elements/links.ts'
import { toVisibleText } from '../elements/visible-text.ts'

/** How the cluster behind a page is, in a word and a sentence. */
export type Health = { readonly code: 'OK' | 'WARN' | 'ERROR'; readonly message: string }

/** What every page shows around its content. */
export type PageFrame = {
  /** Versioned addresses of style and script. */
  readonly styleUrl: string
  readonly scriptUrl: string
  /** Which file system serves the page, for people; absent on pages that must not reveal it. */
  readonly cluster?: string | undefined
  readonly health?: Health | undefined
  /** Where the console is. */
  readonly consoleUrl?: string | undefined
  /** Name of the token that the browser logged in with. */
  readonly user?: string | undefined
}

/** The content of one page. */
export type Page = {
  readonly title: string
  /** Where the page belongs in the tree; without it there is no breadcrumb. */
  readonly path?: string | undefined
  /** Hint for the layout: wide tables, or a narrow column of text. @default wide */
  readonly width?: 'wide' | 'narrow'
  readonly content: unknown
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a page: one document, no inline script or style, nothing from elsewhere. */
export const toPageResponse = async (frame: PageFrame, page: Page): Promise<Response> =>
  new Response(String(await toDocument(frame, page)), {
    status: page.status ?? 200,
    headers: { ...pageHeaders, ...formPolicy, ...page.headers, 'content-type': 'text/html; charset=utf-8' },
  })

/**
 * With `no-referrer` browsers send `Origin: null` with a form, and the server could not distinguish its own forms from
 * others'.
 */
const formPolicy = { 'referrer-policy': 'same-origin' } as const

const toDocument = (frame: PageFrame, { title, path, width = 'wide', content }: Page): Markup => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Sluice</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${frame.styleUrl}">
<script type="module" src="${frame.scriptUrl}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="brand" href="${toBrowseLink('/')}">${icons.brand}<span>Sluice</span></a>
${toClusterSign(frame)}
<nav class="links" aria-label="Server">${frame.consoleUrl === undefined ? '' : html`<a href="${frame.consoleUrl}">Console</a>`}<a href="/docs">API</a>${toLogout(frame)}</nav>
</header>
<main id="main" class="${width}" tabindex="-1">
${path === undefined ? '' : toBreadcrumb(path)}
${content}
</main>
</body>
</html>
`

const toClusterSign = ({ cluster, health }: PageFrame): Markup | string => {
  if (cluster === undefined) return ''
  const { code, message } = health ?? { code: 'OK', message: 'the file system answers' }
  const word = { OK: 'Fine', WARN: 'Warning', ERROR: 'Unavailable' }[code]
  return html`<p class="cluster" title="${message}"><span class="dot ${code.toLowerCase()}"></span><span class="sr">Cluster: </span><span class="url">${cluster}</span><span class="word">${word}<span class="sr">: ${message}</span></span></p>`
}

const toLogout = ({ user }: PageFrame): Markup | string =>
  user === undefined
    ? ''
    : html`<form method="post" action="/logout"><button class="quiet" title="Logged in as ${user}">Log out</button></form>`

const toBreadcrumb = (path: string): Markup => {
  const names = path.split('/').filter(name => name !== '')
  const crumbs = names.map((name, index) => ({ name, path: `/${names.slice(0, index + 1).join('/')}` }))
  const last = crumbs.pop()
  return html`<nav class="crumbs" aria-label="Breadcrumb" data-path="${path}"><ol>
<li>${last === undefined ? html`<span aria-current="page">Files</span>` : html`<a href="${toBrowseLink('/')}">Files</a>`}</li>
${crumbs.map(crumb => html`<li><a href="${toBrowseLink(crumb.path)}">${toVisibleText(crumb.name)}</a></li>`)}
${last === undefined ? '' : html`<li><span aria-current="page">${toVisibleText(last.name)}</span></li>`}
</ol></nav>`
}
