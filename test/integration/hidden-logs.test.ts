/** The logs of collectors below the event output directory: no route of the gateway shows or changes anything of them. */
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { toRouteRows } from '../../scripts/generate/tables.ts'
import { chunksOf } from '../suites/filesystem.ts'
import { createTestGateway, type TestGateway } from '../suites/gateway.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'
import { readFiles } from '../suites/spool.ts'

const log = '/events/_log'
const owner = `${log}/0123456789abcdef0123456789abcdef`
const segment = `${owner}/log/1.log`
const files = createMemoryFileSystem()
let gateway: TestGateway

const write = async (path: string, text: string): Promise<void> => {
  await files.create(path, chunksOf(text), { overwrite: true })
}
beforeAll(async () => {
  gateway = await createTestGateway({ fileSystem: files })
  await write(segment, 'secret')
  await write('/events/Click/f.jsonl', '{"a":1}\n')
  await write('/free/f.jsonl', '{"a":1}\n')
})
afterAll(() => gateway.close())

const call = async (
  method: string,
  target: string,
  body?: RequestInit['body'],
  headers: Record<string, string> = {},
) => {
  const accept = { accept: target.includes('/hdfs?') ? 'text/html' : '*/*' }
  const init = { method, headers: { ...accept, ...headers }, redirect: 'manual' as const }
  const answer = await gateway.call(target, body === undefined ? init : { ...init, body })
  return { status: answer.status, text: await answer.text() }
}
const form = { 'content-type': 'application/x-www-form-urlencoded' }

type Sent = readonly [method: string, target: string, body?: RequestInit['body'], headers?: Record<string, string>]

const encoded = (path: string): string => encodeURIComponent(path)
const at = (route: string, path: string, more = ''): string => `/rest/1.0${route}?path=${encoded(path)}${more}`

/** What each route of the gateway that takes a path can be asked of one. */
const routes: Readonly<Record<string, (path: string) => readonly Sent[]>> = {
  'GET /rest/1.0/hdfs': path => [
    ...[
      '',
      '&recursive=true',
      '&show=bytes',
      '&show=newest',
      '&show=size',
      '&show=delete',
      '&show=rename',
      '&by=a',
    ].map(more => ['GET', at('/hdfs', path, more)] as const),
    ['GET', at('/hdfs', path, '&raw=false')],
  ],
  'POST /rest/1.0/hdfs': path => [
    ['POST', at('/hdfs', path, '&action=delete&recursive=true'), '', form],
    ['POST', at('/hdfs', path, '&action=delete&recursive=true&skipTrash=true'), '', form],
    ['POST', at('/hdfs', path, '&action=delete-selected'), 'select=log', form],
    ['POST', at('/hdfs', path, '&action=rename'), 'name=mine&directory=/', form],
    ['POST', at('/hdfs', '/free/f.jsonl', '&action=rename'), `name=f&directory=${encoded(path)}`, form],
    ['POST', at('/hdfs', path, '&action=mkdir'), 'name=mine', form],
    ['POST', at('/hdfs', path, '&action=upload&overwrite=true'), fileForm(), {}],
  ],
  'GET /rest/1.0/json': path => [
    ['GET', at('/json', path)],
    ['GET', at('/json', path, '&recursive=true&content=false')],
  ],
  'GET /rest/1.0/text': path => [['GET', at('/text', path)]],
  'GET /rest/1.0/binary': path => [
    ['GET', at('/binary', path)],
    ['GET', at('/binary', path, '&archive=tar')],
    ['GET', at('/binary', path, '&archive=zip')],
  ],
  'GET /files/*': path => [['GET', `/files${path}`]],
  'GET /iceberg/v1/*': path => {
    const [level = '', ...levels] = posix.normalize(path).replace(/\/$/, '').split('/').toReversed()
    const namespace = levels.toReversed().slice(1).join('%1F')
    return ['', '/gateway'].flatMap(prefix => [
      ['GET', `/iceberg/v1${prefix}/namespaces/${namespace}%1F${level}`] as const,
      ['GET', `/iceberg/v1${prefix}/namespaces/${namespace}%1F${level}/tables`] as const,
      ['GET', `/iceberg/v1${prefix}/namespaces/${namespace}/tables/${level}`] as const,
      ['GET', `/iceberg/v1${prefix}/namespaces?parent=${namespace}%1F${level}`] as const,
    ])
  },
  'GET /iceberg/files/*': path => [['GET', `/iceberg/files${path}`]],
  'POST /rest/1.0': path => [['POST', at('', path, '&overwrite=true'), 'x']],
  'DELETE /rest/1.0': path => [['DELETE', at('', path, '&recursive=true')]],
  'GET /webhdfs/v1/*': path => opsOf('get').map(op => ['GET', `/webhdfs/v1${path}?op=${op}${parameters[op] ?? ''}`]),
  'PUT /webhdfs/v1/*': path => [
    ...opsOf('put').map(op => ['PUT', `/webhdfs/v1${path}?op=${op}${parameters[op] ?? ''}`, bodies[op]] as const),
    ['PUT', `/webhdfs/v1/free/f.jsonl?op=RENAME&destination=${encoded(path)}`],
    ['PUT', `/webhdfs/v1/free/link?op=CREATESYMLINK&Destination=${encoded(path)}`],
    ['PUT', `/webhdfs/v1/free/f.jsonl?op=RENAME&renameoptions=OVERWRITE&destination=${encoded(path)}`],
  ],
  'POST /webhdfs/v1/*': path => [
    ...opsOf('post').map(op => ['POST', `/webhdfs/v1${path}?op=${op}${parameters[op] ?? ''}`, bodies[op]] as const),
    ['POST', `/webhdfs/v1/free/f.jsonl?op=CONCAT&Sources=/free/g.jsonl,${encoded(path)}`],
  ],
  'DELETE /webhdfs/v1/*': path =>
    opsOf('delete').map(op => ['DELETE', `/webhdfs/v1${path}?op=${op}${parameters[op] ?? '&recursive=true'}`]),
}

