import { once } from 'node:events'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { HealthReport } from '../../src/collector/health.ts'
import { forkEdges } from '../suites/fork-edges.ts'

const root = join(import.meta.dirname, '../..')
const child = 'test/suites/edge-child.ts'

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
  const { server, tell, lines, url, admin } = await forkEdges(directory, join(directory, 'data'), 2)
  appendFileSync(join(directory, 'src/collector/counters.ts'), '\nthrow new Error("other code")\n')
  tell({ do: 'end', thread: 0 })
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
  tell({ do: 'end', thread: 1 })
  expect(await ended).toEqual([70, null])
  const ends = lines.filter(({ msg = '' }) => msg.startsWith('an edge thread ended'))
  expect(ends.map(({ msg }) => msg)).toEqual(Array(2).fill(expect.stringMatching(/restart the server$/)))
})
