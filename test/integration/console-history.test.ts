import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { createTestServer, postJson, type TestServer } from '../suites/admin.ts'
import { describeBrowser } from '../suites/browser.ts'

const events = (count: number): string => JSON.stringify(Array(count).fill({ eventName: 'Click', payload: { x: 1 } }))

/** Ten seconds pass, in which this many events arrive. */
const pass = async (server: TestServer, count: number): Promise<void> => {
  if (count > 0) await postJson(server, events(count))
  for (let tick = 0; tick < 2; tick++) {
    server.clock.ms += 5_000
    server.tick()
    // What figures are read from is made once per turn.
    await Promise.resolve()
  }
}

describeBrowser('the history of the console', browser => {
  const servers: TestServer[] = []
  afterAll(() => Promise.all(servers.map(server => server.close())))
  const start = async (): Promise<TestServer> => {
    const server = await createTestServer({ transport: 'node' })
    servers.push(server)
    return server
  }
  /** The legend under the cursor, at a share of the chart's width. */
  const pointAt = async (page: Page, share: number): Promise<void> => {
    const box = await page.locator('#chart-acceptance .u-over').boundingBox()
    if (!box) throw new Error('The chart is not drawn')
    await page.mouse.move(box.x + 1 + (box.width - 2) * share, box.y + box.height / 2)
  }
  const accepted = (page: Page, rate: string): Promise<void> =>
    page.locator('#chart-acceptance li', { hasText: new RegExp(`^accepted ${rate}$`) }).waitFor()

  test('charts show what was before the page was opened, a day of it at first', async () => {
    const server = await start()
    await pass(server, 70)
    for (let i = 0; i < 90; i++) await pass(server, 0)
    await pass(server, 30)
    const page = await browser.open(server.adminUrl)
    await page.goto(server.adminUrl)
    await page.getByText('Since the server started, 2026-01-02 03:04:05. Times are UTC.').waitFor()
    const choice = page.getByRole('group', { name: 'Time shown' })
    expect(await choice.getByRole('button', { pressed: true }).allTextContents()).toEqual(['24 h'])
    await page.locator('#chart-acceptance canvas').waitFor()
    await pointAt(page, 0)
    await accepted(page, '7')
    await pointAt(page, 0.5)
    await accepted(page, '0')

    await choice.getByRole('button', { name: '10 min' }).click()
    expect(await choice.getByRole('button', { pressed: true }).allTextContents()).toEqual(['10 min'])
    await page.getByText(/^Times are UTC\.$/).waitFor()
    await pointAt(page, 0)
    await accepted(page, '0')
  })

  test('its points are those of the server, and of the polls since', async () => {
    const server = await start()
    const page = await browser.open(server.adminUrl)
    await page.goto(`${server.adminUrl}/console/icon.svg`)
    const minutes = Array.from({ length: 60 }, (_, i) => 60_000 * (i + 1))
    const shown = await page.evaluate(`import('/console/server/history.js').then(({ createSampleHistory }) => {
      const history = createSampleHistory()
      const look = () => [history.times(), history.column('a')]
      const stages = {}
      history.setSpan(3_600_000)
      history.setPast({ stepMs: 60_000, at: ${JSON.stringify(minutes.slice(0, 3))}, columns: { a: [1, 2, 3] } })
      history.add(179_000, { a: 7 })
      history.add(181_000, { a: 8 })
      stages.mixed = look()
      history.setPast({ stepMs: 60_000, at: [60_000, 400_000], columns: { a: [1, 4] } })
      stages.gap = look()
      history.setPast({ stepMs: 10_000, at: [500_000], columns: { a: [5] } })
      history.restart(450_000)
      history.restart(450_000)
      stages.restarted = [look(), history.restarts()]
      history.add(501_000, { a: 9 })
      history.setSpan(600_000)
      stages.short = look()
      history.setPast({ stepMs: 60_000, at: ${JSON.stringify(minutes)}, columns: { a: ${JSON.stringify(minutes)} } })
      history.add(3_600_000, { a: 1 })
      stages.bounded = history.times()[0]
      history.add(5_000, { a: 2 })
      stages.setBack = look()
      stages.last = [history.last('a'), history.last('b')]
      return stages
    })`)
    expect(shown).toEqual({
      mixed: [
        [60, 120, 180, 181],
        [1, 2, 3, 8],
      ],
      gap: [
        [60, 60.001, 400],
        [1, null, 4],
      ],
      restarted: [
        [
          [60, 60.001, 400, 400.001, 450, 500],
          [1, null, 4, null, null, 5],
        ],
        [450_000],
      ],
      short: [
        [60, 60.001, 179, 181, 400, 400.001, 450, 501],
        [1, null, 7, 8, 4, null, null, 9],
      ],
      bounded: 3_000,
      setBack: [[5], [2]],
      last: [2, null],
    })
  })
})
