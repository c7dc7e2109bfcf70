/** Every page as people see it: on four widths, light, dark and in forced colours, with and without a pointer. */
import { readFileSync } from 'node:fs'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestServer, postJson, type TestServer } from '../suites/admin.ts'
import { findBarriers } from '../suites/axe.ts'
import { describeBrowser } from '../suites/browser.ts'
import { chunksOf } from '../suites/filesystem.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'
import { hourly, sayAll, startSayingPass, tableSettings } from '../suites/saying-pass.ts'
import { isEveryCase, someOf } from '../suites/stride.ts'

/** A page, and what it contains once it is loaded. */
type Look = {
  readonly listener: 'server' | 'admin'
  readonly path: string
  readonly ready: string
  /** A page on which axe takes ten seconds: once is enough, but in a release run. */
  readonly isLong?: true
}

const toPage = (path: string, query = ''): string => `/rest/1.0/hdfs?path=${path}${query}`
const looks: readonly Look[] = [
  { listener: 'server', path: toPage('/'), ready: 'h1' },
  { listener: 'server', path: toPage('/events'), ready: 'h1' },
  { listener: 'server', path: toPage('/data'), ready: 'h1' },
  { listener: 'server', path: toPage('/data', '&recursive=true'), ready: 'h1' },
  { listener: 'server', path: toPage('/data', '&show=delete'), ready: 'form' },
  { listener: 'server', path: toPage('/data', '&show=rename'), ready: 'form' },
  { listener: 'server', path: toPage('/data/empty'), ready: 'h1' },
  { listener: 'server', path: toPage('/data/words.txt'), ready: '.rows table' },
  { listener: 'server', path: toPage('/data/words.txt', `&where=${encodeURIComponent('value ~ "7"')}`), ready: 'h1' },
  { listener: 'server', path: toPage('/data/kinds.parquet'), ready: '.rows table' },
  { listener: 'server', path: toPage('/data/kinds.parquet', '&row=1'), ready: 'h1' },
  { listener: 'server', path: toPage('/data/photo.bin'), ready: 'h1' },
  { listener: 'server', path: toPage('/data/drawing.svg'), ready: '.preview img' },
  { listener: 'server', path: toPage('/data/words.txt', '&show=bytes'), ready: '.preview pre' },
  { listener: 'server', path: toPage('/nope'), ready: 'h1' },
  { listener: 'server', path: toPage('/data/words.txt', '&by=col-1&order=desc'), ready: '.rows table' },
  { listener: 'server', path: '/docs', ready: 'h1', isLong: true },
  { listener: 'admin', path: '/#overview', ready: '.headline' },
  { listener: 'admin', path: '/#beans', ready: '#bean-list a' },
  {
    listener: 'admin',
    path: `/#beans/${encodeURIComponent('sluice.metrics.collector.filters:name=Host')}`,
    ready: '.bean',
  },
  { listener: 'admin', path: '/#live', ready: '#main' },
  { listener: 'admin', path: '/#live?events=rejected', ready: '#main' },
  { listener: 'admin', path: '/#types', ready: '.types tbody tr' },
  { listener: 'admin', path: '/#types/Click', ready: '#chart-hours canvas' },
  { listener: 'admin', path: '/#types/Clock', ready: '.type-page' },
  { listener: 'admin', path: '/#refused', ready: '.refused' },
  { listener: 'admin', path: '/#audit', ready: '.audit' },
]
const toName = ({ listener, path }: Look): string => `${listener} ${decodeURIComponent(path)}`

const widths = [1_440, 768, 390, 320] as const
/** What a page shows differs most between these, and axe takes most of the time. */
const outermost: readonly number[] = [widths[0], widths[3]]

type Mode = {
  readonly media: Parameters<Page['emulateMedia']>[0]
  /** Widths where axe looks. */
  readonly examined: readonly number[]
  /** The rules of axe that are looked at, undefined for all of them; what a page is made of is the same in every mode. */
  readonly rules?: readonly string[]
}
/** A page changes from one to the next while it is open, as it does when the reader's system changes in the evening. */
const modes: Readonly<Record<string, Mode>> = {
  light: { media: { colorScheme: 'light' }, examined: outermost },
  dark: {
    media: { colorScheme: 'dark' },
    examined: isEveryCase ? outermost : [widths[0]],
    rules: ['color-contrast', 'link-in-text-block'],
  },
  // These are the reader's own; axe reads the colours that the page asked for.
  'forced colours': { media: { colorScheme: 'dark', forcedColors: 'active' }, examined: [] },
}

