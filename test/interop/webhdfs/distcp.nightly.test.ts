/** `hadoop distcp`, with its local job runner, between HDFS and Sluice. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Door, settingsOf, useSluice } from './doors.ts'
import { contents, digest, digestTree, writeContents } from './files.ts'
import { describeHadoopTools } from './hadoop-tools.ts'

const timeoutMs = 600_000
/** It looks each five seconds otherwise whether it is done. */
const soon = [
  '-D',
  'mapreduce.client.completion.pollinterval=50',
  '-D',
  'mapreduce.client.progressmonitor.pollinterval=50',
]

await describeHadoopTools('distcp', (hdfs, tools) => {
  const doors = [
    { name: 'a name node', door: (): Door => ({ url: hdfs.webhdfsUrl, kind: 'hdfs' }) },
    { name: 'Sluice over HDFS', door: useSluice('hdfs', settingsOf(hdfs)) },
    { name: 'Sluice over its own file system', door: useSluice('embedded') },
  ]
  let files: string

  beforeAll(async () => {
    files = await mkdtemp(join(tmpdir(), 'sluice-distcp-'))
    await writeContents(join(files, 'in'))
  }, 600_000)
  afterAll(async () => {
    await rm(files, { recursive: true, force: true })
  })

  const run = async (tool: 'fs' | 'distcp', ...args: readonly string[]): Promise<string> => {
    const { code, err, out } = await tools().run(tool, args)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return String(out)
  }

  test.for(doors)('there and back: $name', { timeout: timeoutMs }, async ({ door }) => {
    const back = await mkdtemp(join(files, 'back-'))
    const root = `${door().url.replace(/^http/, 'webhdfs')}/distcp`
    const [source, there, again] = [`${hdfs.namenodeUrl}/distcp-in`, `${root}/there`, `${hdfs.namenodeUrl}/distcp-back`]
    for (const directory of [source, root, again]) await run('fs', '-rm', '-r', '-f', '-skipTrash', directory)
    await run('fs', '-D', 'dfs.blocksize=1048576', '-put', join(files, 'in'), source)
    // It compares checksums, which depend on the size of blocks.
    await run('distcp', ...soon, '-pb', source, there)
    // What is there already is not copied again.
    await run('distcp', ...soon, '-pb', '-update', '-delete', source, there)
    await run('distcp', ...soon, '-pb', there, again)
    await run('fs', '-get', again, back)
    const want = Object.entries(contents).map(([path, content]) => [path, digest(content)])
    expect(await digestTree(join(back, 'distcp-back'))).toEqual(Object.fromEntries(want))
  })
})
