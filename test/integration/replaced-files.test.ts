import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import type { HealthReport } from '../../src/collector/health.ts'
import { nodeOptions } from '../suites/start-command.ts'

const root = join(import.meta.dirname, '../..')
const child = 'test/suites/replaced-files-child.ts'

/** A copy of the server, in which files can be replaced. */
const copyServer = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-replaced-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  mkdirSync(join(directory, 'test/suites'), { recursive: true })
  for (const name of ['src', 'admin', 'clients', 'package.json', child])
    cpSync(join(root, name), join(directory, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  return directory
}

type Line = { readonly msg?: string; readonly server?: string; readonly admin?: string; readonly reason?: string }

const start = async (directory: string, threads: number) => {
  const settings = ['server.port=0', 'admin.port=0', 'collector.scribe.enabled=false', 'log.format=json']
  const own = [
    `data.dir=${join(directory, 'data')}`,
    `server.threads=${threads}`,
    'collector.diskspool.min-free-bytes=0',
  ]
  const server: ChildProcess = fork(
    join(directory, child),
    [...settings, ...own].flatMap(one => ['--set', one]),
    { cwd: directory, stdio: ['ignore', 'pipe', 'inherit', 'ipc'], execArgv: nodeOptions },
  )
  onTestFinished(() => void server.kill('SIGKILL'))
  const lines: Line[] = []
  if (server.stdout) createInterface(server.stdout).on('line', line => void lines.push(JSON.parse(line)))
  await expect.poll(() => lines.find(({ msg }) => msg === 'sluice is ready')).toBeDefined()
  const { server: url = '', admin = '' } = lines.find(({ msg }) => msg === 'sluice is ready') ?? {}
  return { server, lines, url, admin }
}

const send = async (url: string): Promise<number> =>
  (
    await fetch(`${url}/rest/1.0/event`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ eventName: 'Tried', payload: {} }),
    })
  ).status

test('R21: a server whose files were replaced runs one version: threads that end are not replaced, and the last one ends it', async () => {
  const directory = copyServer()
  const { server, lines, url, admin } = await start(directory, 2)
  appendFileSync(join(directory, 'src/collector/counters.ts'), '\nthrow new Error("other code")\n')
  server.send(0)
  const threadsItem = async (): Promise<string | undefined> => {
    const report = (await (await fetch(`${admin}/1.0/healthcheck`)).json()) as HealthReport
    return report.items.find(({ type }) => type === 'EdgeThreadsHealthCheck')?.message
  }
  await expect
    .poll(threadsItem)
    .toMatch(/^the files of the server have changed .*, 1 of 2 threads take connections, ended: 1, /)
  expect((await fetch(`${admin}/readyz`)).status).toBe(200)
  expect(await send(url)).toBe(202)
  const ended = once(server, 'exit')
  server.send(1)
  expect(await ended).toEqual([70, null])
  const ends = lines.filter(({ msg = '' }) => msg.startsWith('an edge thread ended'))
  expect(ends.map(({ msg }) => msg)).toEqual(Array(2).fill(expect.stringMatching(/restart the server$/)))
})
