import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type Child, cleanUp, createDirectory, start } from './process/child.ts'

afterEach(cleanUp)

const heldMessage = 'settings read again: these hold from now on'

const serve = async (directory: string, file: string): Promise<{ readonly child: Child; readonly url: string }> => {
  const env = { SLUICE_COLLECTOR_SCRIBE_PORT: '0', SLUICE_DATA_DIR: join(directory, 'data') }
  const child = start(process.execPath, [resolve('src/main.ts'), '--config', file], { cwd: directory, env })
  const ready = await child.logged('sluice is ready')
  return { child, url: String(ready['server']) }
}

const post = async (url: string): Promise<number> => {
  const headers = { 'content-type': 'application/json' }
  const body = '{"eventName":"Click","payload":{}}'
  return (await fetch(`${url}/rest/1.0/event`, { method: 'POST', headers, body })).status
}

test('SIGHUP: the file is read again; an invalid one changes nothing, and the server continues', async () => {
  const directory = createDirectory()
  const file = join(directory, 'sluice.yaml')
  writeFileSync(file, 'collector.max-body-bytes: 1000\n')
  const { child, url } = await serve(directory, file)
  expect(await post(url)).toBe(202)
  writeFileSync(file, 'collector.max-body-bytes: 10\nadmin.vendor: acme\n')
  child.process.kill('SIGHUP')
  expect(await child.logged(heldMessage)).toMatchObject({ changed: { 'collector.max-body-bytes': '1000 → 10' } })
  expect(await child.logged('these settings need a restart')).toMatchObject({
    pending: { 'admin.vendor': 'sluice → acme' },
  })
  expect(await post(url)).toBe(413)
  writeFileSync(file, 'collector.max-body-bytes: many\n')
  child.process.kill('SIGHUP')
  const refused = await child.logged('settings not reloaded: the previous ones remain in effect')
  expect(String(refused['problems'])).toMatch(
    /^collector\.max-body-bytes \(from .*sluice\.yaml, line \d+\): expected bytes, .*got "many"$/,
  )
  expect(await post(url)).toBe(413)
  child.process.kill('SIGTERM')
  expect(await child.ended()).toBe(0)
})

test('settings that are retired hold, and the log names each at the start and at SIGHUP', async () => {
  const directory = createDirectory()
  const file = join(directory, 'sluice.yaml')
  const toLine = (key: string, place: string, instead: string): string =>
    `${key} (from ${place}) is retired: it still has its effect, and the next version does not know it. ${instead}`
  const inFile = toLine('collector.max-values-per-event', `${file}, line 1`, 'The limit is a constant: 100000.')
  const inVariable = toLine('mounts', 'SLUICE_MOUNTS', 'Its rows belong in clusters.')
  const inWords = toLine('collector.scribe.max-frame-bytes', '--set', 'The limit is a constant: 64 MiB.')
  writeFileSync(file, 'collector.max-values-per-event: 1000\n')
  const child = start(
    process.execPath,
    [resolve('src/main.ts'), '--config', file, '--set', 'collector.scribe.max-frame-bytes=1MiB'],
    {
      cwd: directory,
      env: {
        SLUICE_COLLECTOR_SCRIBE_PORT: '0',
        SLUICE_DATA_DIR: join(directory, 'data'),
        SLUICE_MOUNTS: JSON.stringify([{ path: '/more', url: `file://${directory}` }]),
      },
    },
  )
  const server = String((await child.logged('sluice is ready'))['server'])
  const list = await fetch(`${server}/webhdfs/v1/more?op=LISTSTATUS`)
  expect([list.status, await list.text()]).toEqual([200, expect.stringContaining('"pathSuffix":"sluice.yaml"')])
  const send = async (): Promise<unknown> => {
    const body = '{"eventName":"Click","payload":{"a":[1,2]}}'
    const headers = { 'content-type': 'application/json' }
    return await (await fetch(`${server}/rest/1.0/event`, { method: 'POST', headers, body })).json()
  }
  expect(await send()).toMatchObject({ accepted: 1 })
  writeFileSync(file, 'collector.max-values-per-event: 1\n')
  child.process.kill('SIGHUP')
  expect(await child.logged(heldMessage)).toMatchObject({ changed: { 'collector.max-values-per-event': '1000 → 1' } })
  expect(await send()).toMatchObject({ rejected: 1 })
  const lines = [inVariable, inFile, inWords].map(line => JSON.stringify(line).slice(1, -1))
  await expect.poll(() => lines.map(line => child.output().split(`"${line}"`).length - 1)).toEqual([2, 2, 2])
  writeFileSync(file, `clusters: [{ path: /more, url: hdfs://elsewhere }]\n`)
  child.process.kill('SIGHUP')
  const { problems } = await child.logged('settings not reloaded: the previous ones remain in effect')
  expect(problems).toEqual([
    'mounts (from SLUICE_MOUNTS): expected no /more, which is another cluster in clusters: leave it out here',
  ])
})

test('SIGHUP: the access log is reopened after it was moved away', async () => {
  const directory = createDirectory()
  const file = join(directory, 'sluice.yaml')
  const log = join(directory, 'access.log')
  const linesIn = (path: string): number => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0)
  writeFileSync(file, `log.access: combined\nlog.access-file: ${log}\n`)
  const { child, url } = await serve(directory, file)
  expect(await post(url)).toBe(202)
  await expect.poll(() => linesIn(log)).toBe(1)
  renameSync(log, `${log}.1`)
  child.process.kill('SIGHUP')
  await child.logged('settings read again: all that hold are as before')
  expect(await post(url)).toBe(202)
  await expect.poll(() => linesIn(log)).toBe(1)
  expect(linesIn(`${log}.1`)).toBe(1)
})

test('a ConfigMap that Kubernetes remounts is read without a signal', async () => {
  const directory = createDirectory()
  const mount = (version: string, yaml: string): void => {
    mkdirSync(join(directory, version))
    writeFileSync(join(directory, version, 'sluice.yaml'), yaml)
    symlinkSync(version, join(directory, '..data_tmp'))
    renameSync(join(directory, '..data_tmp'), join(directory, '..data'))
  }
  mount('..2026_1', 'collector.max-body-bytes: 1000\n')
  symlinkSync('..data/sluice.yaml', join(directory, 'sluice.yaml'))
  const { child, url } = await serve(directory, join(directory, 'sluice.yaml'))
  mount('..2026_2', 'collector.max-body-bytes: 10\n')
  expect(await child.logged(heldMessage)).toMatchObject({ changed: { 'collector.max-body-bytes': '1000 → 10' } })
  expect(await post(url)).toBe(413)
})
