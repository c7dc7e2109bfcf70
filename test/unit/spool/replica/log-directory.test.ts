import { expect, test } from 'vitest'
import { createMountTable } from '../../../../src/filesystem/mounts.ts'
import { hideLogs } from '../../../../src/spool/replica/log-directory.ts'
import { chunksOf } from '../../../suites/filesystem.ts'
import { listAll } from '../../../suites/list-all.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'

/** Clusters at their mount points, each with a log and an event file; those of one letter are one cluster. */
const open = async (urls: Readonly<Record<string, string>>) => {
  const clusters = new Map<string, ReturnType<typeof createMemoryFileSystem>>()
  const at = async (url: string) => {
    const name = url.replace(/^hdfs:\/\/(\w).*/i, '$1').toLowerCase()
    const files = clusters.get(name) ?? createMemoryFileSystem()
    clusters.set(name, files)
    for (const path of ['/events/_log/x', '/events/f', '/m/events/_log/x'])
      await files.create(path, chunksOf('x'), { overwrite: true })
    return { ...files, url }
  }
  const { '/': root = '', ...others } = urls
  const mounts = []
  for (const [path, url] of Object.entries(others)) mounts.push({ path, fileSystem: await at(url) })
  return createMountTable(await at(root), mounts)
}

test.for<[string, Readonly<Record<string, string>>, string, readonly string[], readonly string[]]>([
  ['one mount', { '/': 'hdfs://a:8020', '/b': 'hdfs://b:8020' }, '/events', ['/events'], ['/b/events']],
  [
    'a cluster mounted twice',
    { '/': 'hdfs://a:8020', '/m': 'hdfs://b:1', '/n': 'hdfs://b:1' },
    '/m/events',
    ['/m/events', '/n/events'],
    ['/events'],
  ],
  [
    'the default cluster mounted as well',
    { '/': 'hdfs://a:8020', '/m': 'hdfs://A' },
    '/m/events',
    ['/events', '/m/events'],
    [],
  ],
  [
    'a mount that names one of two name nodes',
    { '/': 'hdfs://a1,a2:8020', '/m': 'hdfs://a2:8020' },
    '/events',
    ['/events', '/m/events'],
    [],
  ],
  ['another port', { '/': 'hdfs://a:8020', '/m': 'hdfs://a:9000' }, '/events', ['/events'], ['/m/events']],
])('logs are hidden by every mount that leads to them: %s', async ([, urls, output, hidden, shown]) => {
  const table = hideLogs(await open(urls), output)
  const names = async (path: string) => (await listAll(table, path)).map(entry => entry.path)
  for (const path of hidden) {
    expect(await names(path), path).not.toContain(`${path}/_log`)
    await expect(table.getFileStatus(`${path}/_log/x`), path).rejects.toMatchObject({ code: 'denied' })
    await expect(table.delete(path, { recursive: true }), path).rejects.toMatchObject({ code: 'denied' })
  }
  for (const path of shown) expect(await names(path), path).toContain(`${path}/_log`)
})