describeBrowser('U6: the pages', browser => {
  let server: TestServer
  beforeAll(async () => {
    const fileSystem = createMemoryFileSystem()
    const words = Array.from({ length: 350 }, (_, index) => `word ${index}\t${index * index}\n`).join('')
    await fileSystem.create('/data/words.txt', chunksOf(words))
    await fileSystem.create(
      '/data/photo.bin',
      new Blob([Uint8Array.from({ length: 5_000 }, (_, i) => (i * 7_919) % 256)]).stream(),
    )
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="90"><circle r="40"/></svg>'
    await fileSystem.create('/data/drawing.svg', chunksOf(drawing))
    const kinds = Uint8Array.from(readFileSync(new URL('../fixtures/rows/kinds.parquet', import.meta.url)))
    await fileSystem.create('/data/kinds.parquet', new Blob([kinds]).stream())
    await fileSystem.mkdirs('/data/empty')
    await fileSystem.mkdirs('/events/Click/2026/11/22/08')
    const startPass = startSayingPass(sayAll)
    server = await createTestServer({ fileSystem, transport: 'node', set: tableSettings, startPass })
    server.reload(hourly)
    await postJson(
      server,
      '[{"eventName":"Click","payload":{"path":"/a","ms":12.5,"tags":["a"]}},{"eventName":"","payload":{}}]',
    )
    await postJson(server, '{"eventName":')
    server.tick()
  })
  afterAll(() => server.close())
  const show = async (look: Look, options: BrowserContextOptions): Promise<Page> => {
    const origin = look.listener === 'server' ? server.serverUrl : server.adminUrl
    const page = await browser.open(origin, options)
    await page.goto(origin + look.path)
    await page.locator(look.ready).first().waitFor()
    return page
  }

  test.each(someOf(looks, 2).map(look => [toName(look), look] as const))('%s', async (_, look) => {
    const page = await show(look, { colorScheme: 'light', viewport: { width: widths[0], height: 900 } })
    const scripts = await scriptBytes(page)
    expect.soft(scripts, 'scripts of 60 KB at most').toBeLessThanOrEqual(60 * 1024)
    // Only the contract's page has no such elements; on all others a sum of 0 would mean a broken measure.
    expect.soft(scripts > 0).toBe(look.path !== '/docs')
    for (const [mode, { media, examined, rules }] of Object.entries(modes)) {
      await page.emulateMedia(media)
      // Colours of buttons change in a tenth of a second.
      await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))')
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        const isOnce = look.isLong && !isEveryCase
        if (isOnce ? mode === 'light' && width === widths[0] : examined.includes(width)) {
          expect.soft(await findBarriers(page, { only: rules }), `${mode}, ${width}`).toEqual([])
        }
        const sizes = await page.evaluate<readonly number[]>('[document.documentElement.scrollWidth, innerWidth]')
        expect.soft(sizes[0], `scrolls sideways at ${width}, ${mode}`).toBeLessThanOrEqual(sizes[1] ?? 0)
      }
    }
  })

  test.each(someOf(looks, 2).map(look => [toName(look), look] as const))('by keyboard alone: %s', async (_, look) => {
    const page = await show(look, { viewport: { width: 1_440, height: 900 } })
    // Visible elements that can be clicked; one of a group of radio buttons represents the group.
    const stops = await page.evaluate<number>(`[...document.querySelectorAll(
      'a[href], button:enabled, input:enabled:not([type=hidden]), select:enabled, textarea:enabled, summary, [tabindex="0"]',
    )].filter(one => one.checkVisibility({ visibilityProperty: true }) && !one.closest('[inert], dialog:not([open])') && one.tabIndex >= 0).length`)
    const reached = new Set<string>()
    const most = Math.min(stops, 60)
    const unseen: string[] = []
    for (let i = 0; i < most; i++) {
      await page.keyboard.press('Tab')
      const at = await page.evaluate<{
        readonly what: string
        readonly place: string
        readonly seen: boolean
      }>(`(() => {
        const one = document.activeElement
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one)
        const { x, y } = one.getBoundingClientRect()
        const place = [...document.querySelectorAll('*')].indexOf(one)
        const seen = one === document.body || (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
        return { what: one.outerHTML.slice(0, 100), place: String(place), seen }
      })()`)
      reached.add(at.place)
      if (!at.seen) unseen.push(at.what)
    }
    expect(unseen).toEqual([])
    expect(reached.size).toBeGreaterThanOrEqual(most - 1)
  })
})

/** Of the files of scripts that a page has loaded, as they were sent. */
const scriptBytes = async (page: Page): Promise<number> => {
  await page.waitForLoadState('networkidle')
  return await page.evaluate<number>(
    `performance.getEntriesByType('resource').filter(({ name }) => new URL(name).pathname.endsWith('.js'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
  )
}
