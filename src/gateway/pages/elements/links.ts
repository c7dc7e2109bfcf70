import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'

/** Where the browsing pages are. */
export const browsePath = '/rest/1.0/hdfs'

/** Query parameters of a link; what is undefined, false or empty is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** A link to a page about `path`. Every name works in it; slashes stay readable. */
export const toBrowseLink = (path: string, query: Query = {}): string => toLink(browsePath, path, query)

/** A link to one of the endpoints that programs use: `json`, `text`, `binary`, or the root of them for uploads. */
export const toDataLink = (endpoint: 'json' | 'text' | 'binary', path: string, query: Query = {}): string =>
  toLink(`/rest/1.0/${endpoint}`, path, query)

/** A link to a file as stored, which other programs take as it is. Names are escaped as in {@link toUrlPath}. */
export const toFileLink = (path: string): string => `/files${toUrlPath(path)}`

/** A link to what the catalog says of the table in a directory, which is not the root, nor right below it. */
export const toCatalogLink = (path: string): string => {
  const levels = path.split('/').slice(1)
  const table = levels.pop() ?? ''
  return `/iceberg/v1/namespaces/${encodeURIComponent(levels.join('\u001f').toWellFormed())}/tables/${encodeURIComponent(table.toWellFormed())}`
}

/** A path for a URL: every name works in it; slashes stay readable. */
export const toUrlPath = (path: string): string => encodeURIComponent(path.toWellFormed()).replaceAll('%2F', '/')

/** CSV of the pages is for spreadsheets: `safe=true`. */
export const csvTitle = "For spreadsheets: text that one would take for a formula has a ' in front"

/** Query parameters as fields of a form. */
export const toHiddenFields = (query: Query): readonly Markup[] =>
  Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${String(value)}">`)

/**
 * What a login may lead back to: a path of this server. Anything that a browser could take for another host, and
 * anything with control characters, becomes the root.
 */
export const toOwnTarget = (target: string | undefined): string =>
  target !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(target) ? target : '/'

const toLink = (base: string, path: string, query: Query): string => {
  const rest = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== false && value !== '')
    .map(([name, value]) => `&${name}=${toUrlPath(String(value))}`)
  return `${base}?path=${toUrlPath(path)}${rest.join('')}`
}
