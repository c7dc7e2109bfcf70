/** What a server shows of itself, asked of one that runs: its beans, and its metrics. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../../src/app/app.ts'
import type { Fetch } from '../../../src/app/app-type.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { silentLogger } from '../../../src/log/log.ts'

/** The answers of a management listener that has everything. */
export type Running = { readonly list: JolokiaList; readonly metrics: string }

/** As Jolokia's `list` has it: by domain, then by the keys of the name. */
export type JolokiaList = Readonly<Record<string, Readonly<Record<string, JolokiaBean>>>>
export type JolokiaBean = {
  readonly desc: string
  readonly attr?: Readonly<Record<string, { readonly type: string; readonly desc: string; readonly rw: boolean }>>
  readonly op?: Readonly<Record<string, JolokiaOperation | readonly JolokiaOperation[]>>
}
export type JolokiaOperation = {
  readonly desc: string
  readonly ret: string
  readonly args: readonly { readonly name: string; readonly type: string }[]
}

let asked: Promise<Running> | undefined

/** Starts a server without listeners in a temporary directory, uses it a little, and asks it, once for all. */
export const askServer = (): Promise<Running> => (asked ??= ask())

const ask = async (): Promise<Running> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-reference-'))
  const { settings } = loadConfig({
    argv: ['--set', 'gateway.readers=0', '--set', 'collector.diskspool.min-free-bytes=0'],
    env: {},
    cwd: directory,
    readFile: () => {
      throw Object.assign(new Error('no settings file'), { code: 'ENOENT' })
    },
  })
  const app = await createApp({ settings, logger: silentLogger })
  try {
    // What has no figures yet shows no labels.
    const body = '{"eventName":"Order","payload":{}}'
    await get(app.fetch, '/rest/1.0/event', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    await get(app.fetch, '/rest/1.0/json?path=/')
    const { value } = JSON.parse(await get(app.adminFetch, '/jolokia/list')) as { readonly value: JolokiaList }
    return { list: value, metrics: await get(app.adminFetch, '/metrics') }
  } finally {
    await app.close()
    await rm(directory, { recursive: true, force: true })
  }
}

const get = async (fetch: Fetch, path: string, init?: RequestInit): Promise<string> => {
  const response = await fetch(new Request(`http://127.0.0.1${path}`, init))
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  return text
}