/** Routes that take no path, or one that was made by the server for something else. */
const withoutPath = [
  'GET /iceberg/v1/config',
  'GET /rest/1.0/viewer',
  'GET /static',
  'GET /login',
  'POST /login',
  'POST /logout',
  'GET /',
]
/** Operations that say nothing of the path. */
const ofNoPath = /op=(GETHOMEDIRECTORY|GETTRASHROOTS?|GETDELEGATIONTOKEN|(RENEW|CANCEL)DELEGATIONTOKEN)\b/

const parameters: Readonly<Record<string, string>> = {
  CREATE: '&data=true&overwrite=true',
  APPEND: '&data=true',
  RENAME: '&destination=/free/mine',
  CONCAT: '&sources=/free/f.jsonl',
  SETOWNER: '&owner=me',
  CHECKACCESS: '&fsaction=r--',
  TRUNCATE: '&newlength=0',
}
const bodies: Readonly<Record<string, string>> = { CREATE: 'x', APPEND: 'x' }

const fileForm = (): FormData => {
  const body = new FormData()
  body.append('file', new Blob(['x']), 'mine')
  return body
}

const { paths } = parse(readFileSync('openapi.yaml', 'utf8'))
const opsOf = (method: string): readonly string[] =>
  paths['/webhdfs/v1/{path}'][method].parameters.find(({ name }: { name: string }) => name === 'op').schema.enum

test('every route of the gateway that takes a path is tried', () => {
  const known = toRouteRows()
    .filter(({ part }) => part === 'gateway')
    .map(({ method, path }) => `${method} ${path}`)
    .filter(route => !withoutPath.some(one => route === one || route.startsWith(`${one}/`)))
  expect(Object.keys(routes).sort()).toEqual(known.sort())
})

describe.each(Object.keys(routes))('%s', route => {
  test.each([
    log,
    segment,
    `${log}/nothing/there`,
    '/events//_log',
    '/events/Click/../_log',
    `${owner}/.`,
    '/events/.snapshot/s0/_log/x',
    '/.reserved/raw/events/_log',
    '/.reserved/.inodes/16390',
  ])('refuses %s, and shows and changes nothing', async path => {
    const before = await readFiles(files, '/')
    for (const sent of routes[route]?.(path) ?? []) {
      const { status, text } = await call(...sent)
      if (ofNoPath.test(sent[1])) continue
      expect([status, text], sent[1]).toEqual([403, expect.stringContaining('the logs of collectors')])
      expect(text).not.toContain('secret')
    }
    expect(await readFiles(files, '/')).toEqual(before)
  })
})

test.each([
  at('/hdfs', '/events'),
  at('/hdfs', '/events', '&recursive=true'),
  at('/hdfs', '/events', '&sort=size'),
  at('/hdfs', '/events', '&show=newest'),
  at('/json', '/events'),
  at('/json', '/', '&recursive=true'),
  at('/json', '/', '&recursive=true&content=false'),
  at('/text', '/events', '&recursive=true'),
  at('/binary', '/events', '&archive=tar'),
  at('/binary', '/', '&archive=zip&recursive=true'),
  '/webhdfs/v1/events?op=LISTSTATUS',
  '/webhdfs/v1/events?op=LISTSTATUS_BATCH',
])('%s lists what is beside them', async target => {
  const { status, text } = await call('GET', target)
  expect(status).toBeLessThan(400)
  expect(text).not.toMatch(/_log|secret/)
})

const trees: readonly Sent[] = [
  ...['/events', '/'].flatMap(path => [
    ['DELETE', at('', path, '&recursive=true')] as const,
    ['DELETE', `/webhdfs/v1${path}?op=DELETE&recursive=true`] as const,
    ['POST', at('/hdfs', path, '&action=delete&recursive=true'), '', form] as const,
    ['POST', at('/hdfs', path, '&action=delete&recursive=true&skipTrash=true'), '', form] as const,
  ]),
  ['PUT', '/webhdfs/v1/events?op=RENAME&destination=/old'],
  ['POST', at('/hdfs', '/events', '&action=rename'), 'name=old&directory=/', form],
  ['POST', at('/hdfs', '/', '&action=delete-selected'), 'select=events', form],
]

test.each(trees.map(sent => [sent[0], sent[1], sent] as const))(
  '%s %s takes nothing away that holds them',
  async (...[, , sent]) => {
    const before = await readFiles(files, '/')
    const { status, text } = await call(...sent)
    // The root is refused before that.
    expect([status, text]).toEqual([
      403,
      expect.stringMatching(/holds the logs of collectors|root|\/&quot; to the trash/),
    ])
    expect(await readFiles(files, '/')).toEqual(before)
  },
)

test('an archive does not have them by name either', async () => {
  const { text } = await call('GET', at('/binary', '/events', '&archive=tar&select=_log&select=Click'))
  expect(text).toContain('f.jsonl')
  expect(text).not.toContain('secret')
})

test('where no collector keeps a log the directory goes like any other', async () => {
  const other = createMemoryFileSystem()
  await other.create('/events/Click/f', chunksOf('x'))
  const { call: ask, close } = await createTestGateway({ fileSystem: other })
  expect((await ask(at('', '/events', '&recursive=true'), { method: 'DELETE' })).status).toBe(200)
  await close()
})
