import { Buffer } from 'node:buffer'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../src/app/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import { silentLogger } from '../../src/log/log.ts'

/** "one\n" in a frame with a window of 1 GiB. */
const wide = Buffer.concat([
  Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0, (30 - 10) << 3, (4 << 3) | 1, 0, 0),
  Buffer.from('one\n'),
])

type App = Awaited<ReturnType<typeof createApp>>

/** Two servers of one process, of which one may read large windows: neither setting reaches the other. */
describe.each([0, 1])('a large window where gateway.readers is %d', readers => {
  const apps: App[] = []
  const directory = mkdtempSync(join(tmpdir(), 'sluice-windows-'))

  const open = async (name: string, ...given: readonly string[]): Promise<App> => {
    const data = join(directory, name)
    mkdirSync(join(data, 'fs'), { recursive: true })
    writeFileSync(join(data, 'fs', 'a.txt.zst'), wide)
    const all = ['services=gateway', `data.dir=${data}`, `gateway.readers=${readers}`, ...given]
    const { settings } = loadConfig({
      argv: all.flatMap(one => ['--set', one]),
      env: {},
      cwd: directory,
      readFile: () => '',
    })
    const app = await createApp({ settings, logger: silentLogger })
    apps.push(app)
    return app
  }

  const read = async (app: App): Promise<readonly [number, string]> => {
    const answer = await app.fetch(new Request('http://localhost/rest/1.0/text?path=/a.txt.zst'))
    return [answer.status, await answer.text()]
  }

  let [usual, large]: (App | undefined)[] = []
  beforeAll(async () => {
    usual = await open('usual')
    large = await open('large', 'gateway.max-window-bytes=1GiB', 'gateway.reader-memory-bytes=2GiB')
  })
  afterAll(async () => {
    await Promise.all(apps.map(app => app.close()))
    rmSync(directory, { recursive: true, force: true })
  })

  test('is read where the setting allows it, and elsewhere refused with its size and the setting', async () => {
    if (!usual || !large) throw new Error('not open')
    expect(await read(large)).toEqual([200, 'one\r\n'])
    const [status, text] = await read(usual)
    expect(status).toBe(422)
    expect(text).toContain('is 1024 MiB, and at most 128 MiB are read (gateway.max-window-bytes)')
    expect(await read(large)).toEqual([200, 'one\r\n'])
  })
})
