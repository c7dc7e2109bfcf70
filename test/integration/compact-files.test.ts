/** `sluice compact` of files below a directory of a real HDFS, and by processes that are killed. */
import { mkdir, mkdtemp, open, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { createFileSystem } from '../../src/filesystem/create.ts'
import { appendsOf, hadoopOf } from '../../src/filesystem/facets.ts'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { describeHdfs } from '../suites/hdfs.ts'
import { listAll } from '../suites/list-all.ts'
import { whole } from '../suites/memory-hdfs.ts'
import { runCli } from '../suites/run-cli.ts'

const anHourAgo = (): number => Date.now() - 3 * 3_600_000

const linesOf = (texts: readonly string[]): string[] => texts.flatMap(text => text.split('\n').filter(Boolean)).sort()

describeHdfs('files of an HDFS', ({ namenodeUrl, webhdfsUrl }) => {
  const connect = async (): Promise<FileSystem> => {
    const fileSystem = await createFileSystem({ url: namenodeUrl, webhdfs: [webhdfsUrl], protocol: 'native' })
    onTestFinished(() => fileSystem.close())
    return fileSystem
  }
  const sluice = (...words: readonly string[]) =>
    runCli([...words, '--json', '--set', `namenode.url=${namenodeUrl}`, '--set', 'namenode.protocol=native'])

  test('become one, without those that are open or damaged; the sources are in the trash', {
    timeout: 240_000,
  }, async () => {
    const fileSystem = await connect()
    const root = `/compact-files-${process.pid}-${Date.now()}`
    const directory = `${root}/Order/2026/11/20/08`
    const write = async (name: string, bytes: Uint8Array): Promise<void> => {
      await fileSystem.publish(`${directory}/${name}`, whole(bytes))
      await hadoopOf(fileSystem).setTimes(`${directory}/${name}`, { modificationTime: anHourAgo() })
    }
    const texts = ['{"id":1}\n{"id":2}\n', '{"id":3}\n', '{"id":4}']
    for (const [i, text] of texts.entries()) await write(`${i}.jsonl.gz`, gzipSync(text))
    await write('damaged.jsonl.gz', gzipSync('{"id":5}\n').subarray(0, 20))
    await write('open.jsonl.gz', gzipSync('{"id":6}\n'))
    const appender = await appendsOf(fileSystem).append(`${directory}/open.jsonl.gz`)
    await appender.write(gzipSync('{"id":7}\n'))
    await appender.hflush()
    await hadoopOf(fileSystem).setTimes(`${directory}/open.jsonl.gz`, { modificationTime: anHourAgo() })

    const refused = await sluice('compact', root, '--yes')
    expect(refused.code, refused.stdout).toBe(2)
    expect(refused.stdout + refused.stderr).toContain('--skip-trash')
    const { code, stdout, stderr } = await sluice('compact', root, '--yes', '--set', 'gateway.trash=60')
    expect(code, stdout + stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      files: 3,
      becomes: 1,
      rows: 4,
      left: [expect.stringContaining('damaged'), expect.stringContaining('open for writing')],
    })
    await appender.close()
    const left = (await listAll(fileSystem, directory)).map(({ path }) => path.slice(directory.length + 1))
    expect(left).toEqual([expect.stringMatching(/^compacted-.*\.jsonl\.gz$/), 'damaged.jsonl.gz', 'open.jsonl.gz'])
    const bytes = Buffer.concat(await Array.fromAsync(await fileSystem.open(`${directory}/${left[0]}`)))
    expect(gunzipSync(bytes).toString()).toBe(
      texts
        .map(text => text.trimEnd())
        .join('\n')
        .concat('\n'),
    )
  })
})

