/** The pages as a site: made, served as any server of files would, and used in a browser. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBrokenLinks } from '../../scripts/docs/check-links.ts'
import { findBarriers } from '../suites/axe.ts'
import { describeBrowser } from '../suites/browser.ts'
import { root } from './root.ts'
import { sought, toAddress } from './sought.ts'

const dist = join(root, 'docs/site/dist')
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}
/**
 * Nothing of other hosts, and no script but files. Colours of code are styles of its words, and icons are in the style
 * sheet.
 */
const policy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; base-uri 'none'; object-src 'none'"

let server: Server
let url: string

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(root, 'scripts/docs/docs.ts')], { cwd: root })
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname
    try {
      const bytes = readFileSync(join(dist, decodeURIComponent(path)))
      const type = types[extname(path)] ?? 'application/octet-stream'
      response.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(bytes)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}, 600_000)
afterAll(() => server?.close())

test('all links of the site lead somewhere', () => {
  expect(findBrokenLinks(dist)).toEqual([])
})

describeBrowser('the site', browser => {
  const pages = [
    '/index.html',
    '/operations.html',
    '/troubleshooting.html',
    '/reference/glossary.html',
    '/reference/settings.html',
    '/security.html',
  ]

  test('leads from page to page, by its sidebar and by links', async () => {
    const page = await browser.open(url)
    await page.goto(url)
    await page.getByRole('navigation', { name: 'Sidebar Navigation' }).getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    expect(page.url()).toBe(`${url}/reference/settings.html`)
    await page.getByRole('navigation', { name: 'Sidebar Navigation' }).getByRole('link', { name: 'Operations' }).click()
    await page.getByRole('main').getByRole('link', { name: 'SECURITY.md' }).click()
    await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
  })

  test('finds a word, by keyboard alone', async () => {
    const page = await browser.open(url)
    await page.goto(url)
    await page.locator('#local-search').waitFor()
    await page.keyboard.press('/')
    await page.getByRole('searchbox').fill('processLeftBelowFiles')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('searchbox').waitFor({ state: 'detached' })
    expect(await page.getByRole('main').innerText()).toContain('processLeftBelowFiles')
  })

  test.each(sought)('finds %s on %s', async (term, found) => {
    const page = await browser.open(url)
    await page.goto(url)
    await page.locator('#local-search').waitFor()
    await page.keyboard.press('/')
    await page.getByRole('searchbox').fill(term)
    await page
      .locator(`#localsearch-list a[href^="${toAddress(found)}"]`)
      .first()
      .waitFor({ timeout: 15_000 })
  })

  test.each(pages)('%s has nothing that keeps people out', async path => {
    const page = await browser.open(url)
    await page.goto(url + path)
    expect(await findBarriers(page)).toEqual([])
  })

  test.each(pages)('%s fits a phone', async path => {
    const page = await browser.open(url, { viewport: { width: 360, height: 740 } })
    await page.goto(url + path)
    const [wide = 0, seen = 0] = await page.evaluate<number[]>(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    )
    expect(wide).toBeLessThanOrEqual(seen)
  })
})
