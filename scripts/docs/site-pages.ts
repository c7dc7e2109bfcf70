/** Which pages of the repository are in the site, where, and how links between them are rewritten. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Home of the project. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

const sources = ['*.md', 'docs/**/*.md', 'clients/**/*.md', 'deploy/**/*.md']

/** Paths of the pages in the site by their paths in the repository. The README is for who has the repository before them. */
export const sitePages: ReadonlyMap<string, string> = new Map(
  globSync(sources, { cwd: root, exclude: ['**/node_modules/**', 'docs/site/**', 'README.md'] })
    .map(path => path.replaceAll('\\', '/'))
    .sort()
    .map(path => [path, toSitePath(path)]),
)

function toSitePath(path: string): string {
  if (!path.includes('/')) return path.toLowerCase()
  return path.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md')
}

/** Where the project can be looked at, when package.json says so. */
const repository = (
  JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { readonly repository?: { readonly url?: string } }
).repository?.url
  ?.replace(/^git\+/, '')
  .replace(/\.git$/, '')

/**
 * The link of a page as the site has it.
 * @param page path of the page in the repository
 * @returns undefined for a file that the site does not have and cannot link to: its link becomes plain text
 * @throws Error for a missing target
 */
export const toSiteLink = (page: string, link: string): string | undefined => {
  if (/^(?:[a-z]+:|#)/i.test(link)) return link
  const [path = '', anchor] = link.split('#')
  const target = posix.join(posix.dirname(page), decodeURIComponent(path))
  if (!existsSync(root + target)) throw new Error(`${page} links to ${link}, which is not there`)
  const found = target === 'README.md' ? 'index.md' : sitePages.get(target)
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (found !== undefined) return `/${found}${target === 'README.md' ? '' : hash}`
  if (repository === undefined) return undefined
  return `${repository}/${statSync(root + target).isDirectory() ? 'tree' : 'blob'}/main/${target}${hash}`
}

/** The anchor of a heading, as forges make it: so a link is right in both places. */
export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
