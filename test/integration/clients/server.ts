import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../../src/app/app.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { silentLogger } from '../../../src/log/log.ts'

/** The whole server in this process, listening on ports of its own. */
export type TestServer = {
  readonly url: string
  /** The management listener. */
  readonly adminUrl: string
  readonly host: string
  readonly port: number
  readonly scribePort: number
  readonly directory: string
  /** Brings everything that was accepted into the file system. */
  commit(): Promise<void>
  close(): Promise<void>
}

/** Starts one in a directory that `close` removes. Settings as `key=value`. */
export const startServer = async (...settings: string[]): Promise<TestServer> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-clients-'))
  const all = ['server.port=0', 'admin.port=0', 'collector.scribe.port=0', 'collector.output.format=jsonl', ...settings]
  const { settings: loaded } = loadConfig({
    argv: all.flatMap(one => ['--set', one]),
    env: {},
    cwd: directory,
    readFile: () => {
      throw Object.assign(new Error('no settings file'), { code: 'ENOENT' })
    },
  })
  const app = await createApp({ settings: loaded, logger: silentLogger })
  const listeners = new Map((await app.start()).map(listener => [listener.name, listener]))
  const server = listeners.get('server')
  if (server === undefined) throw new Error('The server does not listen')
  const adminUrl = listeners.get('admin')?.url ?? ''
  return {
    url: server.url,
    adminUrl,
    host: server.host,
    port: server.port,
    scribePort: listeners.get('scribe')?.port ?? 0,
    directory,
    commit: () => commitAll(adminUrl),
    close: async () => {
      await app.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Asks a server's management listener to commit everything now. */
export const commitAll = async (adminUrl: string): Promise<void> => {
  const params = {
    mbean: 'sluice.metrics.collector:name=HDFSWriter',
    operation: 'processLeftBelowFiles',
    arguments: [],
  }
  const response = await fetch(`${adminUrl}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'exec', params }),
  })
  const answer = (await response.json()) as { readonly error?: unknown }
  if (answer.error !== undefined) throw new Error(`Cannot commit: ${JSON.stringify(answer.error)}`)
}
