import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { hadoopOf } from '../../src/filesystem/facets.ts'
import { createLocalFileSystem } from '../../src/filesystem/local.ts'
import { createToken } from '../../src/http/auth/auth.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { postJson, type TestServer } from '../suites/admin.ts'
import { describeBrowser } from '../suites/browser.ts'
import { createConsoles } from '../suites/console.ts'
import { startConflict, startQuarantine } from '../suites/quarantine.ts'

const writer = 'sluice.metrics.collector:name=HDFSWriter'
const hostFilter = 'sluice.metrics.collector.filters:name=Host'
const toLink = (mbean: string): string => `/#beans/${encodeURIComponent(mbean)}`
const toEvents = (count: number): string => JSON.stringify(Array(count).fill({ eventName: 'Click', payload: { x: 1 } }))

const tile = (page: Page, item: string): Locator => page.locator(`[data-item=${item}]`)
const attribute = (page: Page, name: string): Locator => page.locator(`[data-attribute=${name}] .value`)
const operation = (page: Page, name: string): Locator => page.getByRole('form', { name: `Run ${name}` })
const focused = (page: Page): Promise<unknown> => page.evaluate('document.activeElement.firstChild?.textContent')
const focusedId = (page: Page): Promise<unknown> => page.evaluate('document.activeElement.id')

// What runs in the page is text: the types of browsers are not those of this project.
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
const toHide = (isHidden: boolean): string => `
  Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))`
const toFetch = (call: unknown): string => `fetch('/rpc', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: ${JSON.stringify(JSON.stringify(call))},
}).then(response => response.json())`
const headline = (page: Page): Locator => page.locator('.headline')

