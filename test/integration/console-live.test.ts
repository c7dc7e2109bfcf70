import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { createTestServer, postJson, type TestServer, type TestServerOptions } from '../suites/admin.ts'
import { describeBrowser } from '../suites/browser.ts'

/** Runs a command as somebody who pasted it. */
const runShell = (command: string): Promise<{ readonly stdout: string }> =>
  promisify(execFile)('sh', ['-c', command], { timeout: 5_000 })
const toEvent = (eventName: string, payload: object): string => JSON.stringify({ eventName, payload })
const lines = (page: Page): Locator => page.locator('.live-row:visible > details > summary')
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
const isLive = (page: Page): Promise<void> => page.locator('.live-state', { hasText: 'Live' }).waitFor()

describeBrowser('the page Live of the console', browser => {
  const servers: TestServer[] = []
  afterAll(() => Promise.all(servers.map(server => server.close())))
  const start = async (options: TestServerOptions = {}): Promise<TestServer> => {
    const server = await createTestServer({ ...options, transport: 'node' })
    servers.push(server)
    return server
  }
  const open = async (server: TestServer, path = '/', options?: BrowserContextOptions): Promise<Page> => {
    const page = await browser.open(server.adminUrl, options)
    await page.goto(`${server.adminUrl}${path}`)
    return page
  }
  test('U5: from an empty server to the event just sent with its fields: two clicks', async () => {
    const server = await start()
    const page = await open(server)
    let clicks = 0
    const click = async (locator: Locator): Promise<void> => {
      clicks++
      await locator.click()
    }
    await click(page.getByLabel('Views').getByRole('link', { name: 'Live' }))
    await isLive(page)
    const command = page.getByRole('region', { name: 'Command' })
    await command.filter({ hasText: server.serverUrl }).waitFor()
    await runShell((await command.textContent()) ?? '')
    await click(lines(page).filter({ hasText: 'Hello' }))
    expect(await page.locator('.live-body .tree > li').allTextContents()).toEqual(['fromme', 'n1'])
    expect(clicks).toBeLessThanOrEqual(2)
  })

  test('fits a phone, and shows names and values of clients as text', async () => {
    const server = await start()
    const hostile = '<img src=x onerror=alert(1)>'
    const page = await open(server, '/#live', { viewport: { width: 390, height: 844 } })
    await isLive(page)
    await postJson(server, toEvent(`A${hostile}`, { [hostile]: [hostile] }))
    await lines(page).click()
    expect(await page.locator('.live-body').textContent()).toContain(hostile)
    expect(await page.locator('main img').count()).toBe(0)
    expect(await page.evaluate(overflow)).toBe(0)
  })
})
