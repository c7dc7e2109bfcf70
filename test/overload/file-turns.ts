/**
 * What each file bomb, and each long but honest row, takes of a server with a heap of 512 MB: the longest turn of its
 * event loop, in ms, and by how much its memory grew.
 *
 *     node test/overload/file-turns.ts [PATTERN]
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { cleanUp } from '../integration/process/child.ts'
import { fileBombs } from './file-bombs.ts'
import { longFiles } from './long-files.ts'
import { startTarget } from './target.ts'

const file = join(tmpdir(), `sluice-turns-${process.pid}`)
const target = await startTarget([], {
  nodeArgs: ['--max-old-space-size=512', '--import', new URL('./turn-watch.ts', import.meta.url).href],
  env: { SLUICE_TEST_TURNS: file },
})

/** The longest turn since it was asked last. */
const takeLongest = async (): Promise<number> => {
  rmSync(file, { force: true })
  process.kill(target.pid, 'SIGUSR2')
  while (!existsSync(file) || readFileSync(file, 'latin1') === '') await wait(10)
  return Number(readFileSync(file, 'latin1'))
}

const pattern = new RegExp(process.argv[2] ?? '')
const files = [...fileBombs, ...longFiles].filter(({ name }) => pattern.test(name))
for (const { name, bytes } of files) {
  const path = target.put(name, bytes())
  for (const route of ['json', 'text', 'hdfs']) {
    await takeLongest()
    const { growthMb, done } = await target.growth(async () => {
      const headers = route === 'hdfs' ? { accept: 'text/html' } : {}
      const response = await fetch(`${target.url}/rest/1.0/${route}?path=${encodeURIComponent(path)}`, { headers })
      let size = 0
      try {
        for await (const chunk of response.body ?? []) size += chunk.length
      } catch {
        // Text that was damaged behind its beginning breaks off.
      }
      return { status: response.status, size }
    })
    const longest = await takeLongest()
    const [, next] = await target.honest()
    const row = [name.padEnd(28), route, done.status, `${(done.size / 2 ** 20).toFixed(1)} MB`, `next ${next}`]
    process.stdout.write(`${row.join(' ')} turn ${longest.toFixed(0)} ms, +${growthMb.toFixed(0)} MB\n`)
  }
}
rmSync(file, { force: true })
cleanUp()
