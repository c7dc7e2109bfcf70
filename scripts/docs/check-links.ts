import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The links of a built site that lead nowhere: no such file, no such heading.
 * @param site its directory
 */
export const findBrokenLinks = (site: string): readonly string[] => {
  const pages: ReadonlyMap<string, string> = new Map(
    globSync('**/*.html', { cwd: site }).map(path => [`/${path}`, readFileSync(join(site, path), 'utf8')] as const),
  )
  const ids: ReadonlyMap<string, ReadonlySet<string>> = new Map(
    [...pages].map(([path, html]) => [path, findAll(html, /\sid="([^"]+)"/g)] as const),
  )
  return [...pages].flatMap(([page, html]) =>
    [...findAll(html, /\s(?:href|src)="([^"]*)"/g)]
      .filter(link => !/^(?:[a-z]+:|\/\/)/i.test(link))
      .filter(link => {
        const { pathname, hash } = new URL(link, `http://site.invalid${page}`)
        const path = decodeURIComponent(pathname).replace(/\/$/, '/index.html')
        if (hash === '') return !existsSync(join(site, path))
        return ids.get(path)?.has(decodeURIComponent(hash.slice(1))) !== true
      })
      .map(link => `${page}: ${link}`),
  )
}

const findAll = (html: string, pattern: RegExp): ReadonlySet<string> =>
  new Set([...html.matchAll(pattern)].map(([, found = '']) => found.replaceAll('&amp;', '&')))
