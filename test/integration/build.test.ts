import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { cleanUp, createDirectory, start } from './process/child.ts'

afterAll(() => {
  cleanUp()
  rmSync('dist', { recursive: true, force: true })
})

test('npm run build makes a server and a command line that need no sources', async () => {
  const built = spawnSync('npm', ['run', '--silent', 'build'], { encoding: 'utf8' })
  expect([built.status, built.stdout, built.stderr]).toEqual([0, '', ''])
  const dataDir = createDirectory()
  const server = start(process.execPath, [resolve('dist/src/main.js')], {
    env: { SLUICE_DATA_DIR: dataDir, SLUICE_COLLECTOR_SCRIBE_PORT: '0' },
  })
  const { server: url, admin } = await server.logged('sluice is ready')
  expect((await fetch(`${String(url)}/1?v=Built,sfine`)).status).toBe(202)
  const command = [join('dist', 'admin', 'cli', 'main.js'), 'flush', 'now', '--json', '--url', String(admin)]
  const flushed = spawnSync(process.execPath, command, { encoding: 'utf8' })
  expect(JSON.parse(flushed.stdout)).toMatchObject({ files: 1, failures: 0 })
  for (const page of [`${String(url)}/docs`, `${String(url)}/rest/1.0/hdfs?path=/events/Built`, `${String(admin)}/`]) {
    expect([page, (await fetch(page)).status]).toEqual([page, 200])
  }
  server.process.kill('SIGTERM')
  expect(await server.ended()).toBe(0)
})
