// `npm run clients [-- --all] [NAME…]`: generates, compiles and calls clients in other languages, one after another, and
// prints what became of them. With `--all` that is the table of clients/README.md, which is written.
import { readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { startServer, type TestServer } from '../../integration/clients/server.ts'
import { buildJourney, type Stage, takeJourney, toWanted } from './journey.ts'
import type { Language } from './language.ts'
import { allLanguages, testedLanguages } from './languages.ts'
import { generatorVersion, missingGenerator } from './openapi-generator.ts'

/** What became of a client, by stage; `note` says why it came no further. */
type Row = { readonly language: Language; readonly reached: ReadonlySet<Stage>; readonly note: string }

const readme = new URL('../../../clients/README.md', import.meta.url)

const usage = `Usage: npm run clients [-- --all] [NAME...]

Names of clients: ${allLanguages.map(one => one.name).join(', ')}`

const main = async (args: readonly string[]): Promise<void> => {
  if (args.includes('--help')) {
    console.log(usage)
    return
  }
  const isAll = args.includes('--all')
  const names = args.filter(arg => !arg.startsWith('-'))
  const chosen = isAll ? allLanguages : names.length === 0 ? testedLanguages : byNames(names)
  const server = await startServer()
  const rows: Row[] = []
  try {
    const contract = await (await fetch(`${server.url}/openapi.json`)).text()
    for (const language of chosen) rows.push(await tryOut(server, contract, language))
  } finally {
    await server.close()
  }
  const table = toTable(rows)
  console.log(table)
  if (isAll) {
    const section = /(<!-- clients -->\n).*?(<!-- \/clients -->)/s
    writeFileSync(
      readme,
      readFileSync(readme, 'utf8').replace(section, (_, open, close) => `${open}${table}\n${close}`),
    )
  }
  if (rows.some(({ note }) => note.startsWith('failed'))) process.exitCode = 1
}

const byNames = (names: readonly string[]): readonly Language[] =>
  names.map(name => {
    const found = allLanguages.find(language => language.name === name)
    if (found) return found
    throw new Error(`There is no client "${name}"; there are ${allLanguages.map(one => one.name).join(', ')}`)
  })

const tryOut = async (server: TestServer, contract: string, language: Language): Promise<Row> => {
  const reached = new Set<Stage>()
  console.error(`${language.name} ...`)
  try {
    const missing = (language.generate ? undefined : await missingGenerator()) ?? (await language.missing())
    if (missing !== undefined) return { language, reached, note: `not here: ${missing}` }
    const run = await buildJourney(language, contract, stage => reached.add(stage))
    const lines = await takeJourney(server, run, language)
    if (!isDeepStrictEqual(lines, toWanted(language))) throw new Error(`It printed\n${lines.join('\n')}`)
    reached.add('called')
    return { language, reached, note: '' }
  } catch (error) {
    console.error(error)
    return { language, reached, note: `failed: ${String(error).split('\n')[0]?.slice(0, 100) ?? ''}` }
  }
}

const toTable = (rows: readonly Row[]): string => {
  const stages = ['generated', 'compiled', 'called'] as const
  const lines = rows.map(({ language, reached, note }) => {
    const { library, options, limits } = language
    const marks = stages.map(stage => (reached.has(stage) ? 'yes' : note.startsWith('not here') ? 'not here' : 'no'))
    const known = [note.startsWith('not here') ? '' : note, limits].filter(text => text !== '').join('; ')
    return `| \`${options.join(' ')}\` | ${library} | ${marks.join(' | ')} | ${known} |`
  })
  return [
    `| openapi-generator ${generatorVersion} | library | generated | compiled | called | known limits |`,
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}

await main(process.argv.slice(2))
