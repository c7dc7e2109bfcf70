/**
 * Files below a directory that `sluice compact` made one, by readers of other make: only they can tell whether schema, levels, values
 * and bounds mean to others what the old ones meant.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { missingForHdfs } from '../../../scripts/hdfs/artifacts.ts'
import { startCluster } from '../../../scripts/hdfs/cluster.ts'
import { createFileSystem } from '../../../src/filesystem/create.ts'
import { hadoopOf } from '../../../src/filesystem/facets.ts'
import { describePart } from '../../suites/describe-part.ts'
import { listAll } from '../../suites/list-all.ts'
import { whole } from '../../suites/memory-hdfs.ts'
import { runCli } from '../../suites/run-cli.ts'
import { missing, runScript } from './run-script.ts'

type Facts = Readonly<Record<'pyarrow' | 'duckdb', Readonly<Record<string, string | readonly string[]>>>> & {
  readonly files: Readonly<Record<string, number>>
}

const names = ['parquet', 'int96', 'json'] as const
const readFacts = async (logs: string): Promise<Facts> =>
  JSON.parse(await runScript('small_files.py', 'rows', logs)) as Facts

const makeFiles = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-small-files-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const logs = join(directory, 'fs/logs')
  await runScript('small_files.py', 'make', logs)
  const before = await readFacts(logs)
  expect(before.files).toEqual({ parquet: 5, int96: 5, json: 5 })
  return { directory, logs, before }
}

const compact = async (...settings: readonly string[]): Promise<void> => {
  const words = settings.flatMap(one => ['--set', one])
  const { code, stdout, stderr } = await runCli(['compact', '/logs', '--yes', '--json', ...words])
  expect(code, stdout + stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ files: 15, becomes: 3, left: [] })
}

const expectSame = (before: Facts, after: Facts): void => {
  expect(after.files).toEqual({ parquet: 1, int96: 1, json: 1 })
  for (const reader of ['pyarrow', 'duckdb'] as const)
    for (const [what, facts] of Object.entries(before[reader]))
      expect(after[reader][what], `${reader} ${what}`).toEqual(facts)
}

const old = (): number => Date.now() - 3 * 3_600_000

describePart('readers', missing, 'compacted files', () => {
  test('have the same rows, types and bounds for pyarrow and DuckDB', { timeout: 600_000 }, async () => {
    const { directory, logs, before } = await makeFiles()
    for (const name of await readdir(logs, { recursive: true }))
      await utimes(join(logs, name), old() / 1_000, old() / 1_000)
    await compact(`data.dir=${directory}`)
    expectSame(before, await readFacts(logs))
  })
})

describePart('readers', missing ?? (await missingForHdfs()), 'compacted files of a real HDFS', () => {
  test('are the same to others', { timeout: 600_000 }, async () => {
    const { directory, logs, before } = await makeFiles()
    const cluster = await startCluster({ dataNodes: 1, maxHeapMb: 160, startTimeoutMs: 180_000 })
    onTestFinished(() => cluster.stop())
    const fileSystem = await createFileSystem({
      url: cluster.namenodeUrl,
      webhdfs: [cluster.webhdfsUrl],
      protocol: 'native',
    })
    onTestFinished(() => fileSystem.close())
    for (const name of names)
      for (const file of await readdir(join(logs, name))) {
        const path = `/logs/${name}/${file}`
        await fileSystem.publish(path, whole(await readFile(join(logs, name, file))))
        await hadoopOf(fileSystem).setTimes(path, { modificationTime: old() })
      }
    await compact(`namenode.url=${cluster.namenodeUrl}`, 'namenode.protocol=native', 'gateway.trash=60')
    const fetched = join(directory, 'fetched')
    for (const name of names)
      for (const { path } of await listAll(fileSystem, `/logs/${name}`)) {
        const target = join(fetched, path.slice('/logs/'.length))
        await mkdir(dirname(target), { recursive: true })
        await writeFile(target, Buffer.concat(await Array.fromAsync(await fileSystem.open(path))))
      }
    expectSame(before, await readFacts(fetched))
  })
})
