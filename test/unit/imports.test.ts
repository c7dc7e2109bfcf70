import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'

/**
 * What a room may import beside itself; drawn in `docs/architecture.md`. A room is a folder or a file of `src/`,
 * `admin` with its client and its command line apart, `clients`, or `scripts`. Types count: a file that knows a type
 * knows its room.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  main: ['app'],
  index: ['app', 'config', 'errors', 'filesystem', 'http', 'log', 'rows'],
  app: [
    'admin',
    'beans',
    'cluster-tokens',
    'collector',
    'compaction',
    'config',
    'contract',
    'current',
    'delegation',
    'disk',
    'edges',
    'errors',
    'figures',
    'filesystem',
    'gateway',
    'http',
    'kerberos',
    'log',
    'readers',
    'realtime',
    'refused',
    'rows',
    'runtime',
    'spool',
    'tables',
    'text',
    'tracing',
  ],
  admin: ['beans', 'collector', 'current', 'errors', 'figures', 'gateway', 'http', 'is-record', 'runtime', 'text'],
  'admin/cli': [
    'admin/client',
    'clients',
    'cluster-tokens',
    'codecs',
    'compaction',
    'config',
    'contract',
    'disk',
    'errors',
    'event-contracts',
    'figures',
    'filesystem',
    'formats',
    'gateway',
    'http',
    'is-record',
    'log',
    'kerberos',
    'refused',
    'rows',
    'runtime',
    'spool',
    'tables',
    'text',
  ],
  'admin/client': ['is-record'],
  clients: ['contract', 'errors', 'formats'],
  scripts: ['admin', 'admin/cli', 'admin/client', 'app', 'clients', 'config', 'contract', 'errors', 'log', 'spool'],
  collector: [
    'bytes',
    'codecs',
    'current',
    'errors',
    'event-contracts',
    'figures',
    'formats',
    'http',
    'is-record',
    'log',
    'runtime',
    'spool',
    'text',
    'tracing',
  ],
  gateway: [
    'bytes',
    'contract',
    'current',
    'delegation',
    'errors',
    'figures',
    'filesystem',
    'formats',
    'http',
    'is-record',
    'log',
    'rows',
    'runtime',
    'tables',
    'text',
    'tracing',
  ],
  delegation: ['disk', 'errors', 'formats', 'is-record', 'log'],
  readers: ['bytes', 'errors', 'filesystem', 'gateway', 'http', 'is-record', 'log', 'runtime', 'tracing'],
  refused: [
    'beans',
    'clients',
    'collector',
    'contract',
    'errors',
    'filesystem',
    'formats',
    'gateway',
    'http',
    'is-record',
    'spool',
  ],
  edges: [
    'collector',
    'config',
    'contract',
    'current',
    'errors',
    'event-contracts',
    'http',
    'log',
    'rows',
    'runtime',
    'spool',
  ],
  realtime: ['errors', 'formats', 'runtime', 'spool'],
  spool: ['codecs', 'current', 'disk', 'errors', 'figures', 'filesystem', 'formats', 'log', 'runtime', 'tables'],
  disk: ['bytes', 'filesystem', 'runtime'],
  rows: ['codecs', 'current', 'errors', 'event-contracts', 'filesystem', 'formats', 'runtime', 'text'],
  compaction: ['codecs', 'errors', 'filesystem', 'formats', 'is-record', 'log', 'rows', 'runtime', 'tables'],
  tables: ['errors', 'filesystem', 'formats'],
  contract: ['errors', 'http', 'is-record'],
  'event-contracts': ['errors', 'formats', 'is-record', 'runtime', 'text'],
  http: ['bytes', 'current', 'errors', 'llhttp', 'log', 'runtime', 'text', 'tracing'],
  config: ['current', 'http', 'is-record', 'text'],
  kerberos: ['errors', 'http', 'is-record'],
  filesystem: ['bytes', 'errors', 'formats', 'is-record', 'llhttp', 'runtime', 'text', 'tracing'],
  beans: ['figures', 'text'],
  codecs: ['bytes', 'errors', 'runtime'],
  formats: ['errors'],
  log: ['is-record', 'text', 'tracing'],
  current: [],
  errors: [],
  bytes: [],
  llhttp: [],
  'is-record': [],
  tracing: [],
  text: [],
  runtime: [],
  figures: [],
  'cluster-tokens': ['filesystem', 'formats', 'is-record', 'kerberos', 'runtime', 'tracing'],
}

/** Rooms that also run where Node's own modules are not at hand, and their files that need Node all the same. */
const portable = ['formats', 'beans', 'figures', 'http', 'contract', 'rows', 'config', 'text']
const nodeOnly = [
  'src/http/access/access-log.ts',
  'src/http/answers/base-style.ts', // reads the style sheet
  'src/http/auth/failed-logins.ts', // waits
  'src/http/auth/token-source.ts',
  'src/http/edge/client-error.ts',
  'src/http/edge/connection-budget.ts',
  'src/http/edge/drain.ts',
  'src/http/edge/listening-sockets.ts',
  'src/http/edge/node.ts', // the edge
  'src/http/edge/plain-http.ts', // knows a bare connection
  'src/http/edge/request-gate.ts',
  'src/http/edge/tls.ts',
  'src/http/edge/watch-files.ts',
  'src/http/lane/answer-lines.ts',
  'src/http/lane/shared-reading.ts',
  'src/http/origin/address-blocks.ts', // compares addresses
  'src/rows/registrar/directory-registrar.ts', // reads a directory
  'src/rows/registrar/file-registrar.ts', // reads a file
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

  test('every file follows the arrows', () => {
    const isAllowed = (room: string, target: string): boolean => room === target || !!allowed[room]?.includes(target)
    const wrong = files.flatMap(file =>
      ownImports(file)
        .filter(target => !isAllowed(toRoom(file), toRoom(target)))
        .map(target => `${file} (${toRoom(file)}) imports ${target} (${toRoom(target)})`),
    )
    expect(wrong).toEqual([])
  })

  test('every arrow is used', () => {
    const used = new Set(files.flatMap(file => ownImports(file).map(target => `${toRoom(file)} → ${toRoom(target)}`)))
    const arrows = Object.entries(allowed).flatMap(([room, targets]) => targets.map(target => `${room} → ${target}`))
    expect(arrows.filter(arrow => !used.has(arrow))).toEqual([])
  })

  test('rooms form no cycle', () =>
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

  test('files form no cycle', () => {
    expect(findCycle(files, ownImports)).toBeUndefined()
  })

  test('of Node modules are in few files, and those are listed', () => {
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

/** The files of these rooms that a file imports. */
function ownImports(file: string): readonly string[] {
  return (imports.get(file) ?? []).filter(target => imports.has(target))
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
