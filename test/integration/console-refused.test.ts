import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { postJson, type TestServer } from '../suites/admin.ts'
import { findBarriers } from '../suites/axe.ts'
import { describeBrowser } from '../suites/browser.ts'
import { createConsoles } from '../suites/console.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'

/** Where pictures go, for people to look at. @default none are made */
const pictures = process.env['SCREENSHOTS']

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
const writer = 'sluice.metrics.collector:name=HDFSWriter'
const rows = (page: Page): Locator => page.locator('.refused tbody tr')
const focused = (page: Page): Promise<unknown> => page.evaluate('document.activeElement.textContent')
const result = (page: Page): Locator => page.locator('.replay .result')

const schemas = mkdtempSync(join(tmpdir(), 'sluice-console-refused-'))
const schema = join(schemas, 'Order.json')
const contract = '{"properties":{"total":{"type":"number"},"lines":{"items":{"required":["price"]}}}}'
writeFileSync(schema, contract)
afterAll(() => rmSync(schemas, { recursive: true }))

const order = (payload: object) => JSON.stringify({ eventName: 'Order', payload })

describeBrowser('the page Refused of the console', browser => {
  const { start, open } = createConsoles(browser)
  const set = [`registrar.path=${schemas}`, 'collector.validation=set-aside', 'collector.output.format=jsonl']

  const refuse = async (server: TestServer): Promise<void> => {
    await postJson(server, order({ total: 'much', note: 'first' }))
    server.clock.ms += 10_000
    await postJson(server, order({ total: 12, lines: [{ price: 3 }, { name: 'x' }] }))
    server.clock.ms += 10_000
    await postJson(server, '{"eventName": "Order", "payload": {"total": 1}')
    await postJson(server, '[{"eventName":"Page","payload":{"n":1}},{"eventName":"Page","payload":7}]')
  }
  const startRefusing = async (): Promise<TestServer> => {
    const server = await start({ set })
    await refuse(server)
    await server.rpc.exec(writer, 'processLeftBelowFiles', [])
    return server
  }
  const shoot = async (page: Page, name: string): Promise<void> => {
    if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
  }

  test('an empty one says what it would show, and where else to look', async () => {
    const server = await start({ set })
    const page = await open(server, '/')
    await page.getByLabel('Views').getByRole('link', { name: 'Refused' }).click()
    await page.getByText('No refused events are stored: senders got everything in.').waitFor()
    expect(await page.title()).toBe('Refused · Sluice')
    await shoot(page, 'refused-empty')
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('link', { name: 'Live' }).last().click()
    await page.getByLabel('Only refused').waitFor()
  })

  test('why not these: two clicks from the start to the reason, with the place marked', async () => {
    const page = await open(await startRefusing())
    await page.getByLabel('Views').getByRole('link', { name: 'Refused' }).click()
    await rows(page).first().waitFor()
    expect(await rows(page).locator('.type-name').allTextContents()).toEqual(expect.arrayContaining(['Order', 'Page']))
    await page.getByText('4 refused events, the newest first').waitFor()
    await shoot(page, 'refused-list')
    expect(await findBarriers(page)).toEqual([])
    await rows(page).filter({ hasText: '"much"' }).getByRole('link').click()
    await page.getByRole('heading', { name: 'Order: set aside' }).waitFor()
    expect(await page.locator('.sent mark').textContent()).toBe('"much"')
    await page.getByText('Order /total is "much"; expected a number').waitFor()
    await shoot(page, 'refused-one')
    expect(await findBarriers(page)).toEqual([])
  })

  test('those that are not in a file yet are named, with the button that takes them there', async () => {
    const server = await start({ set })
    await refuse(server)
    const page = await open(server, '/#refused')
    await page.getByText('4 newer refused events are not in a file yet.').waitFor()
    await page.locator('.refused').getByRole('button', { name: 'Flush now…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Flush now' }).click()
    await rows(page).nth(3).waitFor()
  })

  test('by type, code and time; the address says it', async () => {
    const server = await startRefusing()
    const page = await open(server, '/#refused?type=Order')
    await rows(page).nth(1).waitFor()
    expect(await rows(page).count()).toBe(2)
    await page.getByLabel('Code').fill('bad-event')
    await page.getByText('No refused event fits.').waitFor()
    expect(page.url()).toContain('#refused?type=Order&code=bad-event')
    await page.getByLabel('Type').fill('_unknown')
    await rows(page).first().waitFor()
    expect(await rows(page).count()).toBe(1)
    await page.getByLabel('Time').selectOption('Last hour')
    await page.getByText('No refused event fits.').waitFor()
    await page.getByRole('link', { name: 'Show all' }).click()
    await rows(page).nth(3).waitFor()
  })

  test('a damaged file is named, and hides no others', async () => {
    const fileSystem = createMemoryFileSystem()
    const server = await start({ set, fileSystem })
    await refuse(server)
    await server.rpc.exec(writer, 'processLeftBelowFiles', [])
    const damaged = '/events/_refused/Order/2026/01/02/03/x.parquet'
    const junk = async function* () {
      yield Buffer.from('junk')
    }
    await fileSystem.publish(damaged, junk())
    const page = await open(server, '/#refused')
    await rows(page).nth(3).waitFor()
    await page.locator('.refused .notices').getByText(`Rows of ${damaged} are missing: `).waitFor()
    await shoot(page, 'refused-damaged')
    expect(await findBarriers(page)).toEqual([])
    await page.getByLabel('Type').fill('Page')
    await page.getByText('1 refused event, the newest first').waitFor()
    expect(await page.locator('.refused .notices').isVisible()).toBe(false)
  })

  test('a search that ended early says how far it got, and continues', async () => {
    const page = await open(await startRefusing(), '/')
    const stopped =
      'The search took too long and stopped after 1 hour with refused events, back to 2026-01-02T03:00:00.000Z'
    let isLate = true
    await page.route('**/rpc', async route => {
      if (!isLate || !route.request().postData()?.includes('"operation":"list"')) return route.fallback()
      isLate = false
      const response = await route.fetch()
      const text = await response.text()
      const next = '0fffffff-ffff-7000-8000-000000000000'
      const body = text.replace('"rows":', `"next":"${next}","stopped":"${stopped}","rows":`)
      return route.fulfill({ response, body })
    })
    await page.getByLabel('Views').getByRole('link', { name: 'Refused' }).click()
    await page.getByText(`${stopped}. Show older ones to look on.`).waitFor()
    await shoot(page, 'refused-stopped')
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Show older ones' }).click()
    await page.locator('.refused .notices').waitFor({ state: 'hidden' })
  })

  test('from Live to the refused events of a type, and to those with a code: one click, two', async () => {
    const server = await startRefusing()
    const page = await open(server, '/#live?type=Order')
    await page.locator('.live-state', { hasText: 'Live' }).waitFor()
    await shoot(page, 'live-of-type')
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('link', { name: 'Refused events of Order' }).click()
    await rows(page).nth(1).waitFor()
    expect(await page.getByLabel('Type').inputValue()).toBe('Order')
    await page.goto(`${server.adminUrl}/#live`)
    await page.getByRole('link', { name: 'All refused events' }).waitFor()
    await page.locator('.live-row summary').filter({ hasText: 'bad-event' }).first().click()
    await shoot(page, 'live-refused-row')
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('link', { name: 'Stored refused events with this code' }).click()
    await rows(page).first().waitFor()
    expect(await page.getByLabel('Code').inputValue()).toBe('bad-event')
    const other = await open(server, '/#live')
    await other.locator('.live-state', { hasText: 'Live' }).waitFor()
    await postJson(server, '{"eventName":"Page","payload":{"n":2}}')
    await other.locator('.live-row summary').filter({ hasText: '"n":2' }).click()
    await shoot(other, 'live-accepted-row')
    await other.getByRole('link', { name: 'Refused events of this type' }).click()
    await other.getByText('1 refused event, the newest first').waitFor()
  })

  test('from the page of a type to its refused events', async () => {
    const page = await open(await startRefusing(), '/#types/Order')
    await page.getByRole('link', { name: 'Refused events of this type' }).click()
    await rows(page).nth(1).waitFor()
    expect(await page.getByLabel('Type').inputValue()).toBe('Order')
  })

  test('choose and replay without a mouse: asked, done, told in words; once', async () => {
    const server = await startRefusing()
    const page = await open(server, '/#refused')
    await rows(page).nth(3).waitFor()
    /** Ids of each call that replays. */
    const asked: (readonly string[])[] = []
    page.on('request', request => {
      const [, ids] = /"operation":"replay","arguments":\[(\[[^\]]*\])/.exec(request.postData() ?? '') ?? []
      if (ids !== undefined) asked.push(JSON.parse(ids) as readonly string[])
    })
    const box = rows(page).filter({ hasText: '"much"' }).getByRole('checkbox')
    await box.focus()
    await page.keyboard.press('Space')
    const replay = page.getByRole('button', { name: 'Replay 1 chosen…' })
    await replay.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: 'Replay 1 refused event?' }).waitFor()
    await shoot(page, 'refused-confirm')
    expect(await focused(page)).toBe('Cancel')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await result(page).getByText('1 replay: 1 refused again.').waitFor()
    await result(page).getByText('Order /total is "much"; expected a number').waitFor()
    writeFileSync(schema, '{}')
    try {
      await expect
        .poll(async () => {
          await page.getByRole('button', { name: 'Replay all that fit…' }).click()
          await dialog.getByRole('button', { name: 'Replay', exact: true }).click()
          await result(page)
            .getByText(/replays: /)
            .waitFor()
          return result(page).textContent()
        })
        .toMatch(/2 accepted/)
      await shoot(page, 'refused-result')
      await page.getByRole('button', { name: 'Replay all that fit…' }).click()
      await dialog.getByRole('button', { name: 'Replay', exact: true }).click()
      await result(page)
        .getByText(/2 in already/)
        .waitFor()
      // The oldest first.
      expect(asked.at(-1)).toHaveLength(4)
      expect(asked.at(-1)).toEqual(asked.at(-1)?.toSorted())
      await rows(page).filter({ hasText: 'sent again' }).nth(1).waitFor()
      await rows(page).filter({ hasText: '"much"' }).getByRole('link').click()
      await page.getByText('It is in by now: it was sent again.').waitFor()
      await page.keyboard.press('Escape')
      await rows(page).nth(3).waitFor()
    } finally {
      writeFileSync(schema, contract)
    }
  })

  test.each(['light', 'dark'] as const)('fits 320 pixels, %s', async colorScheme => {
    const server = await startRefusing()
    const page = await open(server, '/#refused', { viewport: { width: 320, height: 640 }, colorScheme })
    await rows(page).nth(3).waitFor()
    expect(await page.evaluate(overflow)).toBe(0)
    expect(await findBarriers(page)).toEqual([])
    await shoot(page, `refused-320-${colorScheme}`)
    await rows(page).filter({ hasText: '"much"' }).getByRole('link').click()
    await page.locator('.sent mark').waitFor()
    expect(await page.evaluate(overflow)).toBe(0)
    expect(await findBarriers(page)).toEqual([])
    await shoot(page, `refused-one-320-${colorScheme}`)
  })
})
