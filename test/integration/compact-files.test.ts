/** `sluice compact` of files below a directory of a real HDFS, and by processes that are killed. */
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
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
  const open = async (): Promise<FileSystem> => {
    const fileSystem = await createFileSystem({ url: namenodeUrl, webhdfs: [webhdfsUrl], protocol: 'native' })
    onTestFinished(() => fileSystem.close())
    return fileSystem
  }
  const sluice = (...words: readonly string[]) =>
    runCli([...words, '--json', '--set', `namenode.url=${namenodeUrl}`, '--set', 'namenode.protocol=native'])

  test('become one, without those that are open or damaged; the sources are in the trash', {
    timeout: 240_000,
  }, async () => {
    const fileSystem = await open()
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
