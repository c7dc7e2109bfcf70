import { expect, test } from 'vitest'
import { createMountTable } from '../../../../src/filesystem/mounts.ts'
import { parentPath } from '../../../../src/filesystem/path.ts'
import { hideLogs, withLogs } from '../../../../src/spool/replica/log-directory.ts'
import { chunksOf } from '../../../suites/filesystem.ts'
import { listAll } from '../../../suites/list-all.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { createObjects } from '../../../suites/object-filesystem.ts'

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

test.for(['/events', '/', '/_log', '/data/_log/events', '/data/_log/_log'])(
  'in an object store what is in %s stays what it is, and only logs are journals',
  async output => {
    const at = (name: string): string => `${output === '/' ? '' : output}/${name}`
    const store = createMountTable(createObjects('s3://bucket'), [])
    const fs = withLogs(store, () => 0)
    for (const name of ['Order/f', '_log.bak/f', `x_log/${'a'.repeat(32)}/f`]) {
      await fs.publish(at(name), chunksOf('event'))
      expect(await fs.getFileStatus(at(name))).toMatchObject({ path: at(name), length: 5 })
      expect((await listAll(fs, parentPath(at(name)))).map(({ path }) => path)).toEqual([at(name)])
      expect(await fs.delete(at(name))).toBe(true)
    }
    const log = at(`_log/${'a'.repeat(32)}`)
    await fs.directories.mkdirs(log)
    expect((await listAll(fs, at('_log'))).map(({ path }) => path)).toEqual([log])
    await expect(store.getFileStatus(`${log}/999999999998`)).resolves.toMatchObject({ isDirectory: false })
  },
)
