import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'

/**
 * What a room may import beside itself; drawn in `docs/architecture.md`. A room is a folder or a file of `src/`,
 * `admin` with its client and its command line apart, `clients`, or `scripts`. Types count: who knows a type knows its room.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  main: ['app'],
  index: ['app', 'config', 'errors', 'filesystem', 'http', 'log', 'rows'],
  app: [
    'admin',
    'beans',
    'collector',
    'config',
    'contract',
    'delegation',
    'errors',
    'filesystem',
    'gateway',
    'http',
    'kerberos',
    'log',
    'module-url',
    'next-turn',
    'readers',
    'realtime',
    'rows',
    'spool',
    'tracing',
  ],
  admin: ['beans', 'errors', 'http', 'nearest', 'next-turn', 'is-record', 'timings'],
  'admin/cli': [
    'admin/client',
    'beans',
    'clients',
    'codecs',
    'config',
    'contract',
    'errors',
    'filesystem',
    'formats',
    'http',
    'kerberos',
    'module-url',
    'nearest',
    'rows',
    'spool',
    'is-record',
  ],
  'admin/client': [],
  clients: ['contract', 'errors', 'formats'],
  scripts: ['admin', 'admin/cli', 'admin/client', 'app', 'clients', 'config', 'contract', 'errors', 'log'],
  collector: [
    'beans',
    'errors',
    'formats',
    'bytes',
    'http',
    'linear-pattern',
    'log',
    'next-turn',
    'spool',
    'timings',
    'tracing',
  ],
  gateway: [
    'beans',
    'bytes',
    'contract',
    'delegation',
    'errors',
    'filesystem',
    'formats',
    'http',
    'is-record',
    'log',
    'nearest',
    'next-turn',
    'rows',
    'tracing',
  ],
  delegation: ['errors', 'formats', 'is-record', 'log', 'spool'],
  readers: ['beans', 'bytes', 'errors', 'filesystem', 'gateway', 'http', 'is-record', 'log', 'tracing'],
  realtime: ['errors', 'formats', 'spool'],
  spool: ['codecs', 'errors', 'filesystem', 'formats', 'module-url', 'next-turn', 'timings'],
  rows: ['codecs', 'errors', 'filesystem', 'formats', 'module-url', 'next-turn'],
  contract: ['errors', 'http', 'is-record'],
  http: ['bytes', 'errors', 'llhttp', 'log', 'next-turn', 'tracing'],
  config: ['http', 'linear-pattern', 'is-record', 'nearest'],
  kerberos: ['errors', 'filesystem', 'formats', 'http', 'is-record'],
  filesystem: ['bytes', 'errors', 'is-record', 'llhttp', 'next-turn', 'tracing'],
  beans: ['timings'],
  codecs: ['errors'],
  formats: ['errors'],
  log: ['is-record', 'tracing'],
  errors: [],
  bytes: [],
  llhttp: [],
  'is-record': [],
  'linear-pattern': [],
  'module-url': [],
  nearest: [],
  'next-turn': [],
  timings: [],
  tracing: [],
}

/** Rooms that also run where Node's own modules are not at hand, and their files that need Node all the same. */
const portable = ['formats', 'beans', 'http', 'contract', 'rows', 'config']
const nodeOnly = [
  'src/http/access/access-log.ts',
  'src/http/address-blocks.ts', // compares addresses
  'src/http/base-style.ts', // reads the style sheet
  'src/http/client-error.ts',
  'src/http/drain.ts',
  'src/http/failed-logins.ts', // waits
  'src/http/lane/answer-lines.ts',
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

const files = ['src', 'admin', 'clients', 'scripts'].flatMap(root =>
  globSync(`${root}/**/*.{ts,js}`, { exclude: ['**/node_modules/**'] }).sort(),
)
const imports = new Map(files.map(file => [file, readImports(file)]))

describe('imports', () => {
  test('there are files to look at', () => expect(files).toContain('src/errors.ts'))

  test('every room is in the table', () => {
    expect([...new Set(files.map(toRoom))].sort()).toEqual(Object.keys(allowed).sort())
  })

  test.each(files)('%s follows the arrows', file => {
    const room = toRoom(file)
    const may = allowed[room] ?? []
    expect(roomsOf(file).filter(target => target !== room && !may.includes(target))).toEqual([])
  })

  test('every arrow is used', () => {
    const used = new Set(files.flatMap(file => roomsOf(file).map(target => `${toRoom(file)} → ${target}`)))
    const arrows = Object.entries(allowed).flatMap(([room, targets]) => targets.map(target => `${room} → ${target}`))
    expect(arrows.filter(arrow => !used.has(arrow))).toEqual([])
  })

  test('rooms stand in no circle', () =>
    expect(findCycle(Object.keys(allowed), room => allowed[room] ?? [])).toBeUndefined())

  test('docs/architecture.md has every room, above those that it imports from', () => {
    const [, picture = ''] = readFileSync('docs/architecture.md', 'utf8').split('## The rooms')
    const layers = (/```text\n([^`]*)```/.exec(picture)?.[1] ?? '')
      .split('\n')
      .map(line => line.split(' ').filter(Boolean))
    expect(layers.flat().sort()).toEqual(Object.keys(allowed).sort())
    const layerOf = (room: string): number => layers.findIndex(layer => layer.includes(room))
    const arrows = Object.entries(allowed).flatMap(([room, targets]) => targets.map(target => [room, target] as const))
    expect(arrows.filter(([room, target]) => layerOf(target) <= layerOf(room))).toEqual([])
  })

  test('files stand in no circle', () => {
    expect(findCycle(files, file => (imports.get(file) ?? []).filter(target => imports.has(target)))).toBeUndefined()
  })

  test('of Node modules stand in few files, and those are listed', () => {
    const found = files
      .filter(file => file.startsWith('src/') && portable.includes(toRoom(file)))
      .filter(file =>
        readImports(file, false).some(target => target.startsWith('node:') && !everywhere.includes(target)),
      )
    expect(found).toEqual(nodeOnly)
  })
})

/** What a file imports and re-exports: paths from the root of the project, or names of packages. */
function readImports(file: string, withTypes = true): string[] {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  const found = [
    ...text.matchAll(/^(?:import|export)\s+(type\s)?[^'"`;=]*?from\s+'([^']+)'/gm),
    ...text.matchAll(/^import\s+()'([^']+)'/gm),
    ...text.matchAll(/\bimport\(()'([^']+)'\)/g),
  ]
  return found
    .flatMap(([, type, target]) => (target !== undefined && (withTypes || !type) ? [target] : []))
    .map(target => (target.startsWith('.') ? join(dirname(file), target) : target))
}

function roomsOf(file: string): readonly string[] {
  return (imports.get(file) ?? []).filter(target => imports.has(target)).map(toRoom)
}

function toRoom(file: string): string {
  const [root = '', first = ''] = file.split('/')
  if (root === 'src') return first.replace(/\.ts$/, '')
  return root === 'admin' && ['cli', 'client'].includes(first) ? `admin/${first}` : root
}

/** Names that lead to one another in a circle. */
function findCycle(names: readonly string[], next: (name: string) => readonly string[]): readonly string[] | undefined {
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name]
    if (done.has(name)) return undefined
    done.add(name)
    for (const target of next(name)) {
      const cycle = visit(target, [...path, name])
      if (cycle !== undefined) return cycle
    }
    return undefined
  }
  for (const name of names) {
    const cycle = visit(name, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}
