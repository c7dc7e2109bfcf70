import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeBrowser } from '../suites/browser.ts'
import { createConsoles } from '../suites/console.ts'
import { hourly, sayAll, startSayingPass, tableSettings } from '../suites/saying-pass.ts'

const panel = (page: Page): Locator => page.locator('.compaction')
const factsOf = async (page: Page): Promise<Readonly<Record<string, string>>> => {
  const [names, values] = await Promise.all(['dt', 'dd'].map(tag => panel(page).locator(tag).allTextContents()))
  return Object.fromEntries((names ?? []).map((name, i) => [name, (values?.[i] ?? '').replaceAll('\u00a0', ' ')]))
}

describeBrowser('the console and compaction', browser => {
  const { start, open } = createConsoles(browser)

  test('files per hour, what waits, was saved, dropped and removed, what fails, and the passes', async () => {
    const done = Promise.withResolvers<void>()
    const server = await start({ set: tableSettings, startPass: startSayingPass(sayAll, done.promise) })
    const page = await open(server)
    await page.locator('.headline').filter({ hasText: 'Everything is fine' }).waitFor()
    expect(await panel(page).isVisible()).toBe(false)

    server.reload(hourly)
    await panel(page).getByText('one is under way; 2026-01-02 03:10:00').waitFor()
    expect(await factsOf(page)).toMatchObject({
      'Last pass': 'none since the start',
      'Files per hour': 'no hour was merged since the start',
    })
    expect(await panel(page).getByRole('table').isVisible()).toBe(false)

    done.resolve()
    await panel(page).getByText('2026-01-02 03:04:05, took').waitFor()
    expect(await factsOf(page)).toEqual({
      'Next pass': '2026-01-02 03:10:00, in 5 min 55 s',
      'Last pass': '2026-01-02 03:04:05, took 0 s',
      Waiting: '1 closed hour with files to merge',
      'Files per hour': '90 became 1, over 2 hours',
      Saved: '5 MB',
      'Repeats dropped': '1,250 of 60,000 rows',
      'Beyond retention': '3 hours with 600 rows removed, 70 kB',
    })
    const rows = panel(page).getByRole('row')
    expect(await rows.nth(1).locator('th, td').allTextContents()).toEqual([
      '2026-01-02 01:00',
      '/events/Click',
      '60',
      '1',
      '18,000',
      '0',
      '2.50 MB',
    ])
    expect(await rows.nth(2).textContent()).toContain('/events/Order120142,0001,250')
    expect(await panel(page).getByRole('listitem').textContent()).toBe(
      '/events/Damaged, 2026-01-01 23:00 expected a Parquet file, found 12 bytes',
    )

    // Switched off, what was done stays to be seen.
    server.reload()
    await panel(page).getByText(/^off$/).waitFor()
    expect(await panel(page).getByRole('listitem').count()).toBe(0)
  })
})
