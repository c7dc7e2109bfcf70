import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { documents, fillTables } from '../../scripts/generate/tables.ts'

const pages = globSync(['*.md', 'docs/**/*.md', 'clients/**/*.md', 'deploy/**/*.md'], {
  exclude: ['**/node_modules/**'],
})

describe('the documents', () => {
  test.each(Object.entries(documents))('%s has the tables of the code as it is', async (page, tables) => {
    expect(readFileSync(page, 'utf8')).toBe(await fillTables(readFileSync(page, 'utf8'), tables))
  })

  test.each(pages)('%s links to what is there', page => {
    const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
    const local = links.filter(link => !/^https?:/.test(link))
    expect(local.filter(link => !isThere(page, link))).toEqual([])
  })

  test('the figures of the README are those of the pages that it links to', () => {
    const proof = /^- \*\*[\s\S]*?\n\n/m.exec(readFileSync('README.md', 'utf8'))?.[0] ?? ''
    const figures = [...proof.matchAll(/\[([\d.,]+(?: K| ms)?)[^\]]*\]\(([^)#]+)/g)]
    expect(figures).toHaveLength(3)
    // A table has the unit in its heading.
    const missing = figures.filter(
      ([, figure = '', page = '']) => !readFileSync(page, 'utf8').includes(figure.replace(' ms', '')),
    )
    expect(missing.map(([link]) => link)).toEqual([])
  })

  test.each(pages)('%s names commands that are there', page => {
    const reference = readFileSync('docs/reference/cli.md', 'utf8')
    const commands = [...reference.matchAll(/^## sluice (.*)$/gm)].map(([, command = '']) => command)
    // A line of the log begins so, too.
    const named = [...readFileSync(page, 'utf8').matchAll(/`sluice (?!is ready)([a-z][\w -]*)[^`]*`/g)].map(
      ([, said = '']) => said,
    )
    const isKnown = (said: string): boolean =>
      commands.some(command => `${said} `.startsWith(`${command} `) || `${command} `.startsWith(`${said.trim()} `))
    expect(commands.length).toBeGreaterThan(20)
    expect(named.filter(said => !isKnown(said))).toEqual([])
  })

  test.each(['docs/architecture.md', 'CONTRIBUTING.md'])('%s names files that are there', page => {
    // A block of code is an example.
    const text = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '')
    const named = [...text.matchAll(/\b(?:src|admin|clients|scripts|test|docs|bin)\/[\w./-]*\w/g)]
    expect(named.map(([path]) => path).filter(path => !existsSync(path))).toEqual([])
    expect(named.length).toBeGreaterThan(5)
  })
})

/** Whether a link leads to a file, and to a heading of it where it names one. */
const isThere = (page: string, link: string): boolean => {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (heading === undefined || !existsSync(target)) return existsSync(target)
  const headings = readFileSync(target, 'utf8').matchAll(/^#+ (.*)$/gm)
  return [...headings].some(([, text = '']) => toAnchor(text) === heading)
}

/** As GitHub makes it. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
