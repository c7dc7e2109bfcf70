/** English with an accent, which readers stumble over, and how long the pages may be. */
import { globSync, readFileSync } from 'node:fs'

/** A pattern that is not to be used, by the name it has in the list. */
type Accent = { readonly name: string; readonly pattern: RegExp; readonly isOfPagesAlone?: true }

const word = (name: string): Accent => ({ name, pattern: new RegExp(`\\b${name}\\b`, 'gi') })

export const accents: readonly Accent[] = [
  word('anew'),
  word('as ever'),
  word('but for'),
  word('for ever'),
  { name: 'goes on', pattern: /\b(?:go|goes|going|gone|went) on\b/gi },
  { name: 'has none', pattern: /\b(?:has|have|had) none\b/gi },
  { name: 'has it from', pattern: /\b(?:has|have|had) (?:it|them) from\b/gi },
  { name: 'is no', pattern: /(?<!\bthere )\b(?:is|are) no\b(?! (?:longer|more|less|later|other|such)\b)/gi },
  { name: 'is none', pattern: /\b(?:is|are|was|were) none\b/gi },
  { name: 'is told', pattern: /\b(?:is|are|was|were|be|been) told\b/gi },
  { name: 'mend', pattern: /\bmend(?:s|ed|ing)?\b/gi },
  word('nobody'),
  word('of old'),
  { name: 'stands', pattern: /\b(?:stand|stands|stood)\b(?!-)/gi },
  { name: 'tried again', pattern: /\b(?:try|tries|tried) (?:it |them )?again\b/gi },
  { name: 'whoever', pattern: /\bwho(?:m)?ever\b/gi },
  { name: '… so.', pattern: /(?<!\b(?:say|says|said|do|does|did) )\bso\.(?= |$)/gm, isOfPagesAlone: true },
  {
    name: 'What/Who … as a subject',
    pattern: /(?<=^|[.!?] |\| |- )(?:What|Who|Whom) (?!to\b)[a-z][^.?!|]*[.!|]/gm,
    isOfPagesAlone: true,
  },
]

/** Words of a text, as `wc -w` counts them. */
export const countWords = (text: string): number => text.split(/\s+/).filter(one => one !== '').length

/** Without the parts that are generated from the code. */
export const takeGeneratedOut = (page: string): string =>
  page.replace(/^<!-- ([\w-]+) -->\n[\s\S]*?^<!-- \/\1 -->$/gm, '')

/** Sentences and cells of a page: without headings, examples and code, each paragraph in one line. */
export const toProse = (page: string): string =>
  page
    .replace(/^ *```[\s\S]*?^ *```$/gm, '')
    .replace(/`[^`]*`/g, 'CODE')
    .replace(/^#.*$/gm, '')
    .replace(/(?<!\n)\n(?![\n|>]|\s*(?:-|\d+\.) )/g, ' ')

/** Pages for people who use Sluice, by their paths. */
export const userPages = (): readonly string[] =>
  globSync(['README.md', 'RELIABILITY.md', 'BENCHMARKS.md', 'docs/**/*.md'], {
    exclude: ['**/node_modules/**', 'docs/site/**'],
  })
    .map(path => path.replaceAll('\\', '/'))
    .sort()

/** Each use of an accent on those pages, with its place. */
export const findAccents = (page: string, text: string): readonly string[] => {
  const prose = toProse(takeGeneratedOut(text))
  return accents.flatMap(({ name, pattern }) =>
    Array.from(prose.matchAll(pattern), ({ index, 0: found }) => {
      const around = prose.slice(Math.max(0, index - 40), index + found.length + 30).replaceAll('\n', ' ')
      return `${page}: "${name}" in "…${around}…"`
    }),
  )
}

/** What a run writes as a whole: `npm run soak -- --write`. */
const reports = ['docs/soak.md']

/** The most words that pages may have, by path or folder; of a folder those that no program writes. */
export const maxWords: Readonly<Record<string, number>> = {
  'RELIABILITY.md': 2_500,
  'BENCHMARKS.md': 3_500,
  'docs/': 48_000,
}

/** How many words there are now. */
export const countPageWords = (place: string): number =>
  userPages()
    .filter(page => (place.endsWith('/') ? page.startsWith(place) && !reports.includes(page) : page === place))
    .map(page => readFileSync(page, 'utf8'))
    .reduce((sum, text) => sum + countWords(place.endsWith('/') ? takeGeneratedOut(text) : text), 0)
