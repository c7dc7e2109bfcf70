/** `sluice`, `npx sluice` and `npm` as a page means them, and packages by their names, without anything being installed. */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './root.ts'

/** Writes the programs into a directory for the `PATH`. */
export const makePrograms = (bin: string): void => {
  const sluice = `exec '${process.execPath}' '${join(root, 'bin/sluice.js')}'`
  writeProgram(join(bin, 'sluice'), `${sluice} "$@"`)
  writeProgram(join(bin, 'npx'), `if [ "$1" = sluice ]; then shift; ${sluice} "$@"; fi\n${goOn('npx')}`)
  writeProgram(join(bin, 'npm'), `${scriptCases()}\n${goOn('npm')}`)
}

/** Runs the next program of that name on the `PATH`. */
const goOn = (name: string): string => `PATH=\${PATH#*:}; exec ${name} "$@"`

/** The scripts of the clone, which `npm` would run in the clone and not where the page is read. */
const scriptCases = (): string => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const cases = Object.entries(scripts)
    .filter(([, script]) => /^(?:exec )?node [^&|]*$/.test(script))
    .map(([name, script]) => {
      const here = script
        .replace(/^(?:exec )?node/, `'${process.execPath}'`)
        .replace(/ (src|scripts|test)\//, ` '${root}'/$1/`)
      return `${name}) shift $n; [ "$1" != -- ] || shift; exec ${here} "$@";;`
    })
  return `n=1; name=$1; [ "$1" != run ] || { n=2; name=$2; }\ncase $name in\n${cases.join('\n')}\nesac`
}

const writeProgram = (path: string, script: string): void =>
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })

const manifestOf = (path: string) =>
  JSON.parse(readFileSync(path, 'utf8')) as {
    readonly name?: string
    readonly exports?: Readonly<Record<string, string | { readonly default?: string }>>
  }

/** Paths of the sources of what this project exports, by the names that people import. */
export const sourcesByName: ReadonlyMap<string, string> = new Map(
  [join(root, 'package.json'), ...globSync(join(root, 'clients/*/package.json'))].flatMap(path => {
    const { name = '', exports = {} } = manifestOf(path)
    return Object.entries(exports).flatMap(([key, target]) => {
      const file = typeof target === 'string' ? target : (target.default ?? '')
      const source = join(dirname(path), file.replace('/dist/', '/').replace(/\.js$/, '.ts'))
      return source.endsWith('.ts') ? [[join(name, key), source] as const] : []
    })
  }),
)

/** Makes the names importable in a directory: Node runs types only outside of `node_modules`, so they lead out of it. */
export const linkPackages = (directory: string): void => {
  const packages = Map.groupBy(sourcesByName, ([name]) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
  for (const [name, members] of packages) {
    const place = join(directory, 'node_modules', name)
    mkdirSync(place, { recursive: true })
    const exports = Object.fromEntries(members.map(([member], i) => [`.${member.slice(name.length)}`, `./${i}.js`]))
    writeFileSync(join(place, 'package.json'), JSON.stringify({ type: 'module', exports }))
    for (const [i, [, source]] of members.entries())
      writeFileSync(join(place, `${i}.js`), `export * from ${JSON.stringify(source)}\n`)
  }
}
