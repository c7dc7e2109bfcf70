// The parts of documents that are generated: who may call which route, which packages run with the server, and the
// reference. Their sources are those of the server itself (openapi.yaml, the routes of the management listener, the
// table of settings, the beans of a running server), the comments with the layouts of formats, and package-lock.json.
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type AdminRouteRow, adminRoutes } from '../../admin/routes.ts'
import { retiredReference, settingsReference } from '../../src/config/print.ts'
import { type Operation, toContract } from '../../src/contract/contract.ts'
import { toValuesTable } from './chart.ts'
import { readContract } from './contracts.ts'
import { beanMessages, commandMessages, httpMessages, logTable, messageTexts, startTable } from './messages/print.ts'
import { apiReference } from './reference/api.ts'
import { beanReference } from './reference/beans.ts'
import { cliReference } from './reference/cli.ts'
import { exitCodeTable, rpcErrors } from './reference/errors.ts'
import { eventFormats, spoolFormats } from './reference/file-formats.ts'
import { metricReference } from './reference/metrics.ts'

/** One method of one path: where it is served, and what a token needs. */
export type RouteRow = {
  /** Which part serves it: on the listener of that part, `common` routes on every listener. */
  readonly part: 'collector' | 'gateway' | 'common' | 'management'
  readonly method: string
  readonly path: string
  /** A token needs one of them where tokens are required; empty: open to all. */
  readonly roles: readonly string[]
  /** What it needs beside. */
  readonly also?: string
}

/** A package that is installed where the server runs. */
export type PackageRow = { readonly name: string; readonly version: string; readonly licence: string }

/** Every route that the server has. */
export const toRouteRows = (): readonly RouteRow[] => [
  ...toContract(readContract('openapi')).operations.map(operation => ({
    part: toPart(operation),
    method: operation.method,
    // As routers write it, and as in the management.
    path: operation.path.replace(/\{\w+\}$/, '*'),
    roles: operation.role === undefined ? [] : [operation.role],
  })),
  ...Object.values<AdminRouteRow>(adminRoutes).flatMap(({ methods, ...row }) =>
    methods.map(method => ({ part: 'management', method, ...row }) as const),
  ),
]

const lockShape = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      license: z.string().default('unknown'),
      dev: z.boolean().default(false),
      devOptional: z.boolean().default(false),
    }),
  ),
})

/** What `npm ci --omit=dev` installs at the most, by the text of package-lock.json. */
export const toPackageRows = (lock: string): readonly PackageRow[] =>
  Object.entries(lockShape.parse(JSON.parse(lock)).packages).flatMap(([path, found]) => {
    const isShipped = path.startsWith('node_modules/') && !found.dev && !found.devOptional
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return isShipped ? [{ name, version: found.version ?? '?', licence: found.license }] : []
  })

/** The generated parts of documents, by the names of their marks. */
const tables = {
  routes: () => toRouteTable(toRouteRows()),
  packages: () =>
    toPackageTable(toPackageRows(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'))),
  settings: settingsReference,
  'retired-settings': retiredReference,
  values: () => toValuesTable(readFileSync(new URL('../../deploy/helm/sluice/values.yaml', import.meta.url), 'utf8')),
  api: apiReference,
  cli: cliReference,
  beans: beanReference,
  metrics: metricReference,
  'http-errors': httpMessages,
  'bean-errors': beanMessages,
  'command-errors': commandMessages,
  'start-errors': startTable,
  'log-lines': logTable,
  'message-texts': messageTexts,
  'rpc-errors': rpcErrors,
  'exit-codes': exitCodeTable,
  'event-formats': eventFormats,
  'spool-formats': spoolFormats,
} as const satisfies Readonly<Record<string, () => string | Promise<string>>>

/** Documents with generated tables, by their paths. */
export const documents: Readonly<Record<string, readonly (keyof typeof tables)[]>> = {
  'SECURITY.md': ['routes', 'packages'],
  'deploy/helm/sluice/README.md': ['values'],
  'docs/reference/settings.md': ['settings', 'retired-settings'],
  'docs/reference/api.md': ['api'],
  'docs/reference/cli.md': ['exit-codes', 'cli'],
  'docs/reference/beans.md': ['beans'],
  'docs/reference/metrics.md': ['metrics'],
  'docs/reference/errors.md': [
    'http-errors',
    'log-lines',
    'start-errors',
    'exit-codes',
    'command-errors',
    'rpc-errors',
    'bean-errors',
    'message-texts',
  ],
  'docs/reference/file-formats.md': ['event-formats', 'spool-formats'],
}

/** Puts the tables of today between their marks. @throws Error for a text without the marks */
export const fillTables = async (markdown: string, names: readonly (keyof typeof tables)[]): Promise<string> => {
  let text = markdown
  for (const name of names) {
    const section = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`)
    if (!section.test(text)) throw new Error(`There is no section <!-- ${name} -->`)
    const table = await tables[name]()
    text = text.replace(section, (_, open, close) => `${open}${table}\n${close}`)
  }
  return text
}

const partOf: ReadonlyMap<string, RouteRow['part']> = new Map([
  ['events', 'collector'],
  ['doors', 'collector'],
  ['files', 'gateway'],
  ['pages', 'gateway'],
  ['webhdfs', 'gateway'],
  ['iceberg', 'gateway'],
])

const toPart = ({ tag }: Operation): RouteRow['part'] => partOf.get(tag) ?? 'common'

const toRouteTable = (rows: readonly RouteRow[]): string =>
  [
    '| part | route | role |',
    '|---|---|---|',
    ...rows.map(({ part, method, path, roles, also }) => {
      const one = roles.map(role => `\`${role}\``).join(' or ') || 'open'
      const needed = also === undefined ? one : `${one} and \`${also}\``
      return `| ${part} | \`${method} ${path}\` | ${needed} |`
    }),
  ].join('\n')

const toPackageTable = (rows: readonly PackageRow[]): string =>
  [
    '| licence | packages |',
    '|---|---|',
    ...[...Map.groupBy(rows, ({ licence }) => licence)].map(
      ([licence, found]) => `| ${licence} | ${found.map(({ name, version }) => `${name} ${version}`).join(', ')} |`,
    ),
  ].join('\n')
