/** The OpenTelemetry Collector, built from its own modules of the versions in `collector/go.mod`. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import { findFreePorts } from '../../../scripts/free-ports.ts'
import { CannotFetch, fetchBy, missingProgram, start } from '../generators/programs.ts'
import type { Sender } from './sender.ts'

const directory = join(import.meta.dirname, 'collector')
const sources = await Promise.all(['main.go', 'go.sum'].map(name => readFile(join(directory, name))))
const version = createHash('sha256').update(Buffer.concat(sources)).digest('hex').slice(0, 12)
const cache = resolve('node_modules/.cache/sluice-senders')
const program = join(cache, `otelcol-${version}`)

const build = async (): Promise<string | undefined> => {
  if (existsSync(program)) return undefined
  const missing = await missingProgram('go', 'version')
  if (missing !== undefined) return missing
  const at = { cwd: directory, env: { GOTOOLCHAIN: 'local', CGO_ENABLED: '0' } }
  await mkdir(cache, { recursive: true })
  try {
    await fetchBy('go', ['mod', 'download'], at)
  } catch (error) {
    if (error instanceof CannotFetch) return error.message
    throw error
  }
  await start('go', ['build', '-o', program, '.'], at)
  return undefined
}

/** Why it cannot run here, as a sentence; undefined where it can. */
export const missingCollector = await build()

/** Without a queue: who sends to it is answered when Sluice has answered. */
const toConfig = (port: number, url: string): string =>
  JSON.stringify({
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: {
      otlp_http: { endpoint: url, sending_queue: { enabled: false }, retry_on_failure: { initial_interval: '100ms' } },
    },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { logs: { receivers: ['otlp'], exporters: ['otlp_http'] } },
    },
  })

const collector: Sender = {
  hasIds: false,
  async send(url, names) {
    const [port = 0] = await findFreePorts(1)
    const child = spawn(program, [`--config=yaml:${toConfig(port, url)}`], { stdio: 'ignore' })
    const post = async (records: readonly object[]): Promise<number> => {
      const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: records }] }] })
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
      return (await fetch(`http://127.0.0.1:${port}/v1/logs`, init)).status
    }
    try {
      // It listens, without any records yet.
      await expect.poll(() => post([]).catch(() => 0)).toBe(200)
      for (const eventName of names) expect(await post([{ eventName, body: { stringValue: 'x' } }])).toBe(200)
    } finally {
      child.kill()
    }
  },
}

/** By the name of the program. */
export const collectorSenders: Readonly<Record<string, Sender>> = { 'OpenTelemetry Collector': collector }