test('a process that is killed at any time leaves each row once, after the next run', {
  timeout: 600_000,
}, async () => {
  const root = await mkdtemp(join(tmpdir(), 'sluice-compact-files-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const directory = join(root, 'fs/logs/web')
  await mkdir(directory, { recursive: true })
  const names = Array.from({ length: 40 }, (_, i) => `${i}.jsonl`)
  for (const name of names) {
    await writeFile(join(directory, name), `{"name":"${name}"}\n`.repeat(2_000))
    await utimes(join(directory, name), anHourAgo() / 1_000, anHourAgo() / 1_000)
  }
  const read = async (): Promise<string[]> => {
    const found = (await readdir(directory, { withFileTypes: true })).filter(entry => entry.isFile())
    return linesOf(await Promise.all(found.map(({ name }) => readFile(join(directory, name), 'utf8'))))
  }
  const before = await read()
  const words = ['compact', '/logs', '--yes', '--json', '--set', `data.dir=${root}`, '--target-mib', '1']
  let killed = 0
  for (let ms = 300; ; ms += 60) {
    const result = await runCli(words, { signal: AbortSignal.timeout(ms) })
    if (result.code === 0 && result.signal === null) break
    killed++
  }
  expect(killed).toBeGreaterThan(2)
  expect(await read()).toEqual(before)
  expect((await readdir(directory)).filter(name => name.startsWith('_'))).toEqual([])
  expect((await readdir(directory)).length).toBeLessThan(10)
})

/** A local disk with a directory of two small files, hours old. */
const makeDisk = async (path: string, names: readonly string[] = ['a', 'b']) => {
  const root = await mkdtemp(join(tmpdir(), 'sluice-compact-files-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const directory = join(root, 'fs', path)
  await mkdir(directory, { recursive: true })
  for (const name of names) {
    await writeFile(join(directory, `${name}.jsonl`), `{"name":"${name}"}\n`)
    await utimes(join(directory, `${name}.jsonl`), anHourAgo() / 1_000, anHourAgo() / 1_000)
  }
  const compact = (...words: readonly string[]) =>
    runCli(['compact', ...words, '--json', '--skip-trash', '--set', `data.dir=${root}`])
  return { directory, compact }
}

test.runIf(process.platform === 'linux')(
  'a file of a local disk that a writer has open stays',
  { timeout: 60_000 },
  async () => {
    const { directory, compact } = await makeDisk('logs/web', ['a', 'b', 'open'])
    const file = await open(join(directory, 'open.jsonl'), 'a')
    const { code, stdout, stderr } = await compact('/logs', '--yes')
    await file.write('{"name":"later"}\n')
    await file.close()
    expect(code, stdout + stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ files: 2, left: ['/logs/web/open.jsonl: it is open for writing'] })
    expect(await readFile(join(directory, 'open.jsonl'), 'utf8')).toBe('{"name":"open"}\n{"name":"later"}\n')
  },
)

test('where the collector writes tables, no files below its directory are merged', { timeout: 120_000 }, async () => {
  const { directory, compact } = await makeDisk('events/Order/dt=2026-11-20')
  const tables = ['--set', 'collector.output.table=iceberg', '--set', 'collector.output.format=parquet']
  const events = ['--set', 'collector.event-output-directory=/events']
  for (const path of ['/events/Order', '/events', '/']) {
    const { code, stdout, stderr } = await compact(path, '--yes', ...events, ...tables)
    expect(code, stdout + stderr).not.toBe(0)
    expect(stdout + stderr).toContain('tables below /events, and their metadata may be elsewhere')
  }
  expect((await readdir(directory)).sort()).toEqual(['a.jsonl', 'b.jsonl'])
  const others = ['--set', 'collector.event-output-directory=/others']
  const { code, stdout, stderr } = await compact('/events', '--yes', ...others, ...tables)
  expect(code, stdout + stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ files: 2, becomes: 1 })
})

test('the question says that writers of a local disk have to be stopped', { timeout: 60_000 }, async () => {
  const { compact } = await makeDisk('logs/web')
  const { code, stdout, stderr } = await compact('/logs')
  expect(code).not.toBe(0)
  expect(stdout + stderr).toContain('So must writers of other users')
})