describeBrowser('U4: the console', browser => {
  const directories: string[] = []
  afterAll(() => Promise.all(directories.map(path => rm(path, { recursive: true, force: true }))))
  const { start, open } = createConsoles(browser)

  /** A page whose timers run only on request. */
  const openPaused = async (server: TestServer): Promise<Page> => {
    const page = await browser.open(server.adminUrl)
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.goto(server.adminUrl)
    await headline(page).filter({ hasText: 'Everything is fine' }).waitFor()
    await page.waitForLoadState('networkidle')
    return page
  }

  test('says in words that everything is fine, and charts move when events arrive', async () => {
    const server = await start()
    const page = await open(server)
    await headline(page).filter({ hasText: 'Everything is fine' }).waitFor()
    for (const [item, word] of Object.entries({ intake: 'Accepting', spool: 'Fine', flush: 'On', filesystem: 'Fine' }))
      expect(await tile(page, item).locator('.word').textContent()).toBe(word)
    const canvas = page.locator('#chart-events canvas')
    const paint = (): Promise<unknown> => page.evaluate("document.querySelector('#chart-events canvas').toDataURL()")
    await canvas.waitFor()
    const before = await paint()

    server.clock.ms += 2_000
    expect((await postJson(server, toEvents(50))).status).toBe(202)

    await page.locator('#chart-events li', { hasText: 'JSON 25' }).waitFor()
    await page.locator('#chart-acceptance li', { hasText: 'accepted 25' }).waitFor()
    await page.locator('#chart-waiting li', { hasText: 'open 50' }).waitFor()
    await tile(page, 'intake').filter({ hasText: '25 events/s' }).waitFor()
    await page.getByRole('row', { name: /^JSON 25 / }).waitFor()
    expect(await paint()).not.toBe(before)
  })

  test('leads to the files and to both contracts', async () => {
    const server = await start()
    const page = await open(server)
    const hrefOf = (name: string) => page.getByRole('link', { name, exact: true }).getAttribute('href')
    await page.getByRole('link', { name: 'Files' }).waitFor()
    expect(await hrefOf('Files')).toBe(`${server.serverUrl}/`)
    expect(await hrefOf('API')).toBe(`${server.serverUrl}/docs`)
    expect(await hrefOf('Management API')).toBe('/docs')
    const alone = await open(await start({ set: ['services=collector'] }))
    await alone.getByRole('link', { name: 'API', exact: true }).waitFor()
    expect(await alone.getByRole('link', { name: 'Files' }).isVisible()).toBe(false)
  })

  test('a disabled flush shows on the strip and in the headline', async () => {
    const server = await start()
    const page = await open(server)
    await tile(page, 'flush').filter({ hasText: 'On' }).waitFor()
    await server.rpc.exec(writer, 'disableFlush')
    await tile(page, 'flush').filter({ hasText: 'Held' }).waitFor()
    expect(await headline(page).textContent()).toBe('Flush: held')
    expect(await headline(page).getAttribute('aria-live')).toBe('polite')
    await server.rpc.exec(writer, 'enableFlush')
    await headline(page).filter({ hasText: 'Everything is fine' }).waitFor()
  })

  test('holds, resumes and flushes from the strip, each asked for, told in place and kept by the audit', async () => {
    const server = await start()
    await postJson(server, toEvents(5))
    const page = await open(server)
    const flush = tile(page, 'flush')
    const press = async (label: string): Promise<void> => {
      await flush.getByRole('button', { name: `${label}…` }).click()
      await page.getByRole('dialog').getByRole('button', { name: label }).click()
    }
    await flush.getByRole('button', { name: 'Hold…' }).click()
    await page.getByRole('dialog', { name: 'Hold commits?' }).getByRole('button', { name: 'Cancel' }).click()
    expect((await server.rpc.read(writer, 'FlushEnabled')).value).toBe(true)

    await press('Hold')
    await flush.getByRole('status').filter({ hasText: 'Commits are held' }).waitFor()
    await headline(page).filter({ hasText: 'Flush: held' }).waitFor()
    expect((await server.rpc.read(writer, 'FlushEnabled')).value).toBe(false)
    await expect.poll(() => focused(page)).toBe('Resume…')

    await press('Flush now')
    await flush.getByRole('status').filter({ hasText: 'Flushed 1 file, ' }).waitFor()
    await press('Resume')
    await flush.getByRole('status').filter({ hasText: 'Commits go on' }).waitFor()
    await headline(page).filter({ hasText: 'Everything is fine' }).waitFor()
    await flush.getByRole('button', { name: 'Close' }).click()
    expect(await flush.getByRole('status').textContent()).toBe('')

    await page.route('**/rpc', route =>
      route.request().postData()?.includes('processLeftBelowFiles')
        ? route.fulfill({ json: [{ jsonrpc: '2.0', id: 0, error: { code: -32603, message: 'The disk is gone' } }] })
        : route.fallback(),
    )
    await press('Flush now')
    await flush.locator('.problem', { hasText: 'The disk is gone' }).waitFor()

    await page.getByLabel('Views').getByRole('link', { name: 'Audit' }).click()
    for (const name of ['disableFlush', 'processLeftBelowFiles', 'enableFlush'])
      await page.getByRole('row', { name: new RegExp(`anonymous.*HDFSWriter ${name}.*ok`) }).waitFor()
  })

  test('turns realtime forwarding off and on from the strip', async () => {
    // Nothing listens there: what is off and on is the forwarding, not the broker.
    const server = await start({ set: ['realtime.broker=kafka://127.0.0.1:1', 'realtime.events=Click'] })
    const page = await open(server)
    const realtime = tile(page, 'realtime')
    for (const [label, word, enabled] of [
      ['Turn off', 'Off', false] as const,
      ['Turn on', 'Unavailable', true] as const,
    ]) {
      await realtime.getByRole('button', { name: `${label}…` }).click()
      await page.getByRole('dialog').getByRole('button', { name: label }).click()
      await realtime.locator('.word', { hasText: word }).waitFor()
      const bean = 'sluice.metrics.collector:name=RTSubsystem'
      expect((await server.rpc.read(bean, 'Enabled')).value).toBe(enabled)
    }
  })

  test('shows what is set aside and why, downloads it, puts it back and removes it', async () => {
    const { server, faults } = await startQuarantine({ transport: 'node' })
    onTestFinished(() => server.close())
    const page = await open(server)
    const panel = page.locator('#quarantine')
    const refused = panel.locator('[data-piece=file]')
    const taken = panel.locator('[data-piece=taken]')
    await refused.filter({ hasText: 'no room for you' }).waitFor()
    await tile(page, 'spool').filter({ hasText: 'Quarantine' }).waitFor()
    const download = page.waitForEvent('download')
    await refused.getByRole('link', { name: /^Download/ }).click()
    expect(readFileSync(await (await download).path(), 'utf8')).toContain('"n":3')

    faults.fail = () => undefined
    await refused.getByRole('button', { name: 'Put back' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Put back' }).click()
    await panel.getByRole('status').filter({ hasText: 'the next commit takes it' }).waitFor()
    await refused.waitFor({ state: 'detached' })

    await taken.getByRole('button', { name: 'Put back' }).click()
    await page.getByRole('dialog').filter({ hasText: 'there twice' }).getByRole('button', { name: 'Cancel' }).click()
    await taken.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await taken.waitFor({ state: 'detached' })
    expect((await server.rpc.read('sluice.metrics.collector:name=Spool')).value).toMatchObject({
      QuarantinedFiles: 0,
      TakenFiles: 0,
      PendingFiles: 1,
    })
    await page.getByLabel('Views').getByRole('link', { name: 'Audit' }).click()
    for (const name of ['download', 'release', 'remove'])
      await page.getByRole('row', { name: new RegExp(`anonymous.*Quarantine ${name}.*ok`) }).waitFor()
  })

  test('sends a file whose name another one has under a new name, and no other kind', async () => {
    const { server, fileSystem } = await startConflict({ transport: 'node' })
    onTestFinished(() => server.close())
    const page = await open(server)
    const panel = page.locator('#quarantine')
    const conflict = panel.locator('[data-piece=conflict]')
    await tile(page, 'spool').filter({ hasText: 'they are not retried' }).waitFor()
    await conflict.getByRole('button', { name: 'Send under a new name' }).click()
    const question = page.getByRole('dialog').filter({ hasText: 'under a new name' })
    await question.getByRole('button', { name: 'Send under a new name' }).click()
    await panel.getByRole('status').filter({ hasText: 'under a new name' }).waitFor()
    await conflict.waitFor({ state: 'detached' })
    server.clock.ms += 30_000
    await server.beat()
    expect(await hadoopOf(fileSystem).getContentSummary('/events/Twice')).toMatchObject({ fileCount: 2 })

    const refused = await startQuarantine({ transport: 'node' })
    onTestFinished(() => refused.server.close())
    const other = await open(refused.server)
    await other.locator('#quarantine [data-piece=file]').getByRole('button', { name: 'Put back' }).waitFor()
    expect(await other.getByRole('button', { name: 'Send under a new name' }).count()).toBe(0)
  })

  test('the tile of the file system has its name and address, also where it is a directory of this machine', async () => {
    const root = await mkdtemp(join(tmpdir(), 'sluice-tile-'))
    directories.push(root)
    const server = await start({ fileSystem: await createLocalFileSystem({ root }) })
    const page = await open(server)
    await tile(page, 'filesystem')
      .filter({ hasText: `file://${root}` })
      .waitFor()
    expect(await tile(page, 'filesystem').textContent()).toMatch(/^File system ?Fine/)
    const item = page.locator('.health-item h3').filter({ hasText: 'File system' })
    await item.waitFor()
    expect(await item.textContent()).toBe('File system Fine')
  })

  test('searches beans by name, attribute and operation, and refreshes attributes', async () => {
    const server = await start()
    const page = await open(server, '/#beans')
    const search = page.getByLabel('Search beans')
    await page.getByText(/^\d+ of \d+ beans$/).waitFor()
    await search.fill('cutofftime writer')
    expect(await page.locator('#bean-list a').allTextContents()).toEqual(['HDFSWriter'])
    await search.fill('addpattern agent')
    expect(await page.locator('#bean-list a').allTextContents()).toEqual(['UserAgent'])
    // The old server's misspelled names are folded; their links still work.
    await search.fill('JSON_SUCCES')
    expect(await page.locator('#bean-list a').allTextContents()).toEqual([expect.stringMatching(/^JSON_SUCCESS/)])
    await search.fill('no such bean')
    await page.getByText(/^0 of \d+ beans$/).waitFor()
    await search.fill('HDFSWriter')
    await page.locator('#bean-list a').click()
    await attribute(page, 'CutoffTime').filter({ hasText: '0' }).waitFor()
    await server.rpc.write(writer, 'CutoffTime', 1_234)
    await attribute(page, 'CutoffTime').filter({ hasText: '1234' }).waitFor()
  })

  test('draws a chart of an attribute that somebody chose, until it is chosen away', async () => {
    const server = await start()
    const page = await open(server, toLink('sluice.metrics.collector:name=Spool'))
    const button = page.getByRole('button', { name: 'Chart of WrittenEvents' })
    const chart = page.locator('#chart-attribute-WrittenEvents')
    await button.click()
    await chart.locator('li', { hasText: 'now 0' }).waitFor()
    await chart.locator('canvas').waitFor()
    await postJson(server, toEvents(7))
    server.clock.ms += 2_000
    await chart.locator('li', { hasText: 'now 7' }).waitFor()
    expect(await page.getByRole('button', { name: 'Chart of Refusal' }).count()).toBe(0)

    await page.reload()
    await chart.locator('li', { hasText: 'now 7' }).waitFor()
    expect(await button.getAttribute('aria-pressed')).toBe('true')
    await button.click()
    await chart.waitFor({ state: 'detached' })
    await page.reload()
    await button.waitFor()
    expect(await chart.count()).toBe(0)
  })

  test('a chart of an attribute that the server remembers begins with it', async () => {
    const server = await start()
    await postJson(server, toEvents(7))
    const passMinutes = (minutes: number): void => {
      for (let i = 0; i < 12 * minutes; i++) {
        server.clock.ms += 5_000
        server.tick()
      }
    }
    passMinutes(15)
    await server.rpc.exec(writer, 'processLeftBelowFiles')
    // Longer than a page remembers by itself.
    passMinutes(15)
    server.clock.ms += 2_000
    const page = await open(server, toLink('sluice.metrics.collector:name=Spool'))
    await page.getByRole('button', { name: 'Chart of OpenEvents' }).click()
    const chart = page.locator('#chart-attribute-OpenEvents')
    expect(await chart.locator('.unit').textContent()).toBe('the last 24 hours, UTC')
    await chart.locator('canvas').waitFor()
    // Where the first of the server's samples is.
    const atStart = async (): Promise<string | null> => {
      await chart.locator('.u-over').hover({ position: { x: 20, y: 50 } })
      return chart.locator('li').textContent()
    }
    await expect.poll(atStart).toBe('now 7')
    await page.mouse.move(0, 0)
    await chart.locator('li', { hasText: 'now 0' }).waitFor()
    await page.getByRole('button', { name: 'Chart of WrittenBytes' }).click()
    const other = page.locator('#chart-attribute-WrittenBytes .unit')
    expect(await other.textContent()).toBe('bytes, since it was opened, UTC')
  })

  test('runs an operation with an argument behind a confirmation, and the audit trail tells', async () => {
    const server = await start()
    const page = await open(server, toLink(hostFilter))
    const form = operation(page, 'addPattern')
    await form.getByRole('textbox').fill('^crawler\\.')
    await form.getByRole('button').click()
    const dialog = page.getByRole('dialog', { name: 'Run addPattern on Host?' })
    expect(await dialog.textContent()).toContain('"^crawler\\\\."')
    await expect.poll(() => focused(page)).toBe('Cancel')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect((await server.rpc.read(hostFilter, 'PatternSet')).value).toEqual([])

    await form.getByRole('button').click()
    await dialog.getByRole('button', { name: 'Run addPattern' }).click()
    await form.getByRole('status').filter({ hasText: 'lasts' }).waitFor()
    expect((await server.rpc.read(hostFilter, 'PatternSet')).value).toEqual(['^crawler\\.'])
    await attribute(page, 'PatternSet').filter({ hasText: '^crawler\\.' }).waitFor()

    await form.getByRole('textbox').fill('(')
    await form.getByRole('button').click()
    await dialog.getByRole('button', { name: 'Run addPattern' }).click()
    await form.locator('.problem').waitFor()

    await page.getByLabel('Views').getByRole('link', { name: 'Audit' }).click()
    await page.getByRole('row', { name: /anonymous.*Host addPattern.*crawler.*ok/ }).waitFor()
    await page.getByRole('row', { name: /anonymous.*Host addPattern.*failed/ }).waitFor()
  })

  test('writes an attribute of its declared type only', async () => {
    const server = await start()
    const page = await open(server, toLink(writer))
    await page.getByRole('button', { name: 'Change CutoffTime' }).click()
    const form = page.getByRole('form', { name: 'Set CutoffTime' })
    await form.getByRole('textbox').fill('soon')
    await page.keyboard.press('Enter')
    await form.locator('.problem', { hasText: 'expected a whole number' }).waitFor()
    await form.getByRole('textbox').fill('60000')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Set CutoffTime' }).click()
    await form.getByRole('status').filter({ hasText: 'Set; it was 0' }).waitFor()
    await attribute(page, 'CutoffTime').filter({ hasText: '60000' }).waitFor()
  })

  test('asks for a token; the role view looks, and cannot operate', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-console-'))
    directories.push(directory)
    const [viewer, operator, sender] = [createToken(), createToken(), createToken()]
    const lines = [
      `ann view sha256:${hashToken(viewer)}`,
      `bob view,operate sha256:${hashToken(operator)}`,
      `carl send sha256:${hashToken(sender)}`,
    ]
    writeFileSync(join(directory, 'tokens'), lines.join('\n'))
    const server = await start({ set: [`auth.tokens=${join(directory, 'tokens')}`], token: operator })
    const page = await open(server, toLink(writer))
    const token = page.getByLabel('Token')
    const logIn = async (text: string): Promise<void> => {
      await token.fill(text)
      await page.keyboard.press('Enter')
    }
    await token.waitFor()
    await expect.poll(() => focusedId(page)).toBe('token')
    expect(await page.locator('#status').isVisible()).toBe(false)
    await logIn('wrong')
    await page.getByRole('alert').filter({ hasText: 'not known' }).waitFor()
    await logIn(sender)
    await page.getByRole('alert').filter({ hasText: 'lacks the role view' }).waitFor()

    await logIn(viewer)
    await page.getByText('ann, view only').waitFor()
    await attribute(page, 'FlushEnabled').filter({ hasText: 'true' }).waitFor()
    const button = operation(page, 'disableFlush').getByRole('button')
    expect(await button.isDisabled()).toBe(true)
    const flushNow = tile(page, 'flush').getByRole('button', { name: 'Flush now…' })
    expect(await flushNow.isDisabled()).toBe(true)
    await tile(page, 'flush').getByText('Needs a token with the role operate').waitFor()
    const params = { mbean: writer, operation: 'disableFlush' }
    expect(await page.evaluate(toFetch({ jsonrpc: '2.0', id: 1, method: 'exec', params }))).toMatchObject({
      error: { code: -32001 },
    })
    expect((await server.rpc.read(writer, 'FlushEnabled')).value).toBe(true)
    await page.reload()
    await page.getByText('ann, view only').waitFor()

    await page.getByRole('button', { name: 'Log out' }).click()
    await token.waitFor()
    await logIn(operator)
    await expect.poll(() => flushNow.isDisabled()).toBe(false)
    await button.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Run disableFlush' }).click()
    await tile(page, 'flush').filter({ hasText: 'Held' }).waitFor()
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
  })

  test('is walked by keyboard: / searches, arrows move, Enter opens, Esc leads back', async () => {
    const server = await start()
    const page = await open(server)
    await tile(page, 'intake').waitFor()
    await page.keyboard.press('Tab')
    await expect.poll(() => focused(page)).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await expect.poll(() => focusedId(page)).toBe('main')
    await page.keyboard.press('/')
    await page.getByText(/^\d+ of \d+ beans$/).waitFor()
    await page.keyboard.type('collector.filters')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focused(page)).toBe('EventType')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focused(page)).toBe('Host')
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focused(page)).toBe('UserAgent')
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await page.locator('.bean h2', { hasText: 'EventType' }).waitFor()
    await attribute(page, 'PatternSet').filter({ hasText: 'none' }).waitFor()
    await expect.poll(() => focused(page)).toBe('EventType')
    await page.keyboard.press('Tab')
    await page.keyboard.type('a/b')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Run addPattern…')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('#bean-list a[aria-current]:focus').count()).toBe(1)
    await page.keyboard.press('Escape')
    await expect.poll(() => focusedId(page)).toBe('bean-search')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByLabel('Search beans').inputValue()).toBe('')
  })

  test('says that the server is unavailable, waits longer each time, and recovers', async () => {
    const server = await start()
    const page = await openPaused(server)
    await page.route('**/rpc', route => route.fulfill({ status: 503, body: '' }))
    for (const seconds of [2, 4, 8]) {
      await page.clock.fastForward(seconds * 1_000)
      await page.getByText(`next try in ${seconds} s`).waitFor()
    }
    expect(await headline(page).textContent()).toBe('The server does not answer; what follows is old')
    await page.unroute('**/rpc')
    await page.getByRole('button', { name: 'Try now' }).click()
    await headline(page).filter({ hasText: 'Everything is fine' }).waitFor()
    await page.getByText(/^Live · /).waitFor()
  })

  test('asks with one request each time, and not at all while the tab is hidden', async () => {
    const server = await start()
    const page = await openPaused(server)
    const asked: string[] = []
    page.on('request', request => asked.push(new URL(request.url()).pathname))
    await page.evaluate(toHide(true))
    await page.getByText('Paused').waitFor()
    await page.clock.runFor(60_000)
    expect(asked).toEqual([])
    await page.evaluate(toHide(false))
    await page.getByText(/^Live · /).waitFor()
    await expect.poll(() => asked).toEqual(['/rpc'])
  })

  test('fits a phone, follows the colour scheme, and shows names of clients as text', async () => {
    const server = await start()
    const hostile = '<img src=x onerror=alert(1)>'
    await postJson(server, JSON.stringify({ eventName: 'Click', payload: {} }))
    await server.rpc.exec(hostFilter, 'addPattern', [hostile])
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(server, '/', { colorScheme, viewport: { width: 390, height: 844 } })
      await page.locator('#chart-gateway canvas').waitFor()
      const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
      expect(background).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(20, 24, 29)')
      const views = { '/#overview': '#chart-gateway', '/#beans': '#bean-list a', [toLink(hostFilter)]: '.bean' }
      for (const [path, part] of Object.entries({ ...views, '/#audit': '.audit tbody tr' })) {
        await page.goto(`${server.adminUrl}${path}`)
        await page.locator(part).first().waitFor()
        expect(await page.evaluate(overflow), path).toBe(0)
      }
      await page.goto(`${server.adminUrl}${toLink(hostFilter)}`)
      await attribute(page, 'PatternSet').filter({ hasText: hostile }).waitFor()
      expect(await page.locator('main img').count()).toBe(0)
    }
  })
})
