import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { postJson } from '../suites/admin.ts'
import { describeBrowser } from '../suites/browser.ts'
import { createConsoles } from '../suites/console.ts'

/** Runs a command as if pasted. */
const runShell = (command: string): Promise<{ readonly stdout: string }> =>
  promisify(execFile)('sh', ['-c', command], { timeout: 5_000 })
const toEvent = (eventName: string, payload: object): string => JSON.stringify({ eventName, payload })
const lines = (page: Page): Locator => page.locator('.live-row:visible > details > summary')
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
const isLive = (page: Page): Promise<void> => page.locator('.live-state', { hasText: 'Live' }).waitFor()

describeBrowser('the page Live of the console', browser => {
  const { start, open } = createConsoles(browser)
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

  test('U5: a refused event and its reason: one click', async () => {
    const server = await start()
    await postJson(server, toEvent('Order', []).replace('[]', '3'))
    const page = await open(server)
    await page.getByLabel('Views').getByRole('link', { name: 'Live' }).click()
    expect(await lines(page).innerText()).toMatch(/bad-event.*payload/s)
  })

  test('says who is over its quota', async () => {
    const server = await start({ set: ['collector.quota.events-per-second=1'] })
    const page = await open(server, '/#live')
    await isLive(page)
    expect(await page.locator('#live-slowed').isVisible()).toBe(false)
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' }
    const send = (count: number): Promise<Response> =>
      fetch(`${server.serverUrl}/rest/1.0/event`, {
        method: 'POST',
        headers,
        body: `[${Array.from({ length: count }, () => toEvent('Loud', {})).join()}]`,
      })
    expect([(await send(100)).status, (await send(1)).status, (await send(1)).status]).toEqual([202, 429, 429])
    await page.locator('#live-slowed', { hasText: 'Over their quota: 203.0.113.7 (2 requests refused)' }).waitFor()
  })

  test('shows what the fields are asked for, and what is wrong with a question', async () => {
    const server = await start()
    const page = await open(server, '/#live')
    await isLive(page)
    await postJson(server, toEvent('Before', { status: 503 }))
    await lines(page).filter({ hasText: 'Before' }).waitFor()
    const where = page.getByLabel('Where', { exact: true })
    await where.fill('status >=')
    await page.locator('.live-state', { hasText: 'where: ' }).waitFor()
    expect(await where.getAttribute('aria-invalid')).toBe('true')
    expect(await lines(page).count()).toBe(0)
    await where.fill('status >= 500')
    await isLive(page)
    expect(await where.getAttribute('aria-invalid')).toBe('false')
    for (const [name, status] of [
      ['Fine', 200],
      ['Failed', 503],
    ] as const)
      await postJson(server, toEvent(name, { status }))
    await lines(page).filter({ hasText: 'Failed' }).waitFor()
    expect(await lines(page).count()).toBe(1)
    await where.fill('')
    await lines(page).filter({ hasText: 'Before' }).waitFor()
  })

  test('its address says what is looked for, so that it can be kept and sent', async () => {
    const server = await start()
    const page = await open(server, '/#live?type=Order&type=Pay*&text=b%26c&where=n+%3E%3D+2')
    await isLive(page)
    const field = (label: string): Promise<string> => page.getByLabel(label, { exact: true }).inputValue()
    expect([await field('Types'), await field('Text'), await field('Where')]).toEqual(['Order, Pay*', 'b&c', 'n >= 2'])
    for (const [name, n] of [
      ['Order', 1],
      ['Other', 2],
      ['Payment', 2],
    ] as const)
      await postJson(server, toEvent(name, { n, of: 'b&c' }))
    await lines(page).filter({ hasText: 'Payment' }).waitFor()
    expect(await lines(page).count()).toBe(1)
    for (const label of ['Types', 'Text', 'Where']) await page.getByLabel(label, { exact: true }).fill('')
    await page.getByLabel('Only refused').check()
    await expect.poll(() => page.evaluate('location.hash')).toBe('#live?events=rejected')
    await page.reload()
    await isLive(page)
    expect(await page.getByLabel('Only refused').isChecked()).toBe(true)
    await page.getByLabel('Only refused').uncheck()
    await expect.poll(() => page.evaluate('location.hash')).toBe('#live')
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
