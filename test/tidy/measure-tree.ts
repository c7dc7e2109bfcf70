import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { countLines, measureModule } from './measure.ts'
import type { Kind, Limits, Measure } from './ratchet.ts'
import { accents } from './words.ts'

/**
 * What code may have without being on the list (`exceptions.txt`). Of each pattern of `words.ts` a few uses stay: quotations,
 * names, and sentences where the word is right.
 */
export const limits: Limits = { function: 80, file: 250, folder: 25, name: 1, word: 20 }

/** Names that each file of a kind exports, for one that loads them. */
const conventions = ['commands']

/** Measures the product's code and its pages; the current folder is the root of the project. */
export const measureTree = (): readonly Measure[] => {
  const exclude = ['**/node_modules/**', '**/*.gen.*', '**/*.min.js', 'docs/site/**']
  const files = globSync('{src,admin,clients,scripts}/**/*.*', { exclude }).sort()
  const code = files.filter(file => /\.([jt]s|css)$/.test(file))
  const texts = new Map(code.map(file => [file, readFileSync(file, 'utf8')]))
  const modules = code
    .filter(file => !file.endsWith('.css'))
    .map(file => ({ file, ...measureModule(file, texts.get(file) ?? '', limits.function) }))

  const exporters = Map.groupBy(
    modules
      .filter(({ file }) => !file.startsWith('scripts/'))
      .flatMap(({ file, exports }) => exports.map(name => ({ name, file }))),
    ({ name }) => name,
  )
  const prose = [...modules.map(({ comments }) => comments), ...readPages(exclude)].join('\n').replace(/\s+/g, ' ')
  return [
    ...code.map(file => toMeasure('file', file, countLines(texts.get(file) ?? ''))),
    ...[...Map.groupBy(files, file => dirname(file))].map(([folder, { length }]) =>
      toMeasure('folder', folder, length),
    ),
    ...longestOf(
      modules.flatMap(({ file, functions }) =>
        functions.map(({ name, lines }) => toMeasure('function', `${file} ${name}`, lines)),
      ),
    ),
    ...[...exporters]
      .filter(([name]) => !conventions.includes(name))
      .map(([name, places]) => ({ ...toMeasure('name', name, places.length), seenIn: places.map(({ file }) => file) })),
    ...accents
      .filter(({ isOfPagesAlone }) => !isOfPagesAlone)
      .map(({ name, pattern }) => toMeasure('word', name, prose.match(pattern)?.length ?? 0)),
  ]
}

function toMeasure(kind: Kind, place: string, count: number): Measure {
  return { kind, place, count }
}

/** Two functions of one file may have one name, such as those that one call is given. */
function longestOf(functions: readonly Measure[]): readonly Measure[] {
  return [...new Map(functions.toSorted((one, other) => one.count - other.count).map(one => [one.place, one])).values()]
}

/** Those that `words.ts` does not hold at 0. The changelog keeps its old words. */
function readPages(exclude: readonly string[]): readonly string[] {
  return globSync(['{CONTRIBUTING,SECURITY}.md', '{src,admin,clients,scripts,deploy}/**/*.md'], { exclude }).map(file =>
    readFileSync(file, 'utf8'),
  )
}
