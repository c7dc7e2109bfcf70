import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { createToken } from '../../src/http/auth/auth.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { postJson, type TestServer, type TestServerOptions } from '../suites/admin.ts'
import { describeBrowser } from '../suites/browser.ts'
import { createConsoles } from '../suites/console.ts'

/** Runs a command as if pasted. */
const runShell = (command: string): Promise<{ readonly stdout: string }> =>
  promisify(execFile)('sh', ['-c', command], { timeout: 5_000 })
const send = (server: TestServer, eventName: string, count = 1, payload: object = { n: 1 }): Promise<Response> =>
  postJson(server, JSON.stringify(Array(count).fill({ eventName, payload })))
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
const rows = (page: Page): Locator => page.locator('.types tbody tr')
const names = (page: Page): Promise<readonly string[]> => rows(page).locator('th').allTextContents()
const head = (page: Page, name: string): Locator => page.getByRole('columnheader', { name })
const lines = (page: Page): Locator => page.locator('.live-row:visible > details > summary')
const focused = (page: Page): Promise<unknown> => page.evaluate('document.activeElement.textContent')

describeBrowser('the page Types of the console', browser => {
  const { start, open } = createConsoles(browser)
  /** Some types; the newest is the rarest. */
  const startWithTypes = async (options?: TestServerOptions): Promise<TestServer> => {
    const server = await start(options)
    for (const [name, count] of Object.entries({ Order: 2, Page: 5, Click: 1 })) {
      server.clock.ms += 1_000
      await send(server, name, count)
      server.tick()
    }
    return server
  }

  test('from an empty server to the event just sent with its fields: two clicks', async () => {
    const server = await start()
    const page = await open(server)
    await page.getByLabel('Views').getByRole('link', { name: 'Types' }).click()
    const command = page.getByRole('region', { name: 'Command' })
    await command.filter({ hasText: server.serverUrl }).waitFor()
    await runShell((await command.textContent()) ?? '')
    await page.getByRole('link', { name: 'Hello' }).click()
    await lines(page).filter({ hasText: '{"from":"me","n":1}' }).waitFor()
    expect(await page.title()).toBe('Hello · Types · Sluice')
  })

  test('tells of every type what came, when, and what waits', async () => {
    const page = await open(await startWithTypes(), '/#types')
    await rows(page).first().waitFor()
    expect(await names(page)).toEqual(['Click', 'Order', 'Page'])
    expect(await rows(page).nth(2).locator('td').allTextContents()).toEqual([
      expect.stringMatching(/^[\d.]+$/),
      '5',
      '2026-01-02 03:04:07',
      expect.stringMatching(/^\d+ B$/),
      '5',
      '0',
      '0',
    ])
  })

  test('sorts by each column, and marks which one', async () => {
    const page = await open(await startWithTypes(), '/#types')
    await rows(page).first().waitFor()
    expect(await head(page, 'Type').getAttribute('aria-sort')).toBe('ascending')
    expect(await head(page, 'Type').textContent()).toBe('Type↑')
    await head(page, 'Since the start').getByRole('button').click()
    expect(await names(page)).toEqual(['Page', 'Order', 'Click'])
    expect(await head(page, 'Since the start').getAttribute('aria-sort')).toBe('descending')
    expect(await head(page, 'Type').getAttribute('aria-sort')).toBeNull()
    await head(page, 'Since the start').getByRole('button').click()
    expect(await names(page)).toEqual(['Click', 'Order', 'Page'])
    await head(page, 'Last seen').getByRole('button').click()
    expect(await names(page)).toEqual(['Click', 'Page', 'Order'])
  })

  test('/ goes to the filter; from there to a type and back without a mouse', async () => {
    const page = await open(await startWithTypes(), '/#types')
    await rows(page).first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('R')
    await expect.poll(() => names(page)).toEqual(['Order'])
    await page.getByText('1 type fits').waitFor()
    await page.keyboard.press('Enter')
    expect(await focused(page)).toBe('Order')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Order' }).waitFor()
    expect(await focused(page)).toBe('Order')
    await page.keyboard.press('Escape')
    await rows(page).first().waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.hash')).toBe('#types/Order')
  })

  test('j, k and Enter lead through the lists of Types, Beans and Live; ? shows the keys', async () => {
    const server = await startWithTypes()
    await postJson(server, '{"eventName":')
    const page = await open(server, '/#types')
    await rows(page).first().waitFor()
    for (const [key, want] of [
      ['j', 'Click'],
      ['j', 'Order'],
      ['j', 'Page'],
      ['j', 'Page'],
      ['k', 'Order'],
    ] as const) {
      await page.keyboard.press(key)
      expect(await focused(page)).toBe(want)
    }
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keys' })
    expect(await dialog.locator('kbd').allTextContents()).toEqual(['/', 'j', 'k', 'Enter', 'Esc', '?'])
    await page.keyboard.press('j')
    await page.keyboard.press('Escape')
    expect(await dialog.count()).toBe(0)
    expect(await focused(page)).toBe('Order')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Order' }).waitFor()
    await page.goto(page.url().replace(/#.*/, '#beans'))
    await page.locator('#bean-list a').first().waitFor()
    await page.keyboard.press('j')
    expect(await focused(page)).toBe(await page.locator('#bean-list a').first().textContent())
    await page.goto(page.url().replace(/#.*/, '#live?events=rejected'))
    await lines(page).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'What was sent' }).waitFor()
  })

  test('figures come by themselves, and no row moves while one has the focus', async () => {
    const server = await startWithTypes()
    const page = await open(server, '/#types')
    await rows(page).first().waitFor()
    await head(page, 'Since the start').getByRole('button').click()
    await rows(page).locator('a', { hasText: 'Page' }).focus()
    await page.mouse.move(0, 0)
    await send(server, 'Click', 50)
    await send(server, 'Added', 99)
    await rows(page).filter({ hasText: 'Added' }).waitFor()
    await rows(page).filter({ hasText: 'Click' }).filter({ hasText: '51' }).waitFor()
    expect(await names(page)).toEqual(['Page', 'Order', 'Click', 'Added'])
    await page.evaluate('document.activeElement.blur()')
    await expect.poll(() => names(page)).toEqual(['Added', 'Click', 'Page', 'Order'])
  })

  test('one type: figures, its hours, its newest events as they come, its fields and its files', async () => {
    const server = await startWithTypes()
    const page = await open(server, '/#types/Order')
    await page.locator('.type-page .pairs').filter({ hasText: 'By APIJSON 2' }).waitFor()
    await page.locator('#chart-hours li', { hasText: 'in this hour 2' }).waitFor()
    await page.locator('.live-state', { hasText: 'Live' }).waitFor()
    await send(server, 'Page')
    await send(server, 'Order', 1, { total: 12.5, tags: [], none: null })
    await lines(page).filter({ hasText: 'Order' }).waitFor()
    expect(await lines(page).count()).toBe(1)
    expect(await page.getByRole('region', { name: 'Fields' }).locator('tbody tr').allTextContents()).toEqual([
      'totalnumber–',
      'tagslist–',
      'nonenull–',
    ])
    const files = page.getByRole('link', { name: '/events/Order' })
    expect(await files.getAttribute('href')).toBe(`${server.serverUrl}/rest/1.0/hdfs?path=%2Fevents%2FOrder`)
    const newest = page.getByRole('link', { name: 'Newest rows' })
    expect(await newest.getAttribute('href')).toBe(`${await files.getAttribute('href')}&show=newest`)
    await page.locator('.type-page .pairs').filter({ hasText: 'Since the start3' }).waitFor()
  })

  test('shows the columns of Parquet files', async () => {
    const server = await start({ set: ['collector.output.format=parquet'] })
    await send(server, 'Order', 1, { total: 12.5 })
    await server.rpc.exec('sluice.metrics.collector:name=HDFSWriter', 'processLeftBelowFiles')
    const page = await open(server, '/#types/Order')
    await page.getByRole('row', { name: /^total double 0$/i }).waitFor()
  })

  test('says which role is missing for the events, and shows the rest', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-types-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const token = createToken()
    const tokens = join(directory, 'tokens')
    await writeFile(tokens, `ann view sha256:${hashToken(token)}`)
    const server = await startWithTypes({ set: [`auth.tokens=${tokens}`], token })
    const page = await open(server)
    await page.getByLabel('Token').fill(token)
    await page.keyboard.press('Enter')
    await page.getByLabel('Views').getByRole('link', { name: 'Types' }).click()
    await page.getByRole('link', { name: 'Order' }).click()
    await page.locator('#chart-hours li', { hasText: 'in this hour 2' }).waitFor()
    await page.locator('.live-state', { hasText: /read/ }).waitFor()
  })

  test('an unknown name is reported with the nearest, and the page comes alive when such an event arrives', async () => {
    const server = await startWithTypes()
    const page = await open(server, '/#types/Oder')
    await page.getByText('No event of the type "Oder" came since the start; did you mean "Order"?').waitFor()
    await send(server, 'Oder')
    await page.locator('.type-page .pairs').filter({ hasText: 'Since the start1' }).waitFor()
    await lines(page).filter({ hasText: 'Oder' }).waitFor()
  })

  test('fits a phone, and shows names of clients as text', async () => {
    const server = await start()
    const hostile = '<img src=x onerror=alert(1)>%2F&'
    expect((await send(server, hostile, 1, { [hostile]: hostile })).status).toBe(202)
    const page = await open(server, '/#types', { viewport: { width: 390, height: 844 } })
    await rows(page).first().waitFor()
    expect(await page.evaluate(overflow)).toBe(0)
    await page.getByRole('link', { name: hostile }).click()
    await page.getByRole('heading', { name: hostile }).waitFor()
    await page.locator('.type-page .pairs').filter({ hasText: 'Since the start1' }).waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    expect(await page.evaluate(overflow)).toBe(0)
  })
})
