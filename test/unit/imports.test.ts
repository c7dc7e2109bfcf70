import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

/** What a part may import beside itself; the arrows of the design. A part is a folder of `src/`, or a file there. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  'module-url': [],
  'next-turn': [],
  'growing-bytes': [],
  'linear-pattern': [],
  histogram: [],
  formats: ['errors'],
  codecs: ['errors', 'module-url'],
  beans: ['errors', 'histogram'],
  log: ['errors'],
  filesystem: ['errors', 'log'],
  contract: ['errors', 'http'],
  http: ['contract', 'errors', 'growing-bytes', 'log', 'next-turn'],
  config: ['errors', 'http', 'linear-pattern'],
  rows: ['formats', 'codecs', 'filesystem', 'errors', 'module-url', 'next-turn'],
  spool: ['formats', 'codecs', 'filesystem', 'errors', 'log', 'module-url', 'next-turn', 'histogram'],
  realtime: ['spool', 'formats', 'errors', 'log'],
  collector: [
    'spool',
    'formats',
    'http',
    'beans',
    'errors',
    'growing-bytes',
    'log',
    'contract',
    'module-url',
    'next-turn',
    'linear-pattern',
    'histogram',
  ],
  gateway: [
    'rows',
    'formats',
    'filesystem',
    'codecs',
    'http',
    'beans',
    'errors',
    'log',
    'contract',
    'module-url',
    'next-turn',
  ],
  'app-type': ['config', 'log'],
  signals: [],
  run: ['app-type', 'config', 'log', 'signals'],
}
/** The composition root, its parts (`*-part.ts`) and what stands above import all of `src/`; `app` and `main` also `admin/`. */
const isRoot = (part: string): boolean => ['app', 'index', 'main'].includes(part) || part.endsWith('-part')

/** Parts that also run where Node's own modules are not at hand, and their files that need Node all the same. */
const portable = ['formats', 'beans', 'http', 'contract', 'rows', 'config']
const nodeOnly = [
  'src/contract/load.ts', // reads openapi.yaml from the package
  'src/http/base-style.ts', // reads the style sheet
  'src/http/client-error.ts',
  'src/http/drain.ts',
  'src/http/failed-logins.ts', // waits
  'src/http/listening-sockets.ts',
  'src/http/node.ts', // the edge
  'src/http/plain-http.ts', // knows a bare connection
  'src/http/tls.ts',
  'src/http/token-source.ts',
  'src/http/watch-files.ts',
  'src/rows/parquet-thread.ts', // where a hostile file takes a thread and no more
  'src/rows/parquet-worker.ts',
]
/** Modules of Node that Deno, Bun and edge runtimes have too. */
const everywhere = ['node:buffer', 'node:crypto', 'node:path', 'node:url', 'node:util', 'node:zlib']

const files = globSync('src/**/*.ts').sort()
const imports = new Map(files.map(file => [file, readImports(file)]))

describe('imports', () => {
  test('there are files to look at', () => expect(files).toContain('src/errors.ts'))

  test.each(files.filter(file => !isRoot(toPart(file))))('%s follows the arrows', file => {
    const part = toPart(file)
    const targets = (imports.get(file) ?? [])
      .filter(target => target.startsWith('.'))
      .map(target => toPart(resolve(file, target)))
    const may = allowed[part]
    expect(may, `${part} is a new part: add it to the table`).toBeDefined()
    expect(targets.filter(target => target !== part && !may?.includes(target))).toEqual([])
  })

  test('src never imports admin, clients or test, except the process and its root', () => {
    const outside = files
      .filter(file => !['app', 'main'].includes(toPart(file)))
      .filter(file =>
        imports
          .get(file)
          ?.some(target => target.startsWith('.') && relative('src', resolve(file, target)).startsWith('..')),
      )
    expect(outside).toEqual([])
  })

  test('go in no circle', () => expect(findCycle()).toBeUndefined())

  test('of Node modules stand in few files, and those are listed', () => {
    const found = files
      .filter(file => portable.includes(toPart(file)))
      .filter(file =>
        readImports(file, false).some(target => target.startsWith('node:') && !everywhere.includes(target)),
      )
    expect(found).toEqual(nodeOnly)
  })
})

/** Specifiers of a file's imports and re-exports; `import type` counts for the arrows, and not for the runtime. */
function readImports(file: string, withTypes = true): string[] {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  const found = [
    ...text.matchAll(/^(?:import|export)\s+(type\s)?[^'"`;=]*?from\s+'([^']+)'/gm),
    ...text.matchAll(/^import\s+()'([^']+)'/gm),
    ...text.matchAll(/\bimport\(()'([^']+)'\)/g),
  ]
  return found.flatMap(([, type, target]) => (target !== undefined && (withTypes || !type) ? [target] : []))
}

function resolve(file: string, target: string): string {
  return join(dirname(file), target)
}

function toPart(file: string): string {
  const [first = ''] = relative('src', file).split('/')
  return first.replace(/\.ts$/, '')
}

/** Files that import one another in a circle, types aside: those vanish before anything runs. */
function findCycle(): readonly string[] | undefined {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    done.add(file)
    for (const target of readImports(file, false)) {
      const next = target.startsWith('.') ? resolve(file, target) : ''
      const cycle = files.includes(next) ? visit(next, [...path, file]) : undefined
      if (cycle !== undefined) return cycle
    }
    return undefined
  }
  for (const file of files) {
    const cycle = visit(file, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}
