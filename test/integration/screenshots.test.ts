/**
 * Makes the pictures of `docs/`: the server as people run it, with the events of the demo. `SCREENSHOTS=docs` puts them
 * there; without it they are made all the same, to see that they can be, and thrown away.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeBrowser } from '../suites/browser.ts'
import { createSluice, type Sluice } from '../suites/sluice-process.ts'

const wide = { width: 1_440, height: 900 }
const phone = { width: 390, height: 844 }
const hour = '2026-11-22T08'
/** Its name can be read on the pictures. */
const home = join(tmpdir(), 'sluice-demo')
const events = '/rest/1.0/hdfs?path=/events'
/** Where the pictures are to be kept; empty where they are not. */
const kept = process.env['SCREENSHOTS'] ?? ''

/** What is looked at: on which listener, and when it is ready. */
type Shot = {
  readonly name: string
  readonly listener: 'server' | 'admin'
  readonly path: string
  readonly viewport: { readonly width: number; readonly height: number }
  readonly ready: (page: Page) => Promise<unknown>
  /** Live pages get a number of events while they are open, a number of times, and until they are ready. */
  readonly sent?: { readonly events: string; readonly times: number }
}

const shots: readonly Shot[] = [
  {
    name: 'browse',
    listener: 'server',
    path: events,
    viewport: wide,
    ready: page => page.getByText('PageView').first().waitFor(),
  },
  {
    name: 'rows',
    listener: 'server',
    path: `${events}/Order&recursive=true`,
    viewport: wide,
    ready: page => page.locator('.rows table').first().waitFor(),
  },
  {
    name: 'phone',
    listener: 'server',
    path: `${events}/Order&recursive=true`,
    viewport: phone,
    ready: page => page.locator('.rows table').first().waitFor(),
  },
  {
    name: 'docs-page',
    listener: 'server',
    path: '/docs',
    viewport: wide,
    ready: page => page.getByText('/rest/1.0/event').first().waitFor(),
  },
  {
    name: 'console',
    listener: 'admin',
    path: '/',
    viewport: wide,
    ready: page => page.locator('#chart-acceptance li', { hasText: /^accepted [1-9]/ }).waitFor(),
    sent: { events: '300', times: kept === '' ? 2 : 20 },
  },
  {
    name: 'live',
    listener: 'admin',
    path: '/#live',
    viewport: wide,
    ready: async page => {
      await page.locator('#main details, #main li').first().waitFor()
    },
    sent: { events: '21', times: 1 },
  },
  {
    name: 'types',
    listener: 'admin',
    path: '/#types/Order',
    viewport: wide,
    ready: page => page.locator('#main canvas').first().waitFor(),
    sent: { events: '200', times: 1 },
  },
]

describeBrowser('the pictures of docs', browser => {
  let sluice: Sluice
  let directory = ''
  beforeAll(async () => {
    directory = kept || (await mkdtemp(join(tmpdir(), 'sluice-pictures-')))
    await rm(home, { recursive: true, force: true })
    await mkdir(home)
    const settings = ['collector.output.format=parquet', 'collector.output.layout=hive']
    sluice = await createSluice({ directory: home, settings })
    await sluice.start()
    await demo('2000')
  })
  afterAll(async () => {
    await sluice.close()
    await rm(home, { recursive: true, force: true })
    if (kept === '') await rm(directory, { recursive: true })
  })
  const demo = async (count: string, ...more: readonly string[]): Promise<void> => {
    const { server = '', admin = '' } = sluice.urls() ?? {}
    const words = ['--events', count, '--seed', '1', '--hour', hour, '--url', server, '--admin-url', admin, ...more]
    const child = spawn(process.execPath, ['scripts/demo/demo.ts', ...words], { stdio: 'ignore' })
    expect((await once(child, 'exit'))[0]).toBe(0)
  }

  test.each(shots)('$name', async ({ name, listener, path, viewport, ready, sent }) => {
    const origin = sluice.urls()?.[listener] ?? ''
    const page = await browser.open(origin, { viewport })
    await page.goto(origin + path)
    let isWaiting = true
    const shown = ready(page).finally(() => {
      isWaiting = false
    })
    // A slow browser does not listen yet when the first ones come.
    if (sent) for (let i = 0; i < sent.times || isWaiting; i++) await demo(sent.events, '--no-flush')
    await shown
    const file = join(directory, `${name}.png`)
    await page.screenshot({ path: file, animations: 'disabled' })
    // The pictures in docs/ are of the same page.
    const sizeOf = async (path: string) => (await readFile(path)).readBigUInt64BE(16)
    expect(await sizeOf(`docs/${name}.png`)).toBe(await sizeOf(file))
  })
})
