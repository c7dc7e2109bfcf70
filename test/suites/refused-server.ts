import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createRpcClient } from '../../admin/client/rpc-client.ts'
import { createApp } from '../../src/app/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { silentLogger } from '../../src/log/log.ts'
import { createMemoryFileSystem } from './memory-filesystem.ts'
import { beatTwice } from './spool.ts'
import { createTearingDisk } from './tearing-disk.ts'

/** The bean of refused events. */
const refused = 'sluice.metrics.collector:name=Refused'

/** A row of its lists, as far as tests look at it. */
export type ListedRefusal = {
  readonly id: string
  readonly type: string
  readonly code: string
  readonly isReplayed: boolean
}

/** Token of the operator, where some are needed. */
export const operator = 'operator-token-of-the-tests'

/** Settings with which senders have tokens, which are their names. */
export const withSenders = (...names: readonly string[]): readonly string[] => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-senders-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const lines = names.map(name => `${name} send sha256:${hashToken(name)}\n`)
  writeFileSync(
    join(directory, 'tokens'),
    `operator view,read,operate sha256:${hashToken(operator)}\n${lines.join('')}`,
  )
  return ['collector.auth=token', `auth.tokens=${join(directory, 'tokens')}`]
}

/**
 * A server in memory whose contract for the type Order can be fixed while it runs: `total` has to be a number. That for the type
 * Strict is the same, and cannot.
 */
export const openRefusedServer = async (...settings: readonly string[]) => {
  const schemas = mkdtempSync(join(tmpdir(), 'sluice-refused-'))
  const schema = { properties: { total: { type: 'number' } } }
  writeFileSync(join(schemas, 'Order.json'), JSON.stringify(schema))
  writeFileSync(join(schemas, 'Strict.json'), JSON.stringify({ ...schema, 'x-sluice-validation': 'reject' }))
  const own = [
    'server.port=0',
    'admin.port=0',
    'collector.scribe.enabled=false',
    'gateway.readers=0',
    'server.threads=1',
  ]
  const always = [
    ...own,
    'collector.doors=segment,snowplow,cloudevents,ndjson,firehose,csv',
    `registrar.path=${schemas}`,
    ...settings,
  ]
  let changed: readonly string[] = ['collector.validation=reject']
  const read = () =>
    loadConfig({
      argv: [...always, ...changed].flatMap(one => ['--set', one]),
      env: {},
      cwd: '/nowhere',
      readFile: () => '',
    })
  const clock = { ms: Date.UTC(2026, 10, 22, 8, 0, 0, 1) }
  const fileSystem = createMemoryFileSystem()
  let beat = async (): Promise<void> => {}
  const app = await createApp({
    settings: read().settings,
    readSettings: read,
    logger: silentLogger,
    fileSystem,
    disk: createTearingDisk(),
    now: () => clock.ms,
    heartbeat: body => {
      beat = body
      return () => {}
    },
  })
  onTestFinished(async () => {
    await app.close()
    rmSync(schemas, { recursive: true })
  })
  const rpc = createRpcClient({ url: 'http://127.0.0.1', fetch: app.adminFetch, token: operator })
  const call = (path: string, init: RequestInit = {}): Promise<Response> =>
    Promise.resolve(app.fetch(new Request(`http://localhost${path}`, init)))
  const exec = (operation: string, ...args: readonly unknown[]): Promise<unknown> => rpc.exec(refused, operation, args)
  return {
    rpc,
    clock,
    call,
    app,
    fileSystem,
    exec,
    post: (
      body: string | Uint8Array<ArrayBuffer>,
      headers: Readonly<Record<string, string>> = {},
      path = '/rest/1.0/event',
    ) => call(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }),
    /** Everything into files; an hour goes by. */
    flush: async (): Promise<void> => {
      clock.ms += 3_600_000
      await beatTwice(beat)
    },
    /** What happens to events that do not fit. */
    validate: (next: string): void => {
      changed = [`collector.validation=${next}`]
      app.reload()
    },
    /** Other settings from now on. */
    set: (...next: readonly string[]): void => {
      changed = next
      app.reload()
    },
    list: async (types: readonly string[] = [], code = '', limit = 200, before = '') =>
      (await exec('list', types, code, 0, 0, before, limit)) as {
        readonly rows: readonly ListedRefusal[]
        readonly next?: string
        readonly waiting: number
      },
    replay: async (...ids: readonly string[]) =>
      (
        (await exec('replay', ids)) as {
          readonly outcomes: readonly { readonly outcome: string; readonly detail: string }[]
        }
      ).outcomes,
    /** Rows of the files of a type, with the hours in which they are. */
    stored: async (type: string): Promise<readonly (readonly [hour: string, row: unknown])[]> => {
      const response = await call(`/rest/1.0/json?path=/events/${type}&recursive=true`)
      if (response.status === 404) return []
      const { entries } = (await response.json()) as {
        readonly entries: readonly { readonly path: string; readonly content: readonly unknown[] }[]
      }
      return entries.flatMap(({ path, content }) =>
        content.map(row => [path.split('/').slice(-5, -1).join('/'), row] as const),
      )
    },
  }
}
