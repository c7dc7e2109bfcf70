/** The hourly compaction by a real server: its process, priority and end cannot be seen otherwise. */
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { createLocalFileSystem } from '../../src/filesystem/local.ts'
import { differ, readTable } from '../unit/compaction/table-rows.ts'
import { type Child, cleanUp, createDirectory, start } from './process/child.ts'

afterEach(cleanUp)

const settings = `
collector:
  output: { format: parquet, table: iceberg, snapshot-seconds: 1 }
  diskspool.flush-interval-seconds: 1
  compaction: { after-minutes: 0, mode: `

const serve = async (more = '') => {
  const directory = createDirectory()
  const file = join(directory, 'sluice.yaml')
  const write = (mode: string): void => writeFileSync(file, `${more}${settings}${mode} }\n`)
  write('off')
  const env = { SLUICE_DATA_DIR: join(directory, 'data'), SLUICE_SERVER_THREADS: '1' }
  const child = start(process.execPath, [resolve('src/main.ts'), '--config', file], { cwd: directory, env })
  const { server, admin } = await child.logged('sluice is ready')
  const switchTo = (mode: string): void => {
    write(mode)
    child.process.kill('SIGHUP')
  }
  return { child, directory, server: String(server), admin: String(admin), switchTo }
}

const post = async (server: string, id: number): Promise<number> => {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ eventName: 'Order', payload: { id, eventDate: '2026-11-20T10:00:00Z' } })
  return (await fetch(`${server}/rest/1.0/event`, { method: 'POST', headers, body })).status
}

/** Processes with the module of the compaction that a process has started. */
const passesOf = ({ process: { pid = 0 } }: Child): number[] =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(one => statOf(one)[1] === String(pid) && commandOf(one).includes('compaction-process'))

/** State and parent of a process. */
const statOf = (pid: number): readonly string[] => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
  } catch {
    return ['gone']
  }
}

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** How nice each thread of a process is. */
const nicenessOf = (pid: number): Set<number> =>
  new Set(
    readdirSync(`/proc/${pid}/task`).map(thread =>
      Number(
        readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ')[16],
      ),
    ),
  )

test('a closed hour becomes one file with the same rows, beside events that arrive; then the process is gone', async () => {
  const { child, directory, server, admin, switchTo } = await serve()
  const fileSystem = await createLocalFileSystem({ root: join(directory, 'data/fs') })
  const filesOf = async (): Promise<number> =>
    await readTable(fileSystem, '/events/Order').then(
      ({ live }) => live.length,
      () => 0,
    )
  for (const id of [1, 2, 3]) {
    expect(await post(server, id)).toBe(202)
    await expect.poll(filesOf, { timeout: 30_000 }).toBe(id)
  }
  const before = await readTable(fileSystem, '/events/Order')
  switchTo('hourly')
  const done = await child.logged('the files of closed hours of tables are merged')
  expect(done).toMatchObject({ hours: 1, files: 3, newFiles: 1, rows: 3, failures: 0 })
  const after = await readTable(fileSystem, '/events/Order')
  expect([after.live.length, differ(after.rows, before.rows)]).toEqual([1, []])
  await expect.poll(() => passesOf(child)).toEqual([])
  expect(await (await fetch(`${admin}/metrics`)).text()).toContain('\ncollector_compaction_files_total 3\n')
  expect(await post(server, 4)).toBe(202)
  await expect.poll(async () => (await readTable(fileSystem, '/events/Order')).rows.length, { timeout: 30_000 }).toBe(4)
})

test('its process has the lowest priority and no secret in its command, and ends with a server that is killed', async () => {
  const silent = createServer(socket => void socket.on('error', () => {})).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const { child, switchTo } = await serve(`namenode.url: hdfs://127.0.0.1:${port}\n`)
  switchTo('hourly')
  await expect.poll(() => passesOf(child), { timeout: 30_000 }).toHaveLength(1)
  const [pid = 0] = passesOf(child)
  await expect.poll(() => [...nicenessOf(pid)], { timeout: 30_000 }).toEqual([19])
  expect(commandOf(pid)).not.toContain(String(port))
  child.process.kill('SIGKILL')
  await expect.poll(() => ['gone', 'Z'].includes(statOf(pid)[0] ?? ''), { timeout: 30_000 }).toBe(true)
})
